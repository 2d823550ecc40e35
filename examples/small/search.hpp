/* SPDX-License-Identifier: MIT */
/* Find the only number below n that has a given hash. The search ends as soon as a task has found the number. */
#ifndef UAT_SMALL_SEARCH_HPP
#define UAT_SMALL_SEARCH_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace key_search
{
constexpr int64_t n = 40000000, part = 100000, key = 3141592;

inline bool matches(int64_t i)
{
    return splitmix(uint64_t(i)) == splitmix(key);
}

inline double plain()
{
    for (int64_t i = 0; i < n; i++)
        if (matches(i))
            return double(i);
    return -1;
}
} // namespace key_search

#endif
