/* SPDX-License-Identifier: MIT */
/* Elements that need no sort: a few runs, one after the other or interleaved. */
#ifndef UAT_RUNS_H
#define UAT_RUNS_H

#include <stddef.h>

#include "include/uat/pattern.h"

/*
 * Sort count elements in this process if they consist of at most UAT_RUNS_MAX runs, each of which rises or falls: one
 * behind the other, as in two sorted lists or an organ pipe, or interleaved, element i in run i modulo their number.
 * One run takes a pass; several take another one, and as much memory as the elements have, up to 256 MiB. Returns 1;
 * 0 with the elements as they were, mostly after a few of them, if there are more runs or no memory. A comparison that
 * contradicts itself loses no element. Does not spawn.
 */
enum { UAT_RUNS_MAX = 4 };
int uat_sort_runs(const struct uat_sort_kernel *kernel, void *elements, size_t count, const void *arg);

/*
 * Merge a_count elements at a with b_count ones at b, both in order, to `to`. a lies elsewhere; b may be the end of the
 * room at `to`. Each element arrives once also if the comparison contradicts itself.
 */
void uat_sort_merge(const struct uat_sort_kernel *kernel, const void *arg, void *to, const void *a, size_t a_count,
                    const void *b, size_t b_count);

#endif
