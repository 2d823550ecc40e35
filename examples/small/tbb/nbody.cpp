/* SPDX-License-Identifier: MIT */
#include "examples/small/nbody.hpp"

#include <functional>

#include "examples/small/tbb/tbb.hpp"

using namespace nbody;
using range = tbb::blocked_range<size_t>;

static double simulate(std::vector<Body> &now, std::vector<Body> &next)
{
    tbb::parallel_for(int64_t(0), n, [&](int64_t i) { now[size_t(i)] = body(i); });
    for (int step = 0; step < steps; step++, now.swap(next))
        tbb::parallel_for(size_t(0), size_t(n), [&](size_t i) { next[i] = moved(now[i], now.data()); });
    auto add = [&](const range &r, double sum) {
        for (size_t i = r.begin(); i < r.end(); i++)
            sum += distance(now[i]);
        return sum;
    };
    return tbb::parallel_reduce(range(0, n), 0.0, add, std::plus<>());
}

int main(int argc, char **argv)
{
    workers limit;
    std::vector<Body> a(n), b(n);
    return small::compare(
        argc, argv, 0, "nbody", [&] { return simulate(a, b); }, plain);
}
