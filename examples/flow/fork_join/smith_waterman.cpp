/* SPDX-License-Identifier: MIT */
/* Fork and join: go from diagonal to diagonal, and make the blocks of a diagonal in parallel. */
#include "examples/flow/smith_waterman.hpp"
#include "examples/flow/with_uat.hpp"

using smith_waterman::edge;
using smith_waterman::problem;

static void score(problem p, edge *e)
{
    for (std::int64_t d = 0; d < 2 * p.n - 1; d++)
        uat::parallel_for(std::max<std::int64_t>(0, d - p.n + 1), std::min(d + 1, p.n), [=](std::int64_t y) {
            auto row = uat::span<edge>(e + d - y, 1).update();
            auto column = uat::span<edge>(e + p.n + y, 1).update();
            smith_waterman::make(*row, *column, y, d - y);
        });
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, score);
}
