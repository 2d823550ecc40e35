/* SPDX-License-Identifier: MIT */
/* Fork and join: factor a panel, and then update all panels on its right in parallel. */
#include "examples/flow/lu.hpp"
#include "examples/flow/with_uat.hpp"

using lu::panel;
using lu::problem;

static void factor(problem p, panel *a)
{
    uat::span<panel> panels(a, std::size_t(p.n));
    for (std::int64_t k = 0; k < p.n; k++) {
        lu::factor(*panels.subspan(std::size_t(k), 1).update(), k, p.rows);
        uat::parallel_for(k + 1, p.n, [=](std::int64_t j) {
            auto l = panels.subspan(std::size_t(k), 1).read();
            auto r = panels.subspan(std::size_t(j), 1).update();
            lu::update(*l, *r, k, p.rows);
        });
    }
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, factor);
}
