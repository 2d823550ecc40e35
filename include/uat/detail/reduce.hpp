/* SPDX-License-Identifier: MIT */
/* Reductions of elements. Included by uat/reduce.hpp. */
#ifndef UAT_DETAIL_REDUCE_HPP
#define UAT_DETAIL_REDUCE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "uat/detail/operand.hpp"
#include "uat/loop.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

template <class R, class Combine, class F, class... T>
R reduce_all(std::size_t size, R identity, Combine combine, F f, span<const T>... in)
{
    must_travel<F>();
    must_travel<Combine>();
    auto range = [=](std::int64_t from, std::int64_t to, R value) mutable {
        auto add = [&](const R &sum, std::size_t, const T &...x) { return combine(sum, f(x...)); };
        return fold_elements(std::size_t(from), std::size_t(to), value, add, in...);
    };
    return parallel_reduce_ranges(0, std::int64_t(size), identity, combine, range);
}

/*
 * The index of the first best element: it is better than all elements before it and not worse than any after it. If the
 * span is empty, returns the span's size.
 */
template <class T, class Better> std::size_t best_element(span<const T> s, Better better)
{
    must_travel<Better>();
    const std::size_t none = s.size();
    auto choose = [s, better](std::size_t a, std::size_t b) mutable {
        return b < s.size() && (a == s.size() || better(s.get(b), s.get(a))) ? b : a;
    };
    auto range = [s, better](std::int64_t from, std::int64_t to, std::size_t best) mutable {
        place<T> copy; /* a copy of the best element so far, because the element itself may no longer be checked out */
        if (best < s.size())
            uat_global_get(copy.bytes, s.data() + best, sizeof(T));
        auto look = [&](std::size_t so_far, std::size_t i, const T &x) {
            if (so_far < s.size() && !better(x, copy.get()))
                return so_far;
            std::memcpy(copy.bytes, &x, sizeof(x));
            return i;
        };
        return fold_elements(std::size_t(from), std::size_t(to), best, look, s);
    };
    return parallel_reduce_ranges(0, std::int64_t(s.size()), none, choose, range);
}

} // namespace detail

} // namespace uat

#endif
