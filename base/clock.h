/* SPDX-License-Identifier: MIT */
/* The runtime's clock for intervals: CLOCK_MONOTONIC, or virtual time in a simulation. */
#ifndef UAT_BASE_CLOCK_H
#define UAT_BASE_CLOCK_H

#include <stdint.h>

/* The current time in nanoseconds. */
uint64_t uat_clock_ns(void);

/* The time in whole seconds. The clock is cheap to read and at most a few milliseconds late. */
uint64_t uat_clock_seconds(void);

#endif
