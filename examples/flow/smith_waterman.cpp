/* SPDX-License-Identifier: MIT */
/* One task per block. Each task updates its block's edges, so the wavefront needs no code of its own. */
#include "examples/flow/smith_waterman.hpp"
#include "examples/flow/with_uat.hpp"

using smith_waterman::edge;
using smith_waterman::problem;

static void score(problem p, edge *e)
{
    uat::flow f;
    for (std::int64_t y = 0; y < p.n; y++)
        for (std::int64_t x = 0; x < p.n; x++)
            f.spawn([](uat::inout<edge> row, uat::inout<edge> column, std::int64_t i,
                       std::int64_t j) { smith_waterman::make(*row, *column, i, j); },
                    e + x, e + p.n + y, y, x);
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, score);
}
