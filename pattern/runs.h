/* SPDX-License-Identifier: MIT */
/* Elements that consist of a few runs, one after the other or interleaved. A merge can sort them. */
#ifndef UAT_RUNS_H
#define UAT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "include/uat/detail/sort.h"

/*
 * Sort `count` elements in this process if they consist of at most UAT_RUNS_MAX rising or falling runs. The runs may
 * follow one another, as in two sorted lists or an organ pipe. Or they may be interleaved: element i is in run i modulo
 * the number of runs. A single run takes one pass. Several runs take further passes, and as much memory as the
 * elements, up to 256 MiB. Returns 1 if it has sorted the elements. If there are more runs or too little memory, it
 * returns 0 and leaves the elements unchanged. In that case it has usually looked at only a few elements. No element is
 * lost if a comparison contradicts itself. Does not spawn.
 */
enum { UAT_RUNS_MAX = 4 };
int uat_sort_runs(const uat_sort_kernel_t *kernel, void *elements, size_t count, const void *arg);

/* Sort elements of this process: by a merge of runs unless the kernel's sort() is stable, or else by that.
 * Returns whether there was memory. */
bool uat_sort_here(const uat_sort_kernel_t *kernel, void *elements, size_t count, const void *arg);

/*
 * Merge a_count elements at `a` with b_count elements at `b`, both sorted, into `to`. `a` must not overlap the
 * destination. `b` may be the end of the destination. Each element is stored exactly once, even if the comparison
 * contradicts itself.
 */
void uat_sort_merge(const uat_sort_kernel_t *kernel, const void *arg, void *to, const void *a, size_t a_count,
                    const void *b, size_t b_count);

#endif
