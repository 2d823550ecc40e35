/* SPDX-License-Identifier: MIT */
/* A hash table into which all tasks insert at the same time. The answer is the number of different keys. */
#ifndef UAT_SMALL_HASH_HPP
#define UAT_SMALL_HASH_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace hash
{
constexpr int64_t n = 300000, different = 100000;
constexpr uint64_t slots = 1 << 18;

/* Key i, which is never 0. Each key occurs about three times. */
inline uint64_t key(int64_t i)
{
    return splitmix(splitmix(uint64_t(i)) % different) | 1;
}

/* Where the search for a key starts. */
inline uint64_t slot_of(uint64_t key)
{
    return key >> 8 & (slots - 1);
}

/* The plain program: open addressing with linear probing, like the parallel program. */
inline double plain()
{
    std::vector<uint64_t> table(slots);
    double inserted = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t k = key(i), at = slot_of(k);
        while (table[at] != 0 && table[at] != k)
            at = (at + 1) & (slots - 1);
        inserted += table[at] == 0;
        table[at] = k;
    }
    return inserted;
}
} // namespace hash

#endif
