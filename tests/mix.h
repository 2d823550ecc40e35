/* SPDX-License-Identifier: MIT */
/* Numbers that look random, for tests: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). C and C++. */
#ifndef UAT_TEST_MIX_H
#define UAT_TEST_MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#endif
