/* SPDX-License-Identifier: MIT */
#include "examples/small/pagerank.hpp"

#include <functional>
#include <utility>

#include "uat.hpp"

using namespace pagerank;

static void count_links(uat::span<int64_t> out)
{
    uat::parallel_for(0, n, [out](int64_t v) {
        for (int64_t k = 0; k < links; k++)
            out.atomic(source(v, k)).add(1);
    });
}

static double iterate(uat::span<int64_t> out, uat::span<double> rank, uat::span<double> next)
{
    uat::fill(rank, 1.0 / n);
    for (int step = 0; step < steps; step++, std::swap(rank, next))
        uat::parallel_for_ranges(0, n, [out, rank, next](int64_t from, int64_t to) {
            auto ranks = rank.read();
            auto links_out = out.read();
            auto mine = next.subspan(size_t(from), size_t(to - from)).write();
            for (int64_t v = from; v < to; v++) {
                double given = 0;
                for (int64_t k = 0; k < links; k++)
                    given += ranks[source(v, k)] / double(links_out[source(v, k)]);
                mine[size_t(v - from)] = rank_of(given);
            }
        });
    return uat::transform_reduce(rank, 0.0, std::plus<>(), [](double r) { return r * r; });
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<int64_t> out(n);
    uat::global_vector<double> rank(n), next(n);
    auto parallel = [out = out.span(), rank = rank.span(), next = next.span()] {
        uat::run([out] { uat::fill(out, 0); });
        uat::run(count_links, out); /* a separate run, because only this run uses the counts as atomic words */
        return uat::run(iterate, out, rank, next);
    };
    return small::compare(argc, argv, uat_rank(), "pagerank", parallel, plain);
}
