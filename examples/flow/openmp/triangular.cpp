/* SPDX-License-Identifier: MIT */
/* One task per non-empty block of the matrix, with OpenMP's `depend`. */
#include "examples/flow/triangular.hpp"

using triangular::part;
using triangular::problem;

static void solve(problem p, part *x)
{
#pragma omp parallel
#pragma omp single
    for (std::int64_t i = 0; i < p.blocks; i++) {
        part *xi = x + i;
        for (std::int64_t e = p.first[i]; e < p.first[i + 1]; e++) {
            std::int64_t j = p.pair[e];
            part *xj = x + j;
#pragma omp task depend(in : *xj) depend(inout : *xi)
            p.subtract(i, j, *xj, *xi);
        }
#pragma omp task depend(inout : *xi)
        p.subtract(i, i, *xi, *xi);
    }
}

int main(int argc, char **argv)
{
    return flow::compare<problem>(argc, argv, solve);
}
