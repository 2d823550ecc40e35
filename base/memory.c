/* SPDX-License-Identifier: MIT */
/* Linux: proc(5) and cgroups(7); Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst. */
#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { PATH_SIZE = 1024, LINE_SIZE = 1024 };

/* The file names of one version of control groups. */
struct version {
    const char *mount, *limit, *usage;
    const char *inactive, *active; /* the names in memory.stat of file pages, which the kernel can reclaim */
};
static const struct version v1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file", "total_active_file"};
static const struct version v2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file", "active_file"};

/* Find the line that starts with `word`, and read the number after `word`. If `word` is "", read the file's first
 * number. Returns false if there is no such number. */
static bool find_number(const char *path, const char *word, uint64_t *number)
{
    char line[LINE_SIZE];
    bool found = false;
    size_t length = strlen(word);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof(line), file))
        found = strncmp(line, word, length) == 0 && (length == 0 || strchr(": ", line[length])) &&
                sscanf(line + length, length ? "%*[: ]%" SCNu64 : "%" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

static uint64_t number_or_0(const char *path, const char *word)
{
    uint64_t number = 0;
    return find_number(path, word, &number) ? number : 0;
}

/* If the group at `path` still allows fewer bytes than *least, set *least to that number. */
static void look_at_group(const struct version *v, const char *path, uint64_t *least, char *limit)
{
    char file[PATH_SIZE + 64];
    uint64_t most;
    snprintf(file, sizeof(file), "%s/%s", path, v->limit);
    if (!find_number(file, "", &most)) /* no limit, or "max" */
        return;
    char name[UAT_MEMORY_LIMIT_MAX];
    snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, file);
    snprintf(file, sizeof(file), "%s/%s", path, v->usage);
    uint64_t used = number_or_0(file, "");
    snprintf(file, sizeof(file), "%s/memory.stat", path);
    uint64_t files = number_or_0(file, v->inactive) + number_or_0(file, v->active);
    used = used > files ? used - files : 0;
    uint64_t left = most > used ? most - used : 0;
    if (left < *least) {
        *least = left;
        memcpy(limit, name, sizeof(name));
    }
}

/* Check the group and all its ancestors: each may have a limit. In a container, parts of the group's path may not
 * exist. */
static void look_at_groups(const char *root, const struct version *v, const char *group, uint64_t *least, char *limit)
{
    char path[PATH_SIZE];
    int mount = snprintf(path, sizeof(path), "%s%s", root, v->mount);
    int n = mount + snprintf(path + mount, sizeof(path) - (size_t)mount, "%s", strcmp(group, "/") ? group : "");
    if (n >= PATH_SIZE)
        return;
    for (;;) {
        look_at_group(v, path, least, limit);
        char *slash = strrchr(path + mount, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Handle a line of /proc/self/cgroup, "number:controllers:path". In version 2 the line has no controllers. */
static void look_at_line(const char *root, char *line, uint64_t *least, char *limit)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *controllers++ = '\0';
    *group++ = '\0';
    if (!*controllers)
        look_at_groups(root, &v2, group, least, limit);
    for (char *rest = controllers, *word; (word = strsep(&rest, ","));)
        if (!strcmp(word, "memory"))
            look_at_groups(root, &v1, group, least, limit);
}

uint64_t uat_memory_available(const char *root, bool locked, char limit[UAT_MEMORY_LIMIT_MAX])
{
    char path[PATH_SIZE], line[LINE_SIZE];
    uint64_t least = UINT64_MAX, kib;
    snprintf(limit, UAT_MEMORY_LIMIT_MAX, "this host");
    snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    if (find_number(path, "MemAvailable", &kib))
        least = (kib + (locked ? 0 : number_or_0(path, "SwapFree"))) << 10;
    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        look_at_line(root, line, &least, limit);
    if (file)
        fclose(file);
    return least;
}

uint64_t uat_memory_page_tables(void)
{
    return number_or_0("/proc/self/status", "VmPTE") << 10;
}

uint64_t uat_memory_minor_faults(void)
{
    struct rusage usage = {.ru_minflt = 0};
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_minflt;
}
