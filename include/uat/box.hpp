/* SPDX-License-Identifier: MIT */
/* Parallel loops over ranges of two, three or more dimensions, in C++17. Included by uat.hpp. */
#ifndef UAT_BOX_HPP
#define UAT_BOX_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "uat/detail/box.hpp"
#include "uat/loop.hpp"

namespace uat
{

/* The points (i, j, ...) with begin[0] <= i < end[0], begin[1] <= j < end[1] and so on. If one of these ranges is
 * empty, so is the box. */
template <std::size_t D> struct box {
    std::array<std::int64_t, D> begin, end;
};

/*
 * Call f(i, j, ...), with D indices, for each point of the box, in parallel. A part of the loop runs points in the
 * order of nested loops, the last index fastest. So neighbours in the last dimension run on one worker. Call it only
 * inside a task. Throws std::invalid_argument if the box has more than 2^63 - 1 points.
 *
 *     uat::parallel_for_box(uat::box<2>{{1, 1}, {n - 1, n - 1}}, [=](std::int64_t i, std::int64_t j) { ... });
 */
template <std::size_t D, class F> void parallel_for_box(const box<D> &all, F f)
{
    static_assert(D > 0, "uat: a box has a dimension");
    detail::must_travel<F>();
    detail::must_take_indices<F, D>();
    const detail::grid<D> points(all.begin, all.end, {});
    parallel_for_ranges(0, points.cells(), [points, f](std::int64_t from, std::int64_t to) mutable {
        std::array<std::int64_t, D> at = points.cell(from);
        for (std::int64_t n = from; n < to; n++) {
            const std::array<std::int64_t, D> point = points.first_of(at);
            std::apply(f, point);
            points.step(at);
        }
    });
}

/*
 * Call f(tile) for disjoint boxes, the tiles, that together cover the box. A tile has tile[d] indices in dimension d,
 * or fewer at the end of the box. So a tile's data may be small enough for a cache, or be one checkout. Otherwise as
 * parallel_for_box(). Throws std::invalid_argument also if a size of a tile is less than 1.
 *
 *     uat::parallel_for_tiles(uat::box<2>{{0, 0}, {n, n}}, {64, 64}, [=](uat::box<2> t) {
 *         for (std::int64_t i = t.begin[0]; i < t.end[0]; i++) ...
 *     });
 */
template <std::size_t D, class F>
void parallel_for_tiles(const box<D> &all, const std::array<std::int64_t, D> &tile, F f)
{
    static_assert(D > 0, "uat: a box has a dimension");
    detail::must_travel<F>();
    detail::must_be_tile(tile);
    const detail::grid<D> tiles(all.begin, all.end, tile);
    parallel_for_ranges(0, tiles.cells(), [tiles, f](std::int64_t from, std::int64_t to) mutable {
        std::array<std::int64_t, D> at = tiles.cell(from);
        for (std::int64_t n = from; n < to; n++) {
            f(box<D>{tiles.first_of(at), tiles.end_of(at)});
            tiles.step(at);
        }
    });
}

} // namespace uat

#endif
