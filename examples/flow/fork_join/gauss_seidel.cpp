/* SPDX-License-Identifier: MIT */
/* Fork and join: each sweep goes from diagonal to diagonal. The blocks of a diagonal are relaxed in parallel. */
#include "examples/flow/gauss_seidel.hpp"
#include "examples/flow/with_uat.hpp"

using gauss_seidel::block;
using gauss_seidel::problem;

static void relax(problem p, block *b, std::int64_t y, std::int64_t x)
{
    auto above = uat::span<block>(p.at(b, y - 1, x), 1).read(), left = uat::span<block>(p.at(b, y, x - 1), 1).read();
    auto right = uat::span<block>(p.at(b, y, x + 1), 1).read(), below = uat::span<block>(p.at(b, y + 1, x), 1).read();
    auto a = uat::span<block>(p.at(b, y, x), 1).update();
    gauss_seidel::relax(*above, *left, *right, *below, *a, y * gauss_seidel::width, x * gauss_seidel::width);
}

static void solve(problem p, block *b)
{
    for (std::int64_t sweep = 0; sweep < gauss_seidel::sweeps; sweep++)
        for (std::int64_t d = 2; d <= 2 * p.n; d++)
            uat::parallel_for(std::max<std::int64_t>(1, d - p.n), std::min(d, p.n + 1),
                              [=](std::int64_t y) { relax(p, b, y, d - y); });
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, solve);
}
