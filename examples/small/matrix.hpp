/* SPDX-License-Identifier: MIT */
/* The product of two square matrices, tile by tile. The answer is the sum of the squares of all elements. */
#ifndef UAT_SMALL_MATRIX_HPP
#define UAT_SMALL_MATRIX_HPP

#include "examples/small/small.hpp"

namespace matrix
{
constexpr int64_t n = 384, edge = 64, tiles = n / edge;

struct Tile {
    double at[edge][edge];
};

inline double element(int64_t i, double shift)
{
    return double(i % 17) - shift;
}

/* c += a b. Rows of a and b are `pitch` elements apart. */
inline void multiply_add(const double *a, const double *b, int64_t pitch, Tile &c)
{
    for (int64_t i = 0; i < edge; i++)
        for (int64_t k = 0; k < edge; k++)
            for (int64_t j = 0; j < edge; j++)
                c.at[i][j] += a[i * pitch + k] * b[k * pitch + j];
}

inline double plain()
{
    std::vector<double> a(n * n), b(n * n), c(n * n);
    double sum = 0;
    for (int64_t i = 0; i < n * n; i++) {
        a[size_t(i)] = element(i, 8);
        b[size_t(i)] = element(i, 7);
    }
    for (int64_t row = 0; row < n; row += edge)
        for (int64_t column = 0; column < n; column += edge) {
            Tile t = {};
            for (int64_t k = 0; k < n; k += edge)
                multiply_add(&a[size_t(row * n + k)], &b[size_t(k * n + column)], n, t);
            for (int64_t i = 0; i < edge; i++)
                std::copy_n(t.at[i], edge, &c[size_t((row + i) * n + column)]);
        }
    for (double x : c)
        sum += x * x;
    return sum;
}
} // namespace matrix

#endif
