/* SPDX-License-Identifier: MIT */
/* The sort of uat-adaptive: 32-bit integers in global memory. */
#ifndef UAT_PERF_ADAPTIVE_SORT_H
#define UAT_PERF_ADAPTIVE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UAT_SORT_CHUNK = 2048 }; /* elements per iteration */

/* Run the iterations [begin, end) of a pass. */
typedef void adaptive_pass_fn(int64_t begin, int64_t end, const void *arg);
/* Run all iterations of a pass, by uat_for() or by adaptive requests. */
typedef void adaptive_pass(int64_t count, adaptive_pass_fn *fn, const void *arg, size_t arg_size);

struct adaptive_sorted {
    uint64_t wrong, sum; /* wrong: number of elements that are less than their predecessor; sum: of all elements */
};

/* Allocate n elements. Collective. Returns 0 or a negative errno. */
int adaptive_sort_open(int64_t n);

/* Fill the array, sort it, check it. Call these functions in a task. adaptive_sort_passes() is a merge sort. `pass`
 * runs each pass of the merge sort. adaptive_sort_by_library() calls uat_sort(). */
void adaptive_sort_fill(int64_t n);
void adaptive_sort_passes(int64_t n, adaptive_pass *pass);
void adaptive_sort_by_library(int64_t n);
struct adaptive_sorted adaptive_sort_check(int64_t n, bool by_library);

/* Sort the same elements in this process alone. Returns 0 or a negative errno. */
int adaptive_sort_alone(int64_t n, struct adaptive_sorted *sum);

#endif
