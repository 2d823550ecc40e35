/* SPDX-License-Identifier: MIT */
/* The loops of the sequential program, with OpenMP's `depend`. */
#include "examples/flow/gauss_seidel.hpp"

using gauss_seidel::block;
using gauss_seidel::problem;

static void solve(problem p, block *b)
{
#pragma omp parallel
#pragma omp single
    for (std::int64_t sweep = 0; sweep < gauss_seidel::sweeps; sweep++)
        for (std::int64_t y = 1; y <= p.n; y++)
            for (std::int64_t x = 1; x <= p.n; x++) {
                block *above = p.at(b, y - 1, x), *left = p.at(b, y, x - 1), *right = p.at(b, y, x + 1);
                block *below = p.at(b, y + 1, x), *a = p.at(b, y, x);
#pragma omp task depend(in : *above, *left, *right, *below) depend(inout : *a)
                gauss_seidel::relax(*above, *left, *right, *below, *a, y * gauss_seidel::width,
                                    x * gauss_seidel::width);
            }
}

int main(int argc, char **argv)
{
    return flow::compare<problem>(argc, argv, solve);
}
