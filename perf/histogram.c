/* SPDX-License-Identifier: MIT */
#include "perf/histogram.h"

#include <stddef.h>

enum { STEPS = UAT_HISTOGRAM_STEPS, BITS = 6, BUCKETS = UAT_HISTOGRAM_BUCKETS };
_Static_assert(1 << BITS == STEPS, "an octave has 2^BITS buckets");

void uat_histogram_add(struct uat_histogram *histogram, uint64_t ns)
{
    int shift = ns < STEPS ? 0 : 63 - __builtin_clzll(ns) - BITS;
    size_t bucket = (size_t)shift * STEPS + (size_t)(ns >> shift);

    histogram->buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
}

void uat_histogram_merge(struct uat_histogram *to, const struct uat_histogram *from)
{
    for (size_t i = 0; i < BUCKETS; i++)
        to->buckets[i] += from->buckets[i];
}

/* The middle of a bucket, in ns. */
static double middle(size_t bucket)
{
    size_t shift = bucket < 2 * STEPS ? 0 : bucket / STEPS - 1;

    return ((double)(bucket - shift * STEPS) + .5) * (double)(1ull << shift) - .5;
}

double uat_histogram_quantile(const struct uat_histogram *histogram, double share)
{
    uint64_t below = 0, count = 0;
    size_t bucket = 0;

    for (size_t i = 0; i < BUCKETS; i++)
        count += histogram->buckets[i];
    if (count == 0)
        return 0;
    while ((below += histogram->buckets[bucket]) <= (uint64_t)(share * (double)(count - 1)))
        bucket++;
    return middle(bucket);
}
