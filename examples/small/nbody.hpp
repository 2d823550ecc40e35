/* SPDX-License-Identifier: MIT */
/* Gravitation of n bodies by direct sums. The answer is the sum of the distances from the origin at the end. */
#ifndef UAT_SMALL_NBODY_HPP
#define UAT_SMALL_NBODY_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace nbody
{
constexpr int64_t n = 1000;
constexpr int steps = 3;
constexpr double time_step = 0.01;

struct Body {
    double x[3], v[3];
};

inline Body body(int64_t i)
{
    Body b = {};
    for (int k = 0; k < 3; k++)
        b.x[k] = double(splitmix(uint64_t(3 * i + k)) >> 11) * 0x1p-53;
    return b;
}

/* The body after a time step, moved by the forces of all bodies. */
inline Body moved(Body b, const Body *all)
{
    double a[3] = {};
    for (int64_t i = 0; i < n; i++) {
        double d[3], square = 1e-4;
        for (int k = 0; k < 3; k++) {
            d[k] = all[i].x[k] - b.x[k];
            square += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++)
            a[k] += d[k] / (square * std::sqrt(square) * n);
    }
    for (int k = 0; k < 3; k++) {
        b.v[k] += time_step * a[k];
        b.x[k] += time_step * b.v[k];
    }
    return b;
}

inline double distance(const Body &b)
{
    return std::sqrt(b.x[0] * b.x[0] + b.x[1] * b.x[1] + b.x[2] * b.x[2]);
}

inline double plain()
{
    std::vector<Body> now(n), next(n);
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        now[size_t(i)] = body(i);
    for (int step = 0; step < steps; step++, now.swap(next))
        for (size_t i = 0; i < n; i++)
            next[i] = moved(now[i], now.data());
    for (const Body &b : now)
        sum += distance(b);
    return sum;
}
} // namespace nbody

#endif
