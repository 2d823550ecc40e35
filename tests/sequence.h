/* SPDX-License-Identifier: MIT */
/* A sequence of numbers, represented by a hash that depends on their order. Sequences are values
 * of reducers whose operation does not commute. */
#ifndef UAT_TEST_SEQUENCE_H
#define UAT_TEST_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/mix.h"

struct sequence {
    uint64_t factor, sum;
};

#define SEQUENCE_NONE                                                                                                  \
    {                                                                                                                  \
        1, 0                                                                                                           \
    }

static inline uint64_t sequence_times(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b % 0x1fffffffffffffff); /* a prime number */
}

/* The numbers of a, followed by the numbers of b. */
static inline struct sequence sequence_join(struct sequence a, struct sequence b)
{
    struct sequence s = {sequence_times(a.factor, b.factor),
                         (sequence_times(a.sum, b.factor) + b.sum) % 0x1fffffffffffffff};
    return s; /* C++ has no compound literals */
}

static inline struct sequence sequence_of(uint64_t x)
{
    struct sequence s = {1000003, mix(x) % 0x1fffffffffffffff};
    return s;
}

static inline bool sequence_equal(struct sequence a, struct sequence b)
{
    return a.factor == b.factor && a.sum == b.sum;
}

#endif
