/* SPDX-License-Identifier: MIT */
/* SplitMix64 (Steele, Lea and Flood, OOPSLA'14): random numbers from a counter. */
#ifndef UAT_EXAMPLES_SPLITMIX_H
#define UAT_EXAMPLES_SPLITMIX_H

#include <stdint.h>

#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The random number that follows state x. */
static inline uint64_t splitmix(uint64_t x)
{
    x += SPLITMIX_STEP;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Advance the state by one step, and return the next random number. */
static inline uint64_t splitmix_next(uint64_t *state)
{
    uint64_t x = splitmix(*state);

    *state += SPLITMIX_STEP;
    return x;
}

#endif
