/* SPDX-License-Identifier: MIT */
/* Producers and consumers with a bounded buffer between them. The answer is the sum of the consumers' results. */
#ifndef UAT_SMALL_BUFFER_HPP
#define UAT_SMALL_BUFFER_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace buffer
{
constexpr int64_t n = 5000, capacity = 64;
constexpr int producers = 2, consumers = 3;

inline uint64_t produce(int64_t i)
{
    uint64_t x = uint64_t(i);
    for (int k = 0; k < 500; k++)
        x = splitmix(x);
    return x;
}

inline double consume(uint64_t x)
{
    for (int k = 0; k < 500; k++)
        x = splitmix(x);
    return double(x >> 40);
}

inline double plain()
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += consume(produce(i));
    return sum;
}
} // namespace buffer

#endif
