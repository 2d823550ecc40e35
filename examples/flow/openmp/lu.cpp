/* SPDX-License-Identifier: MIT */
/* The loops of the sequential program, with OpenMP's `depend`. */
#include "examples/flow/lu.hpp"

using lu::panel;
using lu::problem;

static void factor(problem p, panel *a)
{
#pragma omp parallel
#pragma omp single
    for (std::int64_t k = 0; k < p.n; k++) {
#pragma omp task depend(inout : a[k])
        lu::factor(a[k], k, p.rows);
        for (std::int64_t j = k + 1; j < p.n; j++)
#pragma omp task depend(in : a[k]) depend(inout : a[j])
            lu::update(a[k], a[j], k, p.rows);
    }
}

int main(int argc, char **argv)
{
    return flow::compare<problem>(argc, argv, factor);
}
