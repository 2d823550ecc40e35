/* SPDX-License-Identifier: MIT */
#include "runtime/job/aslr.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#define VARIABLE "LD_LIBRARY_PATH"
#define SAVED    "UATRUN_LIBRARY_PATH" /* holds VARIABLE's old value between the two executions */

enum { FOLDERS_MAX = 64, PATH_SIZE = 4096 };

/* The loaded libraries in the order of loading, and their folders without duplicates. */
struct libraries {
    const char *path[UINT8_MAX];
    const char *folder[FOLDERS_MAX]; /* the first `length` characters, up to the last slash */
    int length[FOLDERS_MAX];
    int paths, folders;
    bool overflows;
};

/* The length of the folder in a library's path. */
static int folder_length(const char *path)
{
    return (int)(strrchr(path, '/') - path);
}

static int take(struct dl_phdr_info *info, size_t size, void *data)
{
    struct libraries *l = data;
    const char *path = info->dlpi_name;
    (void)size;
    if (!strchr(path, '/') || info->dlpi_addr == getauxval(AT_BASE)) /* the program, the kernel's page, or the loader */
        return 0;
    /* A relative path depends on the current folder; the characters `:;$` have a meaning in the variable. */
    if (*path != '/' || strpbrk(path, ":;$") || l->paths == UINT8_MAX) {
        l->overflows = true;
        return 1;
    }
    l->path[l->paths++] = path;
    int length = folder_length(path);
    for (int i = 0; i < l->folders; i++)
        if (l->length[i] == length && strncmp(l->folder[i], path, (size_t)length) == 0)
            return 0;
    if (l->folders == FOLDERS_MAX) {
        l->overflows = true;
        return 1;
    }
    l->folder[l->folders] = path;
    l->length[l->folders++] = length;
    return 0;
}

/* Does the search along the folders find the file at `path` first, and no other library of that name? */
static bool finds_the_same(const struct libraries *l, const char *path)
{
    char name[PATH_SIZE];
    struct stat loaded, found;
    if (stat(path, &loaded))
        return false;
    for (int i = 0; i < l->folders; i++) {
        int length = snprintf(name, sizeof(name), "%.*s%s", l->length[i], l->folder[i], path + folder_length(path));
        if (length >= (int)sizeof(name))
            return false;
        if (stat(name, &found) == 0)
            return found.st_dev == loaded.st_dev && found.st_ino == loaded.st_ino;
    }
    return false;
}

void uat_library_path_set(void)
{
    static struct libraries l;
    const char *before = getenv(VARIABLE);
    before = before ? before : "";
    dl_iterate_phdr(take, &l);
    if (l.overflows || l.paths == 0)
        return;
    for (int i = 0; i < l.paths; i++)
        if (!finds_the_same(&l, l.path[i]))
            return;
    size_t size = strlen(before) + 1;
    for (int i = 0; i < l.folders; i++)
        size += (size_t)l.length[i] + 1;
    char *text = malloc(size), *end = text;
    if (!text || setenv(SAVED, before, 1)) {
        free(text);
        return;
    }
    /* The user's own folders stay first, also for libraries that the program loads later. */
    end += sprintf(end, "%s", before);
    for (int i = 0; i < l.folders; i++)
        end += sprintf(end, "%s%.*s", end > text ? ":" : "", l.length[i], l.folder[i]);
    if (setenv(VARIABLE, text, 1))
        unsetenv(SAVED);
    free(text);
}

void uat_library_path_restore(void)
{
    const char *saved = getenv(SAVED);
    if (!saved)
        return;
    if (*saved)
        setenv(VARIABLE, saved, 1);
    else
        unsetenv(VARIABLE);
    unsetenv(SAVED);
}
