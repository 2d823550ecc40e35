/* SPDX-License-Identifier: MIT */
/* The cells of a box: its points or its tiles. Included by uat/box.hpp. */
#ifndef UAT_DETAIL_BOX_HPP
#define UAT_DETAIL_BOX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "uat/detail/failure.hpp"

namespace uat
{

namespace detail
{

template <class F, class Indices> struct takes_indices;
template <class F, std::size_t... I>
struct takes_indices<F, std::index_sequence<I...>>
    : std::is_invocable<F &, std::enable_if_t<(I < std::size_t(-1)), const std::int64_t &>...> {
};

/* The compiler's message for a loop's body with another number of indices than the box has dimensions. */
template <class F, std::size_t D> struct must_take_indices {
    static_assert(takes_indices<F, std::make_index_sequence<D>>::value,
                  "uat: the body is called with one index for each dimension of the box, which it cannot change: take "
                  "each as a std::int64_t by value");
};

/* The number of elements of [begin, end). It may exceed the range of std::int64_t. */
inline std::uint64_t distance(std::int64_t begin, std::int64_t end)
{
    return begin < end ? std::uint64_t(end) - std::uint64_t(begin) : 0;
}

template <std::size_t D> void must_be_tile(const std::array<std::int64_t, D> &tile)
{
    for (std::size_t d = 0; d < D; d++)
        if (tile[d] < 1)
            raise(std::invalid_argument("uat::parallel_for_tiles(): a tile of " + std::to_string(tile[d]) +
                                        " indices in dimension " + std::to_string(d) + "; it must have 1 or more"));
}

/* A box that is divided into cells, which are numbered in the order of nested loops. A cell is given by its indices,
 * which count from 0. */
template <std::size_t D> class grid
{
  public:
    using indices = std::array<std::int64_t, D>;

    /* size: indices of the box in each cell; 0 counts as 1. */
    grid(const indices &begin, const indices &end, const indices &size) : begin_(begin), end_(end), size_(), count_()
    {
        for (std::size_t d = 0; d < D; d++) {
            size_[d] = size[d] > 0 ? size[d] : 1;
            std::uint64_t all = distance(begin[d], end[d]), size_of_cell = std::uint64_t(size_[d]);
            count_[d] = all / size_of_cell + (all % size_of_cell > 0);
            if (count_[d] == 0)
                cells_ = 0;
        }
        for (std::size_t d = 0; d < D && cells_ > 0; d++)
            if (__builtin_mul_overflow(cells_, count_[d], &cells_))
                raise(std::invalid_argument("uat: a box of more than 2^63 - 1 points or tiles"));
    }

    std::int64_t cells() const
    {
        return cells_;
    }
    /* The indices of cell `number`. */
    indices cell(std::int64_t number) const
    {
        indices at{};
        for (std::size_t d = D; d-- > 0;) {
            at[d] = std::int64_t(std::uint64_t(number) % count_[d]);
            number = std::int64_t(std::uint64_t(number) / count_[d]);
        }
        return at;
    }
    /* Go on to the next cell; after the last cell, to the first. */
    void step(indices &at) const
    {
        for (std::size_t d = D; d-- > 0;) {
            if (std::uint64_t(++at[d]) < count_[d])
                return;
            at[d] = 0;
        }
    }
    /* The first point of a cell, and the end of the cell in each dimension. Unsigned arithmetic does not overflow. */
    indices first_of(const indices &at) const
    {
        indices first{};
        for (std::size_t d = 0; d < D; d++)
            first[d] = std::int64_t(std::uint64_t(begin_[d]) + std::uint64_t(at[d]) * std::uint64_t(size_[d]));
        return first;
    }
    indices end_of(const indices &at) const
    {
        indices end = first_of(at);
        for (std::size_t d = 0; d < D; d++)
            end[d] = distance(end[d], end_[d]) > std::uint64_t(size_[d]) ? end[d] + size_[d] : end_[d];
        return end;
    }

  private:
    indices begin_, end_, size_;
    std::array<std::uint64_t, D> count_; /* cells in each dimension */
    std::int64_t cells_ = 1;
};

} // namespace detail

} // namespace uat

#endif
