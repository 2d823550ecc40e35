/* SPDX-License-Identifier: MIT */
/* The control groups of this process: cgroups(7); Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst of Linux. */
#ifndef UAT_CGROUP_H
#define UAT_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

enum {
    UAT_CGROUP_PATH_MAX = 1024,
    UAT_CGROUP_LIMIT_MAX = 256 /* bytes of the name of a limit's file, including its terminating 0 */
};

/* Called for one group. version: 1 or 2, the version of control groups, which determines the names of the group's
 * files. path: the group's folder. data: the caller's. */
typedef void uat_cgroup_visit_fn(void *data, int version, const char *path);

/*
 * Call visit() for this process's group of `controller` ("memory", "cpu") and for each ancestor of the group, because
 * each may have a limit. In a container, some of the folders may not exist. If version 2 has a group as well, its
 * groups are visited, too; they have no files of a controller that version 1 owns. `root` is a prefix for the paths of
 * the files that the function reads; it is "" except in tests.
 */
void uat_cgroup_walk(const char *root, const char *controller, uat_cgroup_visit_fn *visit, void *data);

/* Find the line of the file that starts with `word`, and read the number after `word`. If `word` is "", read the file's
 * first number. Returns false if there is no such number. */
bool uat_cgroup_number(const char *path, const char *word, uint64_t *number);

/*
 * Returns the least number of cores' worth of processor time that a control group grants to this process and the
 * others in the group (a quota, cpu.max), and writes the name of the group's file to `limit`. Such a number may be
 * below 1. Returns INFINITY, and "", if no group has a quota. root: as for uat_cgroup_walk().
 */
double uat_cgroup_cores(const char *root, char limit[UAT_CGROUP_LIMIT_MAX]);

#endif
