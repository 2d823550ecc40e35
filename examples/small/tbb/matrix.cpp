/* SPDX-License-Identifier: MIT */
#include "examples/small/matrix.hpp"

#include <functional>

#include "examples/small/tbb/tbb.hpp"

using namespace matrix;
using range = tbb::blocked_range<int64_t>;
using range2d = tbb::blocked_range2d<int64_t>;

static double product(std::vector<double> &a, std::vector<double> &b, std::vector<double> &c)
{
    tbb::parallel_for(int64_t(0), n * n, [&](int64_t i) {
        a[size_t(i)] = element(i, 8);
        b[size_t(i)] = element(i, 7);
    });
    tbb::parallel_for(range2d(0, tiles, 1, 0, tiles, 1), [&](const range2d &r) {
        for (int64_t row = r.rows().begin() * edge; row < r.rows().end() * edge; row += edge)
            for (int64_t column = r.cols().begin() * edge; column < r.cols().end() * edge; column += edge) {
                Tile t = {};
                for (int64_t k = 0; k < n; k += edge)
                    multiply_add(&a[size_t(row * n + k)], &b[size_t(k * n + column)], n, t);
                for (int64_t i = 0; i < edge; i++)
                    std::copy_n(t.at[i], edge, &c[size_t((row + i) * n + column)]);
            }
    });
    auto add = [&](const range &r, double sum) {
        for (int64_t i = r.begin(); i < r.end(); i++)
            sum += c[size_t(i)] * c[size_t(i)];
        return sum;
    };
    return tbb::parallel_reduce(range(0, n * n), 0.0, add, std::plus<>());
}

int main(int argc, char **argv)
{
    workers limit;
    std::vector<double> a(n * n), b(n * n), c(n * n);
    return small::compare(
        argc, argv, 0, "matrix", [&] { return product(a, b, c); }, plain);
}
