/* SPDX-License-Identifier: MIT */
/* The cores that this process may use, and binding to one of them. */
#ifndef UAT_LAUNCHER_CPUS_H
#define UAT_LAUNCHER_CPUS_H

#include <numa.h>
#include <stdbool.h>

/* The number of cores that this process may use; at least 1. A quota of processor time counts as its whole cores. */
int uat_cpus_allowed(void);

/*
 * Choose a core for each of n workers: cores[rank]. If there are fewer cores than workers, the cores are assigned
 * round-robin. The second and further hardware threads of a core are assigned last. Unless `always`, workers that do
 * not fill the cores get -1: other jobs on this machine would choose the same cores, while others stay unused. Workers
 * that exceed a quota of processor time get -1, too. Returns 0 or a negative errno after reporting the error.
 */
int uat_cpus_assign(int *cores, int n, bool always);

/* Bind the calling process to a core. mask: from numa_allocate_cpumask(). Safe between fork and exec. Returns 0 or a
 * negative errno. */
int uat_cpus_bind(struct bitmask *mask, int core);

#endif
