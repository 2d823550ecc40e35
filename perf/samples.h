/* SPDX-License-Identifier: MIT */
/* Series of measured durations, in cycles of the time-stamp counter, and what is reported of them. */
#ifndef UAT_SAMPLES_H
#define UAT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

struct uat_samples {
    const char *name;
    uint64_t *cycles;
    size_t count, room;
    uint64_t divisor; /* what is reported is a sample divided by this: operations in a batch; 0 stands for 1 */
};

/* 0 or -ENOMEM. Beyond `room` samples are not kept. */
int uat_samples_open(struct uat_samples *samples, const char *name, size_t room);
void uat_samples_close(struct uat_samples *samples);

static inline void uat_samples_add(struct uat_samples *samples, uint64_t cycles)
{
    if (samples->count < samples->room)
        samples->cycles[samples->count++] = cycles;
}

/* Sort; once, after the last sample and before what follows. */
void uat_samples_sort(struct uat_samples *samples);

/* The value that the given share (0 to 1) of the samples does not exceed; 0 without samples. In cycles. */
double uat_samples_quantile(const struct uat_samples *samples, double share);

/* A table of ns and cycles: minimum, median, 99th percentile. */
void uat_samples_print_head(const char *first, FILE *out);
void uat_samples_print(const struct uat_samples *samples, double tsc_hz, FILE *out);

/* Add an object with these numbers under the series' name. */
void uat_samples_json(const struct uat_samples *samples, double tsc_hz, struct json_object *object, int *status);

/* Cycles of the time-stamp counter in a second, against the clock; takes 20 ms. */
double uat_samples_tsc_hz(void);

#endif
