/* SPDX-License-Identifier: MIT */
/* One call of LAPACK's dpotrf() with OpenBLAS's own threads. The variable OPENBLAS_NUM_THREADS sets their number. */
#include "examples/flow/cholesky.hpp"

using cholesky::problem;

/* The measured time includes the copies from tiles to a column-major matrix and back. */
static void factor(problem p, tile *t)
{
    const int rows = int(p.n * TILE);
    std::vector<double> a(std::size_t(rows) * std::size_t(rows));
    int info;
    auto each = [&](auto f) {
        for (std::int64_t i = 0; i < rows; i++)
            for (std::int64_t j = 0; j <= i; j++)
                f(a[std::size_t(i * rows + j)], t[i / TILE * p.n + j / TILE].at[i % TILE][j % TILE]);
    };
    each([](double &x, double y) { x = y; });
    dpotrf_("U", &rows, a.data(), &rows, &info);
    each([](double x, double &y) { y = x; });
}

int main(int argc, char **argv)
{
    return flow::compare<problem>(argc, argv, factor, false); /* dpotrf() adds in another order */
}
