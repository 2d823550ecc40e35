/* SPDX-License-Identifier: MIT */
/* The prefix sum of uat-adaptive, and what its algorithms share. */
#ifndef UAT_PERF_ADAPTIVE_PREFIX_H
#define UAT_PERF_ADAPTIVE_PREFIX_H

#include <stdint.h>

#include "uat/adaptive.h"

/* The result of an algorithm or of a part. sum: of the values; in a search, the index that was found, or -1. written:
 * checksum of the prefix sums that were written. A part of the prefix sum also sets the end of its interval and the
 * name of its list (adaptive_prefix.c). */
struct adaptive_sums {
    uint64_t sum, written, list;
    int64_t end;
};

static inline uint64_t adaptive_value(int64_t i)
{
    return (uint64_t)i * 2654435761u;
}

/* Take the time of the iterations [begin, end), real or virtual. */
void adaptive_spend(int64_t begin, int64_t end);

/* Maximum iterations between two checks for requests. */
int64_t adaptive_most(void);

/* Returns a checksum of the prefix sums [begin, end). *sum is the sum before `begin`. On return it is the sum before
 * `end`. */
uint64_t adaptive_write_sums(int64_t begin, int64_t end, uint64_t *sum);

/* The prefix sum by adaptive requests. */
uat_adaptive_fn adaptive_prefix_part;

#endif
