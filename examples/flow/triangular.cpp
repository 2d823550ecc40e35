/* SPDX-License-Identifier: MIT */
/* One task per non-empty block of the matrix. Blocks of x that are independent are solved in parallel. */
#include "examples/flow/triangular.hpp"
#include "examples/flow/with_uat.hpp"

using triangular::part;
using triangular::problem;

static void solve(problem p, part *x)
{
    uat::flow f;
    for (std::int64_t i = 0; i < p.blocks; i++) {
        for (std::int64_t e = p.first[i]; e < p.first[i + 1]; e++)
            f.spawn([](uat::in<part> xj, uat::inout<part> xi, problem q, std::int64_t row,
                       std::int64_t column) { q.subtract(row, column, *xj, *xi); },
                    x + p.pair[e], x + i, p, i, p.pair[e]);
        f.spawn([](uat::inout<part> xi, problem q, std::int64_t row) { q.subtract(row, row, *xi, *xi); }, x + i, p, i);
    }
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, solve);
}
