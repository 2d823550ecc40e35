/* SPDX-License-Identifier: MIT */
#include "base/cgroup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 1024 };

bool uat_cgroup_number(const char *path, const char *word, uint64_t *number)
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

/* The walk, and what it calls for each group. */
struct walk {
    const char *root, *controller;
    uat_cgroup_visit_fn *visit;
    void *data;
};

/* Visit the group, which has this path below the mount, and all its ancestors. */
static void visit_groups(const struct walk *walk, int version, const char *group)
{
    char path[UAT_CGROUP_PATH_MAX];
    int mount = snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s%s", walk->root, version == 1 ? "/" : "",
                         version == 1 ? walk->controller : "");
    if (mount >= (int)sizeof(path))
        return;
    size_t rest = sizeof(path) - (size_t)mount;
    if (snprintf(path + mount, rest, "%s", strcmp(group, "/") ? group : "") >= (int)rest)
        return;
    for (;;) {
        walk->visit(walk->data, version, path);
        char *slash = strrchr(path + mount, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Handle a line of /proc/self/cgroup, "number:controllers:path". In version 2 the line has no controllers. */
static void look_at_line(const struct walk *walk, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *controllers++ = '\0';
    *group++ = '\0';
    if (!*controllers)
        visit_groups(walk, 2, group);
    for (char *rest = controllers, *word; (word = strsep(&rest, ","));)
        if (!strcmp(word, walk->controller))
            visit_groups(walk, 1, group);
}

void uat_cgroup_walk(const char *root, const char *controller, uat_cgroup_visit_fn *visit, void *data)
{
    struct walk walk = {root, controller, visit, data};
    char path[UAT_CGROUP_PATH_MAX], line[LINE_SIZE];
    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        look_at_line(&walk, line);
    if (file)
        fclose(file);
}

struct quota {
    double cores;
    char *limit;
};

/* Read a file of one or two numbers. Returns how many there are; a group without a quota has the word "max" or -1. */
static int read_numbers(const char *path, int64_t *first, int64_t *second)
{
    FILE *file = fopen(path, "re");
    int n = file ? fscanf(file, "%" SCNd64 " %" SCNd64, first, second) : 0;
    if (file)
        fclose(file);
    return n;
}

static void look_at_quota(void *data, int version, const char *path)
{
    struct quota *quota = data;
    char file[UAT_CGROUP_PATH_MAX + 32], period[UAT_CGROUP_PATH_MAX + 32];
    int64_t us = 0, period_us = 100000, unused; /* the kernel's default period */
    snprintf(file, sizeof(file), "%s/%s", path, version == 1 ? "cpu.cfs_quota_us" : "cpu.max");
    if (read_numbers(file, &us, &period_us) < 1 || us <= 0)
        return;
    snprintf(period, sizeof(period), "%s/cpu.cfs_period_us", path);
    if (version == 1)
        read_numbers(period, &period_us, &unused);
    if (period_us <= 0 || (double)us / (double)period_us >= quota->cores)
        return;
    quota->cores = (double)us / (double)period_us;
    snprintf(quota->limit, UAT_CGROUP_LIMIT_MAX, "%.*s", UAT_CGROUP_LIMIT_MAX - 1, file);
}

double uat_cgroup_cores(const char *root, char limit[UAT_CGROUP_LIMIT_MAX])
{
    struct quota quota = {INFINITY, limit};
    limit[0] = '\0';
    uat_cgroup_walk(root, "cpu", look_at_quota, &quota);
    return quota.cores;
}
