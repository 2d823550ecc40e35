/* SPDX-License-Identifier: MIT */
#include "examples/small/matrix.hpp"

#include <functional>

#include "uat.hpp"

using namespace matrix;
using Matrix = uat::span<double>;

constexpr size_t width = edge * sizeof(double), pitch = n * sizeof(double);

static Tile load(Matrix m, int64_t row, int64_t column)
{
    Tile t;
    uat_global_get_strided(t.at, width, m.data() + row * n + column, pitch, width, edge);
    return t;
}

static double product(Matrix a, Matrix b, Matrix c)
{
    uat::tabulate(a, [](size_t i) { return element(int64_t(i), 8); });
    uat::tabulate(b, [](size_t i) { return element(int64_t(i), 7); });
    uat::parallel_for(0, tiles * tiles, [=](int64_t i) {
        int64_t row = i / tiles * edge, column = i % tiles * edge;
        Tile t = {};
        for (int64_t k = 0; k < n; k += edge) {
            Tile left = load(a, row, k), right = load(b, k, column);
            multiply_add(left.at[0], right.at[0], edge, t);
        }
        uat_global_put_strided(c.data() + row * n + column, pitch, t.at, width, width, edge);
    });
    return uat::transform_reduce(c, 0.0, std::plus<>(), [](double x) { return x * x; });
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<double> a(n * n), b(n * n), c(n * n);
    auto parallel = [a = a.span(), b = b.span(), c = c.span()] { return uat::run(product, a, b, c); };
    return small::compare(argc, argv, uat_rank(), "matrix", parallel, plain);
}
