/* SPDX-License-Identifier: MIT */
/* The loops of the sequential program, with OpenMP's `depend`. A clause names a tile by its first element. */
#include "examples/flow/cholesky.hpp"

using cholesky::problem;

static void factor(problem p, tile *t)
{
    auto at = [=](std::int64_t i, std::int64_t j) { return t + i * p.n + j; };
#pragma omp parallel
#pragma omp single
    for (std::int64_t k = 0; k < p.n; k++) {
        tile *d = at(k, k);
#pragma omp task depend(inout : *d)
        tile_potrf(d);
        for (std::int64_t i = k + 1; i < p.n; i++) {
            tile *a = at(i, k);
#pragma omp task depend(in : *d) depend(inout : *a)
            tile_trsm(d, a);
        }
        for (std::int64_t i = k + 1; i < p.n; i++) {
            tile *a = at(i, k);
            for (std::int64_t j = k + 1; j < i; j++) {
                tile *b = at(j, k), *c = at(i, j);
#pragma omp task depend(in : *a, *b) depend(inout : *c)
                tile_gemm(a, b, c);
            }
            tile *c = at(i, i);
#pragma omp task depend(in : *a) depend(inout : *c)
            tile_syrk(a, c);
        }
    }
}

int main(int argc, char **argv)
{
    tile_alone();
    return flow::compare<problem>(argc, argv, factor);
}
