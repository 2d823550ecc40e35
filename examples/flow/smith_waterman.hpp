/* SPDX-License-Identifier: MIT */
/*
 * The score of the best local alignment of two strings (Smith and Waterman), with a cost for each gap. The table is
 * made in square blocks. Only the edges of the blocks are kept. The edge of a column of blocks holds its last row so
 * far. The edge of a row of blocks holds its last column so far.
 */
#ifndef EXAMPLES_FLOW_SMITH_WATERMAN_HPP
#define EXAMPLES_FLOW_SMITH_WATERMAN_HPP

#include "examples/flow/flow.hpp"
#include "examples/splitmix.h"

namespace smith_waterman
{

constexpr int width = 128; /* rows and columns of a block */

struct edge {
    std::int32_t at[width + 1]; /* at[0] of a row: the value above the left edge */
    std::int32_t best;          /* the largest value in a row of blocks */
};

/* Letter i of a string. Half of the second string's letters equal those of the first. */
inline int letter(std::int64_t string, std::int64_t i)
{
    bool other = string == 1 && splitmix(std::uint64_t(i)) % 2;
    return int(splitmix(std::uint64_t((other ? 2 : 1) << 20) + std::uint64_t(i)) % 4);
}

/* A value of the table, computed from three neighbours. */
inline std::int32_t value(bool same, std::int32_t before, std::int32_t above, std::int32_t left)
{
    return std::max({0, before + (same ? 2 : -1), above - 1, left - 1});
}

/* Make block (y, x). On entry row and column are its upper and left edge; on return, its lower and right edge. */
inline void make(edge &row, edge &column, std::int64_t y, std::int64_t x)
{
    int letters[width];
    for (int j = 0; j < width; j++)
        letters[j] = letter(1, x * width + j);
    for (int i = 0; i < width; i++) {
        int own = letter(0, y * width + i);
        std::int32_t before = row.at[0];
        row.at[0] = column.at[i];
        for (int j = 1; j <= width; j++) {
            std::int32_t above = row.at[j];
            row.at[j] = value(own == letters[j - 1], before, above, row.at[j - 1]);
            column.best = std::max(column.best, row.at[j]);
            before = above;
        }
        column.at[i] = row.at[width];
    }
}

struct problem {
    using element = edge;
    static constexpr const char *name = "smith_waterman", *argument = "BLOCKS";
    std::int64_t n; /* blocks per row. Edges 0 to n - 1 are rows; the other edges are columns. */

    problem() = default;
    explicit problem(const char *text) : n(text ? flow::number(text, argument, 1024) : 32)
    {
    }
    template <class Copy> problem spread(Copy) const
    {
        return *this;
    }
    std::size_t elements() const
    {
        return std::size_t(2 * n);
    }
    void fill(std::size_t, edge &e) const
    {
        e = {};
    }

    void solve(edge *e) const
    {
        for (std::int64_t y = 0; y < n; y++)
            for (std::int64_t x = 0; x < n; x++)
                make(e[x], e[n + y], y, x);
    }

    /* Compares the score with that of a table that is made row by row. Returns 0 if they are equal. */
    double error(const edge *e) const
    {
        std::vector<std::int32_t> line(std::size_t(n * width + 1));
        std::int32_t best = 0, got = 0;
        for (std::int64_t y = 0; y < n * width; y++)
            for (std::int64_t x = 1, before = 0; x <= n * width; x++) {
                std::int32_t &here = line[std::size_t(x)], above = here;
                here = value(letter(0, y) == letter(1, x - 1), std::int32_t(before), above, line[std::size_t(x - 1)]);
                best = std::max(best, here);
                before = above;
            }
        for (std::int64_t y = 0; y < n; y++)
            got = std::max(got, e[n + y].best);
        return got == best ? 0 : 1;
    }
};

} // namespace smith_waterman

#endif
