/* SPDX-License-Identifier: MIT */
/* The loops of the sequential program. Panel k + 1 is factored while other panels are still updated with panel k. */
#include "examples/flow/lu.hpp"
#include "examples/flow/with_uat.hpp"

using lu::panel;
using lu::problem;

static void factor(problem p, panel *a)
{
    uat::flow f;
    for (std::int64_t k = 0; k < p.n; k++) {
        f.spawn([](uat::inout<panel> l, std::int64_t i, std::int64_t rows) { lu::factor(*l, i, rows); }, a + k, k,
                p.rows);
        for (std::int64_t j = k + 1; j < p.n; j++)
            f.spawn([](uat::in<panel> l, uat::inout<panel> r, std::int64_t i,
                       std::int64_t rows) { lu::update(*l, *r, i, rows); },
                    a + k, a + j, k, p.rows);
    }
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, factor);
}
