/* SPDX-License-Identifier: MIT */
/* The loops of the sequential program. The types of the lambdas' parameters say how a task accesses its tiles. */
#include "examples/flow/cholesky.hpp"
#include "examples/flow/with_uat.hpp"

using cholesky::problem;

static void factor(problem p, tile *t)
{
    auto at = [=](std::int64_t i, std::int64_t j) { return t + i * p.n + j; };
    uat::flow f;
    for (std::int64_t k = 0; k < p.n; k++) {
        f.spawn([](uat::inout<tile> a) { tile_potrf(&*a); }, at(k, k));
        for (std::int64_t i = k + 1; i < p.n; i++)
            f.spawn([](uat::in<tile> l, uat::inout<tile> a) { tile_trsm(&*l, &*a); }, at(k, k), at(i, k));
        for (std::int64_t i = k + 1; i < p.n; i++) {
            for (std::int64_t j = k + 1; j < i; j++)
                f.spawn([](uat::in<tile> a, uat::in<tile> b, uat::inout<tile> c) { tile_gemm(&*a, &*b, &*c); },
                        at(i, k), at(j, k), at(i, j));
            f.spawn([](uat::in<tile> a, uat::inout<tile> c) { tile_syrk(&*a, &*c); }, at(i, k), at(i, i));
        }
    }
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, factor);
}
