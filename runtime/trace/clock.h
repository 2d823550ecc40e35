/* SPDX-License-Identifier: MIT */
/*
 * A common time for all workers: rank 0's time-stamp counter. A worker compares its own counter with rank 0's at two
 * moments. Between these moments it interpolates linearly, because counters of different hosts also run at slightly
 * different speeds.
 */
#ifndef UAT_CLOCK_H
#define UAT_CLOCK_H

#include <stdint.h>

/* The two counters at one moment. */
struct uat_clock {
    uint64_t own, zero;
};

/* Reserve the clock's words in the segment. */
void uat_clock_reserve(void);

/* Compare the counters now. Collective, outside of a run; exact to about half a READ's round trip. Returns 0 or a
 * negative errno. */
int uat_clock_compare(struct uat_clock *clock);

/* Rank 0's counter at the moment when this worker's counter was `own`. */
uint64_t uat_clock_map(const struct uat_clock *first, const struct uat_clock *last, uint64_t own);

#endif
