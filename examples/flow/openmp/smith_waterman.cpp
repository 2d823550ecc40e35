/* SPDX-License-Identifier: MIT */
/* One task per block, with OpenMP's `depend`. */
#include "examples/flow/smith_waterman.hpp"

using smith_waterman::edge;
using smith_waterman::problem;

static void score(problem p, edge *e)
{
#pragma omp parallel
#pragma omp single
    for (std::int64_t y = 0; y < p.n; y++)
        for (std::int64_t x = 0; x < p.n; x++) {
            edge *row = e + x, *column = e + p.n + y;
#pragma omp task depend(inout : *row, *column)
            smith_waterman::make(*row, *column, y, x);
        }
}

int main(int argc, char **argv)
{
    return flow::compare<problem>(argc, argv, score);
}
