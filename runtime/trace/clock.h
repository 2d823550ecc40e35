/* SPDX-License-Identifier: MIT */
/*
 * One time for all workers: the time-stamp counter of rank 0. A worker compares its own counter with it at two moments,
 * and maps what lies between by a straight line, since counters of different hosts also run at slightly different
 * speeds.
 */
#ifndef UAT_CLOCK_H
#define UAT_CLOCK_H

#include <stdint.h>

/* The two counters at one moment. */
struct uat_clock {
    uint64_t own, zero;
};

/* Reserve the words of the clock in the segment. */
void uat_clock_reserve(void);

/* Compare now. Collective, outside of a run; exact to about half a READ's round trip. 0 or a negative errno. */
int uat_clock_compare(struct uat_clock *clock);

/* Rank 0's counter when the own one was `own`. */
uint64_t uat_clock_map(const struct uat_clock *first, const struct uat_clock *last, uint64_t own);

#endif
