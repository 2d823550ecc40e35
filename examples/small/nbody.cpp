/* SPDX-License-Identifier: MIT */
#include "examples/small/nbody.hpp"

#include <functional>
#include <utility>

#include "uat.hpp"

using namespace nbody;

static double simulate(uat::span<Body> now, uat::span<Body> next)
{
    uat::tabulate(now, [](size_t i) { return body(int64_t(i)); });
    for (int step = 0; step < steps; step++, std::swap(now, next))
        uat::parallel_for_ranges(0, n, [now, next](int64_t from, int64_t to) {
            auto all = now.read();
            auto mine = next.subspan(size_t(from), size_t(to - from)).write();
            for (size_t i = 0; i < mine.size(); i++)
                mine[i] = moved(all[size_t(from) + i], all.data());
        });
    return uat::transform_reduce(now, 0.0, std::plus<>(), distance);
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<Body> a(n), b(n);
    auto parallel = [a = a.span(), b = b.span()] { return uat::run(simulate, a, b); };
    return small::compare(argc, argv, uat_rank(), "nbody", parallel, plain);
}
