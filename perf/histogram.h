/* SPDX-License-Identifier: MIT */
/* A histogram of durations in ns. Its size is fixed, so that a worker can READ it from another one. */
#ifndef UAT_PERF_HISTOGRAM_H
#define UAT_PERF_HISTOGRAM_H

#include <stdint.h>

/* The first octave has a bucket for each ns. Each later octave has as many buckets: a bucket is at most 1/64 wide. */
enum { UAT_HISTOGRAM_STEPS = 64, UAT_HISTOGRAM_BUCKETS = 36 * UAT_HISTOGRAM_STEPS };

struct uat_histogram {
    uint32_t buckets[UAT_HISTOGRAM_BUCKETS];
};

void uat_histogram_add(struct uat_histogram *histogram, uint64_t ns);
/* Add all durations of `from` to `to`. */
void uat_histogram_merge(struct uat_histogram *to, const struct uat_histogram *from);
/* The middle, in ns, of the bucket below which `share` (0 to 1) of the durations lie; 0 if there are none. */
double uat_histogram_quantile(const struct uat_histogram *histogram, double share);

#endif
