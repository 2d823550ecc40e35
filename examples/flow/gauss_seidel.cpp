/* SPDX-License-Identifier: MIT */
/* The loops of the sequential program. A sweep starts while earlier sweeps are still running. */
#include "examples/flow/gauss_seidel.hpp"
#include "examples/flow/with_uat.hpp"

using gauss_seidel::block;
using gauss_seidel::problem;
using source = uat::in<block>;

static void relax(source above, source left, source right, source below, uat::inout<block> a, std::int64_t row,
                  std::int64_t column)
{
    gauss_seidel::relax(*above, *left, *right, *below, *a, row, column);
}

static void solve(problem p, block *b)
{
    uat::flow f;
    for (std::int64_t sweep = 0; sweep < gauss_seidel::sweeps; sweep++)
        for (std::int64_t y = 1; y <= p.n; y++)
            for (std::int64_t x = 1; x <= p.n; x++)
                f.spawn(relax, p.at(b, y - 1, x), p.at(b, y, x - 1), p.at(b, y, x + 1), p.at(b, y + 1, x),
                        p.at(b, y, x), y * gauss_seidel::width, x * gauss_seidel::width);
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, solve);
}
