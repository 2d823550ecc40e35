/* SPDX-License-Identifier: MIT */
/* How often each value occurs among pseudorandom bytes. The answer is a checksum of the counts. */
#ifndef UAT_SMALL_HISTOGRAM_HPP
#define UAT_SMALL_HISTOGRAM_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace histogram
{
constexpr int64_t n = 4000000;

struct Counts {
    int32_t of[256] = {}; /* 1024 bytes, which a task may return */

    void add(uint8_t value)
    {
        of[value]++;
    }
    Counts operator+(const Counts &other) const
    {
        Counts sum = *this;
        for (int i = 0; i < 256; i++)
            sum.of[i] += other.of[i];
        return sum;
    }
    double checksum() const
    {
        double sum = 0;
        for (int i = 0; i < 256; i++)
            sum += double(i + 1) * double(of[i]);
        return sum;
    }
};

inline uint8_t value(int64_t i)
{
    return uint8_t(splitmix(uint64_t(i)) >> 56);
}

inline double plain()
{
    Counts counts;
    for (int64_t i = 0; i < n; i++)
        counts.add(value(i));
    return counts.checksum();
}
} // namespace histogram

#endif
