/* SPDX-License-Identifier: MIT */
/* PageRank (Brin and Page 1998) of a random graph, with a fixed number of steps. The answer is the sum of the squares
 * of the ranks. */
#ifndef UAT_SMALL_PAGERANK_HPP
#define UAT_SMALL_PAGERANK_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace pagerank
{
constexpr int64_t n = 20000, links = 8;
constexpr int steps = 5;
constexpr double damping = 0.85;

/* The source page of link k to page v. A page has 8 incoming links and any number of outgoing ones. */
inline size_t source(int64_t v, int64_t k)
{
    uint64_t x = splitmix(uint64_t(v * links + k)) >> 32;
    return size_t(x * x >> 32) * n >> 32;
}

/* A page's rank, from the sum of the ranks that its sources give it. A page divides its rank equally among its outgoing
 * links. */
inline double rank_of(double given)
{
    return (1 - damping) / n + damping * given;
}

inline double plain()
{
    std::vector<int64_t> out(n);
    std::vector<double> rank(n, 1.0 / n), next(n);
    double sum = 0;
    for (int64_t v = 0; v < n; v++)
        for (int64_t k = 0; k < links; k++)
            out[source(v, k)]++;
    for (int step = 0; step < steps; step++, rank.swap(next))
        for (int64_t v = 0; v < n; v++) {
            double given = 0;
            for (int64_t k = 0; k < links; k++)
                given += rank[source(v, k)] / double(out[source(v, k)]);
            next[size_t(v)] = rank_of(given);
        }
    for (double r : rank)
        sum += r * r;
    return sum;
}
} // namespace pagerank

#endif
