/* SPDX-License-Identifier: MIT */
/* Skynet (github.com/atemerev/skynet): each task creates ten children, down to a million leaves. A leaf returns its
 * number, and every other task the sum of its children. */
#ifndef UAT_SMALL_SKYNET_HPP
#define UAT_SMALL_SKYNET_HPP

#include "examples/small/small.hpp"

namespace skynet
{
constexpr int64_t leaves = 1000000;
constexpr int children = 10;

inline int64_t plain_sum(int64_t first, int64_t size)
{
    if (size == 1)
        return first;
    int64_t all = 0;
    for (int i = 0; i < children; i++)
        all += plain_sum(first + i * (size / children), size / children);
    return all;
}

inline double plain()
{
    return double(plain_sum(0, leaves));
}
} // namespace skynet

#endif
