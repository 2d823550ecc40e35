/* SPDX-License-Identifier: MIT */
#include "examples/small/pagerank.hpp"

#include <atomic>
#include <functional>

#include "examples/small/tbb/tbb.hpp"

using namespace pagerank;
using range = tbb::blocked_range<int64_t>;

static double iterate()
{
    std::vector<std::atomic<int64_t>> out(n);
    std::vector<double> rank(n, 1.0 / n), next(n);
    tbb::parallel_for(int64_t(0), n, [&](int64_t v) {
        for (int64_t k = 0; k < links; k++)
            out[source(v, k)].fetch_add(1, std::memory_order_relaxed);
    });
    for (int step = 0; step < steps; step++, rank.swap(next))
        tbb::parallel_for(int64_t(0), n, [&](int64_t v) {
            double given = 0;
            for (int64_t k = 0; k < links; k++)
                given += rank[source(v, k)] / double(out[source(v, k)].load(std::memory_order_relaxed));
            next[size_t(v)] = rank_of(given);
        });
    auto add = [&](const range &r, double sum) {
        for (int64_t v = r.begin(); v < r.end(); v++)
            sum += rank[size_t(v)] * rank[size_t(v)];
        return sum;
    };
    return tbb::parallel_reduce(range(0, n), 0.0, add, std::plus<>());
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(argc, argv, 0, "pagerank", iterate, plain);
}
