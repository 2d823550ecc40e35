/* SPDX-License-Identifier: MIT */
/*
 * Sweeps of Gauss and Seidel for Poisson's equation on a square with border 0. A point becomes the mean of its four
 * neighbours plus a source. Two of the neighbours already have new values. Blocks are relaxed row by row. So at each
 * point the two neighbours with new values are those of a sweep point by point.
 */
#ifndef EXAMPLES_FLOW_GAUSS_SEIDEL_HPP
#define EXAMPLES_FLOW_GAUSS_SEIDEL_HPP

#include "examples/flow/flow.hpp"
#include "examples/splitmix.h"

namespace gauss_seidel
{

constexpr std::int64_t width = 64, sweeps = 10;

struct block {
    double at[width][width];
};

inline double source(std::int64_t row, std::int64_t column)
{
    return double((row * 5 + column * 3) % 7) - 3;
}

/* Relax the block whose first point is (row, column). */
inline void relax(const block &above, const block &left, const block &right, const block &below, block &a,
                  std::int64_t row, std::int64_t column)
{
    for (std::int64_t i = 0; i < width; i++)
        for (std::int64_t j = 0; j < width; j++) {
            double up = i > 0 ? a.at[i - 1][j] : above.at[width - 1][j];
            double before = j > 0 ? a.at[i][j - 1] : left.at[i][width - 1];
            double after = j < width - 1 ? a.at[i][j + 1] : right.at[i][0];
            double down = i < width - 1 ? a.at[i + 1][j] : below.at[0][j];
            a.at[i][j] = 0.25 * (up + before + after + down + source(row + i, column + j));
        }
}

struct problem {
    using element = block;
    static constexpr const char *name = "gauss_seidel", *argument = "BLOCKS";
    std::int64_t n, pitch; /* blocks per row: n without the border of blocks that stay 0, pitch with it */

    problem() = default;
    explicit problem(const char *text) : n(text ? flow::number(text, argument, 64) : 8), pitch(n + 2)
    {
    }
    template <class Copy> problem spread(Copy) const
    {
        return *this;
    }
    std::size_t elements() const
    {
        return std::size_t(pitch * pitch);
    }
    void fill(std::size_t, block &a) const
    {
        a = {};
    }
    /* Blocks have the rows and columns 1 to n. */
    block *at(block *b, std::int64_t row, std::int64_t column) const
    {
        return b + row * pitch + column;
    }

    void solve(block *b) const
    {
        for (std::int64_t sweep = 0; sweep < sweeps; sweep++)
            for (std::int64_t y = 1; y <= n; y++)
                for (std::int64_t x = 1; x <= n; x++)
                    relax(*at(b, y - 1, x), *at(b, y, x - 1), *at(b, y, x + 1), *at(b, y + 1, x), *at(b, y, x),
                          y * width, x * width);
    }

    /* The largest difference from the same sweeps done point by point over an array. */
    double error(const block *b) const
    {
        const std::int64_t points = n * width, line = points + 2;
        std::vector<double> u(std::size_t(line * line));
        double largest = 0;
        for (std::int64_t sweep = 0; sweep < sweeps; sweep++)
            for (std::int64_t i = 1; i <= points; i++)
                for (std::int64_t j = 1; j <= points; j++) {
                    double *p = &u[std::size_t(i * line + j)];
                    *p = 0.25 * (p[-line] + p[-1] + p[1] + p[line] + source(i - 1 + width, j - 1 + width));
                }
        for (std::int64_t i = 0; i < points; i++)
            for (std::int64_t j = 0; j < points; j++) {
                double got = b[(i / width + 1) * pitch + j / width + 1].at[i % width][j % width];
                largest = std::max(largest, std::abs(got - u[std::size_t((i + 1) * line + j + 1)]));
            }
        return largest;
    }
};

} // namespace gauss_seidel

#endif
