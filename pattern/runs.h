/* SPDX-License-Identifier: MIT */
/* Elements that need no sort: they are a few runs, one after the other or interleaved. */
#ifndef UAT_RUNS_H
#define UAT_RUNS_H

#include <stddef.h>

#include "include/uat/pattern.h"

/*
 * Sort `count` elements in this process if they consist of at most UAT_RUNS_MAX runs, each of which rises or falls. The
 * runs follow one another, as in two sorted lists or an organ pipe, or are interleaved: element i is in run i modulo
 * their number. A single run takes one pass. Several runs take another pass, and as much memory as the elements, up to
 * 256 MiB. Returns 1 if the elements are sorted. Returns 0, with the elements unchanged, if there are more runs or no
 * memory; mostly it looks at only a few elements then. A comparison that contradicts itself loses no element. Does not
 * spawn.
 */
enum { UAT_RUNS_MAX = 4 };
int uat_sort_runs(const uat_sort_kernel_t *kernel, void *elements, size_t count, const void *arg);

/*
 * Merge a_count elements at a with b_count elements at b, both in order, to `to`. a must not overlap the destination; b
 * may be the end of the destination. Each element arrives exactly once even if the comparison contradicts itself.
 */
void uat_sort_merge(const uat_sort_kernel_t *kernel, const void *arg, void *to, const void *a, size_t a_count,
                    const void *b, size_t b_count);

#endif
