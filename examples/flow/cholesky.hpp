/* SPDX-License-Identifier: MIT */
/*
 * The Cholesky factorisation A = L L^T of a symmetric matrix, by tiles. The elements are random, the diagonal is
 * dominant. A product with a vector checks the answer: |A x - L (L^T x)|.
 */
#ifndef EXAMPLES_FLOW_CHOLESKY_HPP
#define EXAMPLES_FLOW_CHOLESKY_HPP

#include <cmath>

#include "examples/flow/flow.hpp"
#include "examples/splitmix.h"
#include "examples/tiles.h"

namespace cholesky
{

struct problem {
    using element = tile;
    static constexpr const char *name = "cholesky", *argument = "TILES";
    std::int64_t n; /* tiles in a row of the matrix; tile (i, j) is element i * n + j */

    problem() = default;
    explicit problem(const char *text) : n(text ? flow::number(text, argument, 128) : 16)
    {
    }
    template <class Copy> problem spread(Copy) const
    {
        return *this;
    }
    std::size_t elements() const
    {
        return std::size_t(n * n);
    }
    /* An element of the matrix. */
    double at(std::int64_t i, std::int64_t j) const
    {
        double x = double(splitmix(std::uint64_t(std::max(i, j) << 32 | std::min(i, j))) >> 11) * 0x1p-53;
        return i == j ? x + double(n * TILE) : x;
    }
    void fill(std::size_t number, tile &t) const
    {
        std::int64_t row = std::int64_t(number) / n, column = std::int64_t(number) % n;
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++)
                t.at[i][j] = at(row * TILE + i, column * TILE + j);
    }

    void solve(tile *t) const
    {
        for (std::int64_t k = 0; k < n; k++) {
            tile_potrf(&t[k * n + k]);
            for (std::int64_t i = k + 1; i < n; i++)
                tile_trsm(&t[k * n + k], &t[i * n + k]);
            for (std::int64_t i = k + 1; i < n; i++) {
                for (std::int64_t j = k + 1; j < i; j++)
                    tile_gemm(&t[i * n + k], &t[j * n + k], &t[i * n + j]);
                tile_syrk(&t[i * n + k], &t[i * n + i]);
            }
        }
    }

    double error(const tile *t) const
    {
        const std::int64_t rows = n * TILE;
        std::vector<double> x(std::size_t(rows), 1), y(x.size()), z(x.size());
        auto l = [=](std::int64_t i, std::int64_t j) { return t[i / TILE * n + j / TILE].at[i % TILE][j % TILE]; };
        for (std::int64_t i = 0; i < rows; i++)
            for (std::int64_t j = 0; j <= i; j++)
                y[std::size_t(j)] += l(i, j) * x[std::size_t(i)];
        double difference = 0, sum = 0;
        for (std::int64_t i = 0; i < rows; i++) {
            double left = 0, right = 0;
            for (std::int64_t j = 0; j <= i; j++)
                right += l(i, j) * y[std::size_t(j)];
            for (std::int64_t j = 0; j < rows; j++)
                left += at(i, j) * x[std::size_t(j)];
            difference += std::fabs(left - right);
            sum += std::fabs(left);
        }
        return difference / sum;
    }
};

} // namespace cholesky

#endif
