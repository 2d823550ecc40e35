/* SPDX-License-Identifier: MIT */
/*
 * The LU factorisation P A = L U with partial pivoting, by panels. A panel is a block of columns. First, panel k is
 * factored with its pivots. Then each panel on the right of panel k is updated: swap rows, solve a triangle, and
 * subtract a product. (In the panels on the left, the rows of L are not swapped; error() swaps them.) A product with a
 * vector checks the answer: |P A x - L (U x)|.
 */
#ifndef EXAMPLES_FLOW_LU_HPP
#define EXAMPLES_FLOW_LU_HPP

#include <cmath>
#include <utility>

#include "examples/flow/flow.hpp"
#include "examples/splitmix.h"

namespace lu
{

constexpr std::int64_t width = 32, most = 1024; /* width: of a panel; most: maximum columns of a matrix */

/* Panel k, row by row. Row pivot[j] was swapped with row k * width + j. */
struct panel {
    double at[most][width];
    std::int64_t pivot[width];
};

inline void swap_rows(panel &a, const panel &p, std::int64_t k)
{
    for (std::int64_t j = 0; j < width; j++)
        if (p.pivot[j] != k * width + j)
            std::swap_ranges(a.at[p.pivot[j]], a.at[p.pivot[j]] + width, a.at[k * width + j]);
}

/* Factor panel k of a matrix with this number of rows. */
inline void factor(panel &a, std::int64_t k, std::int64_t rows)
{
    for (std::int64_t j = 0, d = k * width; j < width; j++, d++) {
        std::int64_t largest = d;
        for (std::int64_t i = d + 1; i < rows; i++)
            if (std::fabs(a.at[i][j]) > std::fabs(a.at[largest][j]))
                largest = i;
        a.pivot[j] = largest;
        if (largest != d)
            std::swap_ranges(a.at[d], a.at[d] + width, a.at[largest]);
        for (std::int64_t i = d + 1; i < rows; i++) {
            double l = a.at[i][j] /= a.at[d][j];
            for (std::int64_t c = j + 1; c < width; c++)
                a.at[i][c] -= l * a.at[d][c];
        }
    }
}

/* Update panel `a`, which is on the right of panel k. */
inline void update(const panel &p, panel &a, std::int64_t k, std::int64_t rows)
{
    swap_rows(a, p, k);
    for (std::int64_t i = k * width + 1; i < rows; i++) /* for the first rows, this loop solves with a triangle */
        for (std::int64_t j = 0; j < std::min(width, i - k * width); j++)
            for (std::int64_t c = 0; c < width; c++)
                a.at[i][c] -= p.at[i][j] * a.at[k * width + j][c];
}

struct problem {
    using element = panel;
    static constexpr const char *name = "lu", *argument = "PANELS";
    std::int64_t n, rows; /* number of panels and of rows of the square matrix */

    problem() = default;
    explicit problem(const char *text) : n(text ? flow::number(text, argument, most / width) : 16), rows(n * width)
    {
    }
    template <class Copy> problem spread(Copy) const
    {
        return *this;
    }
    std::size_t elements() const
    {
        return std::size_t(n);
    }
    /* An element of the matrix. */
    static double at(std::int64_t i, std::int64_t j)
    {
        return double(splitmix(std::uint64_t(i << 32 | j)) >> 11) * 0x1p-53 - 0.5;
    }
    void fill(std::size_t number, panel &a) const
    {
        std::fill_n(a.pivot, width, 0);
        for (std::int64_t i = 0; i < most; i++)
            for (std::int64_t j = 0; j < width; j++)
                a.at[i][j] = i < rows ? at(i, std::int64_t(number) * width + j) : 0;
    }

    void solve(panel *a) const
    {
        for (std::int64_t k = 0; k < n; k++) {
            factor(a[k], k, rows);
            for (std::int64_t j = k + 1; j < n; j++)
                update(a[k], a[j], k, rows);
        }
    }

    double error(const panel *a) const
    {
        std::vector<panel> f(a, a + n);
        std::vector<double> x(std::size_t(rows), 1), y(x.size()), left(x.size());
        for (std::int64_t i = 0; i < rows; i++)
            for (std::int64_t j = 0; j < rows; j++)
                left[std::size_t(i)] += at(i, j) * x[std::size_t(j)];
        for (std::int64_t k = 0; k < n; k++) {
            for (std::int64_t j = 0; j < width; j++)
                std::swap(left[std::size_t(k * width + j)], left[std::size_t(a[k].pivot[j])]);
            for (std::int64_t j = 0; j < k; j++)
                swap_rows(f[std::size_t(j)], a[k], k);
        }
        auto value = [&](std::int64_t i, std::int64_t j) { return f[std::size_t(j / width)].at[i][j % width]; };
        for (std::int64_t i = 0; i < rows; i++)
            for (std::int64_t j = i; j < rows; j++)
                y[std::size_t(i)] += value(i, j) * x[std::size_t(j)];
        double difference = 0, sum = 0;
        for (std::int64_t i = 0; i < rows; i++) {
            double right = y[std::size_t(i)];
            for (std::int64_t j = 0; j < i; j++) {
                right += value(i, j) * y[std::size_t(j)];
                if (!(std::fabs(value(i, j)) <= 1)) /* false if the pivot was not the largest element */
                    return 1;
            }
            difference += std::fabs(left[std::size_t(i)] - right);
            sum += std::fabs(left[std::size_t(i)]);
        }
        return difference / sum;
    }
};

} // namespace lu

#endif
