/* SPDX-License-Identifier: MIT */
/* The length of the longest common subsequence of two strings. A block of the table needs the block above it and the
 * block on its left. */
#ifndef UAT_SMALL_WAVEFRONT_HPP
#define UAT_SMALL_WAVEFRONT_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace wavefront
{
constexpr int64_t n = 1024, edge = 64, blocks = n / edge, pitch = n + 1; /* row and column 0 are zeros */

inline int letter(int64_t string, int64_t i)
{
    return int(splitmix(uint64_t(string << 32 | i)) % 4);
}

/* Compute entries [column, column + edge) of a row. Index -1 is valid in the row above. left: the entry on the left. */
inline void fill_line(int64_t row, int64_t column, const int32_t *above, int32_t left, int32_t *line)
{
    for (int64_t i = 0, own = letter(1, row); i < edge; i++)
        left = line[i] = own == letter(2, column + i) ? above[i - 1] + 1 : std::max(above[i], left);
}

inline double plain()
{
    std::vector<int32_t> table(pitch * pitch);
    for (int64_t row = 1; row <= n; row++)
        for (int64_t column = 1; column <= n; column += edge) {
            int32_t *line = &table[size_t(row * pitch + column)];
            fill_line(row, column, line - pitch, line[-1], line);
        }
    return table.back();
}
} // namespace wavefront

#endif
