/* SPDX-License-Identifier: MIT */
/*
 * The smallest floor for cells, after the benchmark "floorplan" of BOTS (Duran and others, ICPP'09), written anew. Each
 * cell has some shapes, and lies beside or below an earlier cell, which it must touch. The floor is the rectangle
 * around all cells. Branch and bound: a task for each place of a cell has its own copy of the floor, and all tasks know
 * the smallest floor so far.
 */
#ifndef UAT_SMALL_FLOORPLAN_HPP
#define UAT_SMALL_FLOORPLAN_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace floorplan
{
constexpr int cells = 10, shapes = 2, board = 32; /* the floor has at most board * board units */
constexpr int together = 5;                       /* cells from this number on are placed without further tasks */

/* A rectangle of rows and columns, both ends included. */
struct Place {
    int8_t top, left, bottom, right;
};

struct Floor {
    uint32_t row[board]; /* a bit for each unit that is in use */
    Place place[cells];
    int8_t height, width;
};

inline int draw(int cell, int what, int n)
{
    return int(splitmix(uint64_t(cell * 64 + what)) % uint64_t(n));
}

/* Put the cell on the floor, if its units are free and inside. */
inline bool put(Floor &floor, int cell, int top, int left, int height, int width)
{
    if (top < 0 || left < 0 || top + height > board || left + width > board)
        return false;
    uint32_t bits = uint32_t(((uint64_t(1) << width) - 1) << left);
    for (int i = top; i < top + height; i++)
        if (floor.row[i] & bits)
            return false;
    for (int i = top; i < top + height; i++)
        floor.row[i] |= bits;
    floor.place[cell] = {int8_t(top), int8_t(left), int8_t(top + height - 1), int8_t(left + width - 1)};
    floor.height = std::max(floor.height, int8_t(top + height));
    floor.width = std::max(floor.width, int8_t(left + width));
    return true;
}

/* Call f(floor with the cell) for each place of this cell whose floor is smaller than best(). */
template <class Best, class F> void each_place(const Floor &floor, int cell, Best best, F f)
{
    auto attempt = [&](int top, int left, int height, int width) {
        Floor next = floor;
        if (put(next, cell, top, left, height, width) && next.height * next.width < best())
            f(next);
    };
    for (int shape = 0; shape < shapes; shape++) {
        int height = 2 + draw(cell, 2 * shape, 4), width = 2 + draw(cell, 2 * shape + 1, 4);
        if (cell == 0) {
            attempt(0, 0, height, width);
            continue;
        }
        Place other = floor.place[cell - 1 - draw(cell, 32, std::min(cell, 3))];
        if (draw(cell, 33, 2))
            for (int top = other.top - height + 1; top <= other.bottom; top++)
                attempt(top, other.right + 1, height, width);
        else
            for (int left = other.left - width + 1; left <= other.right; left++)
                attempt(other.bottom + 1, left, height, width);
    }
}

/* Place the cells from this one on. best() is the smallest floor so far; found(area) may make it smaller. */
template <class Best, class Found> void place_all(const Floor &floor, int cell, Best best, Found found)
{
    if (cell == cells)
        return found(floor.height * floor.width);
    each_place(floor, cell, best, [&](const Floor &next) { place_all(next, cell + 1, best, found); });
}

inline double plain()
{
    int best = board * board + 1;
    place_all(
        Floor{}, 0, [&] { return best; }, [&](int area) { best = std::min(best, area); });
    return best;
}
} // namespace floorplan

#endif
