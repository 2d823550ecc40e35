/* SPDX-License-Identifier: MIT */
/*
 * Solve L x = b for a sparse lower triangle L. L is read from a Matrix Market file, or generated if the file's name is
 * missing or empty. The rows are cut into blocks. A block of x waits for the blocks in which its rows have elements. b
 * is chosen so that every element of x is 1. |L x - b| checks the answer.
 */
#ifndef EXAMPLES_FLOW_TRIANGULAR_HPP
#define EXAMPLES_FLOW_TRIANGULAR_HPP

#include <cmath>

#include "examples/flow/flow.hpp"
#include "examples/flow/matrix_market.hpp"
#include "examples/splitmix.h"

namespace triangular
{

constexpr std::int64_t width = 128;

/* A part of x. Until this part is solved, it holds the same part of b. */
struct part {
    double at[width];
};

/* A generated matrix. Each block of rows has elements in two earlier blocks. */
inline matrix_market::matrix made_up()
{
    constexpr std::int64_t blocks = 192, each = 64;
    std::vector<matrix_market::entry> entries;
    for (std::int64_t i = 0; i < blocks * width; i++) {
        std::int64_t block = i / width;
        entries.push_back({i, i, 3 * each});
        for (std::int64_t e = 0; block > 0 && e < each; e++) {
            std::int64_t from = std::int64_t(splitmix(std::uint64_t(2 * block + e % 2))) & (INT64_MAX);
            std::int64_t column = std::int64_t(splitmix(std::uint64_t(i * each + e)) % width);
            entries.push_back({i, from % block * width + column, -1});
        }
    }
    return matrix_market::lower_triangle(blocks * width, entries);
}

struct problem {
    using element = part;
    static constexpr const char *name = "triangular", *argument = "FILE";
    std::int64_t n, blocks, entries, pairs;
    /* Row i has the entries start[i] to start[i + 1] - 1, in the order of columns, the last on the diagonal. Block i
     * needs the blocks pair[first[i]] to pair[first[i + 1] - 1]. */
    const std::int64_t *start, *column, *first, *pair;
    const double *value;

    problem() = default;
    explicit problem(const char *file)
    {
        static matrix_market::matrix m; /* static, because copies of the problem refer to it */
        static std::vector<std::int64_t> begin, other;
        m = file && *file ? matrix_market::read(file) : made_up();
        n = std::int64_t(m.start.size()) - 1;
        blocks = (n + width - 1) / width;
        begin.assign(1, 0);
        other.clear();
        for (std::int64_t i = 0; i < blocks; i++) {
            auto row = [&](std::int64_t r) { return m.column.begin() + m.start[std::size_t(std::min(r, n))]; };
            std::vector<std::int64_t> needed(row(i * width), row((i + 1) * width));
            for (std::int64_t &j : needed)
                j /= width;
            std::sort(needed.begin(), needed.end());
            needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
            other.insert(other.end(), needed.begin(), needed.end() - 1); /* without the last element, which is i */
            begin.push_back(std::int64_t(other.size()));
        }
        entries = m.start.back();
        pairs = std::int64_t(other.size());
        start = m.start.data();
        column = m.column.data();
        value = m.value.data();
        first = begin.data();
        pair = other.data();
    }
    /* The same problem with copies of the arrays. */
    template <class Copy> problem spread(Copy copy) const
    {
        problem p = *this;
        auto spread = [&](auto &array, std::int64_t count) {
            if (count > 0)
                array = static_cast<decltype(+array)>(copy(array, std::size_t(count) * 8));
        };
        spread(p.start, n + 1);
        spread(p.column, entries);
        spread(p.first, blocks + 1);
        spread(p.pair, pairs);
        spread(p.value, entries);
        return p;
    }
    std::size_t elements() const
    {
        return std::size_t(blocks);
    }
    void fill(std::size_t block, part &b) const
    {
        for (std::int64_t i = 0, row = std::int64_t(block) * width; i < width; i++, row++) {
            b.at[i] = 0;
            for (std::int64_t e = row < n ? start[row] : 0; e < (row < n ? start[row + 1] : 0); e++)
                b.at[i] += value[e];
        }
    }

    /* Subtract block j's contribution to block i of x. For j = i, use the elements below the diagonal, and solve. */
    void subtract(std::int64_t i, std::int64_t j, const part &xj, part &xi) const
    {
        for (std::int64_t row = i * width; row < std::min(n, (i + 1) * width); row++) {
            const std::int64_t *end = column + start[row + 1] - 1;
            for (auto c = std::lower_bound(column + start[row], end, j * width); c < end && *c < (j + 1) * width; c++)
                xi.at[row % width] -= value[c - column] * xj.at[*c % width];
            if (i == j)
                xi.at[row % width] /= value[start[row + 1] - 1];
        }
    }

    void solve(part *x) const
    {
        for (std::int64_t i = 0; i < blocks; i++) {
            for (std::int64_t e = first[i]; e < first[i + 1]; e++)
                subtract(i, pair[e], x[pair[e]], x[i]);
            subtract(i, i, x[i], x[i]);
        }
    }

    double error(const part *x) const
    {
        double difference = 0, sum = 0;
        for (std::int64_t row = 0; row < n; row++) {
            double left = 0, right = 0;
            for (std::int64_t e = start[row]; e < start[row + 1]; e++) {
                double term = value[e] * x[column[e] / width].at[column[e] % width];
                left += term;
                right += value[e];
                sum += std::fabs(term);
            }
            difference += std::fabs(left - right);
        }
        return difference / sum;
    }
};

} // namespace triangular

#endif
