/* SPDX-License-Identifier: MIT */
/* The one clock of the runtime, for intervals: CLOCK_MONOTONIC, or virtual time in a simulation. */
#ifndef UAT_BASE_CLOCK_H
#define UAT_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds. */
uint64_t uat_clock_ns(void);

/* Whole seconds, from a clock that is cheap to read and a few milliseconds late. */
uint64_t uat_clock_seconds(void);

#endif
