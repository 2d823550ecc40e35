/* SPDX-License-Identifier: MIT */
/* Series of measured durations, in cycles of the time-stamp counter, and the report of a series. */
#ifndef UAT_SAMPLES_H
#define UAT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct uat_samples {
    const char *name, *title; /* name: in JSON; title: in a table */
    uint64_t *cycles;
    size_t count, room;
    uint64_t divisor; /* operations per batch: the report divides the samples by it; 0 means 1 */
};

/* Open an empty series; its title is its name. It keeps the first `room` samples. Returns 0 or -ENOMEM. */
int uat_samples_open(struct uat_samples *samples, const char *name, size_t room);
void uat_samples_close(struct uat_samples *samples);

static inline void uat_samples_add(struct uat_samples *samples, uint64_t cycles)
{
    if (samples->count < samples->room)
        samples->cycles[samples->count++] = cycles;
}

/* Sort the samples. Call this once, after the last sample and before the functions below. */
void uat_samples_sort(struct uat_samples *samples);

/* The value in cycles that `share` (0 to 1) of the samples do not exceed. Returns 0 if there are no samples. */
double uat_samples_quantile(const struct uat_samples *samples, double share);

/* Add the series to the report (perf/report.h): minimum, median and 99th percentile, in ns and in cycles. In JSON the
 * series is an object under its name. In a table it is a row under a head. */
void uat_samples_head(const char *title);
void uat_samples_report(const struct uat_samples *samples, double tsc_hz);

/* Measure, by the clock, how many cycles the time-stamp counter counts per second. This takes 20 ms. */
double uat_samples_tsc_hz(void);

#endif
