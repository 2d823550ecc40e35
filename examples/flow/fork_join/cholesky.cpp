/* SPDX-License-Identifier: MIT */
/* Fork and join: each step updates all tiles of a panel in parallel, and then all tiles on its right. */
#include "examples/flow/cholesky.hpp"
#include "examples/flow/with_uat.hpp"

using cholesky::problem;

static void update(tile *left, tile *right, tile *target)
{
    auto a = uat::span<tile>(left, 1).read();
    auto c = uat::span<tile>(target, 1).update();
    if (left == right)
        tile_syrk(&*a, &*c);
    else
        tile_gemm(&*a, &*uat::span<tile>(right, 1).read(), &*c);
}

static void factor(problem p, tile *t)
{
    auto at = [=](std::int64_t i, std::int64_t j) { return t + i * p.n + j; };
    for (std::int64_t k = 0; k < p.n; k++) {
        tile_potrf(&*uat::span<tile>(at(k, k), 1).update());
        uat::parallel_for(k + 1, p.n, [=](std::int64_t i) {
            tile_trsm(&*uat::span<tile>(at(k, k), 1).read(), &*uat::span<tile>(at(i, k), 1).update());
        });
        uat::parallel_for(k + 1, p.n, [=](std::int64_t i) {
            uat::parallel_for(k + 1, i + 1, [=](std::int64_t j) { update(at(i, k), at(j, k), at(i, j)); });
        });
    }
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, factor);
}
