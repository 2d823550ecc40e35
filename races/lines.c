/* SPDX-License-Identifier: MIT */
#include "races/lines.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "races/order.h"

enum { LINES = 4096, AT_ONCE = 64, NAME = 1024 };

struct line {
    uint32_t site;
    bool inside;
    char text[160];
};
static struct line *lines[LINES]; /* a hash table */
static uintptr_t program;         /* where the program is loaded */
static bool known;

static int note_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    program = info->dlpi_addr;
    return 1; /* the first one is the program */
}

uint32_t uat_races_short(uintptr_t site)
{
    if (!known)
        dl_iterate_phdr(note_program, NULL);
    known = true;
    uintptr_t offset = site - program;
    return offset < UINT32_MAX ? (uint32_t)offset : 0;
}

static struct line *line_of(uint32_t site)
{
    size_t h = site % LINES;
    for (int i = 0; lines[h] && lines[h]->site != site && i < LINES - 1; i++)
        h = (h + 1) % LINES;
    if (!lines[h] || lines[h]->site != site) {
        lines[h] = uat_races_pool(sizeof(**lines));
        lines[h]->site = site;
    }
    return lines[h];
}

/* Is this a function that a macro of uat's headers has generated, or one of a header? Then its caller is shown. */
static bool is_generated(const char *function, const char *file)
{
    static const char *const ends[] = {"_spawn", "_run",      "_join",      "_spawn_on",
                                       "_flow",  "_uat_body", "_uat_alone", "_uat_slow"};
    size_t n = strlen(function);
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (n > strlen(ends[i]) && strcmp(function + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    return strstr(file, "/include/uat") || strncmp(file, "/usr/include/", 13) == 0 || strstr(file, "/include/c++/");
}

static void set_line(struct line *l, const char *function, const char *file)
{
    const char *slash = strrchr(file, '/');
    l->inside = strstr(file, "/pattern/") != NULL;
    const char *end = strstr(function, "_uat_"); /* of a task's function that a macro has generated */
    snprintf(l->text, sizeof(l->text), "%.*s at %.70s", end ? (int)(end - function) : 80, function,
             slash ? slash + 1 : file);
}

/* Read addr2line's output: for each address a line 0x..., and then two lines for each function, innermost first. */
static void read_lines(FILE *f)
{
    char function[NAME], file[NAME];
    struct line *l = NULL;
    bool found = false;
    while (fgets(function, sizeof(function), f)) {
        function[strcspn(function, "\n")] = '\0';
        if (strncmp(function, "0x", 2) == 0) {
            l = line_of((uint32_t)strtoul(function, NULL, 16) + 1);
            found = false;
            continue;
        }
        if (!fgets(file, sizeof(file), f))
            break;
        file[strcspn(file, "\n")] = '\0';
        char *more = strstr(file, " (discriminator");
        if (more)
            *more = '\0';
        if (l && !found)
            set_line(l, function, file);
        found |= !is_generated(function, file);
    }
}

void uat_races_lines_find(const uint32_t *site, int n)
{
    char command[96 + AT_ONCE * 12];
    int wanted = 0,
        used = snprintf(command, sizeof(command), "addr2line -a -i -f -C -e /proc/%d/exe 2>/dev/null", (int)getpid());
    for (int i = 0; i < n && wanted < AT_ONCE; i++) {
        struct line *l = line_of(site[i]);
        if (l->text[0] || !site[i])
            continue;
        wanted++;
        used += snprintf(command + used, sizeof(command) - (size_t)used, " 0x%x", site[i] - 1); /* the call itself */
        snprintf(l->text, sizeof(l->text), "0x%x (addr2line of binutils would name the line)", site[i]);
    }
    FILE *f = wanted ? popen(command, "r") : NULL; /* popen() does not run what fork() has registered */
    if (f) {
        read_lines(f);
        pclose(f);
    }
}

const char *uat_races_line(uint32_t site)
{
    const struct line *l = line_of(site);
    return l->text[0] ? l->text : "code outside of the program's own file";
}

bool uat_races_line_is_inside(uint32_t site)
{
    return line_of(site)->inside;
}
