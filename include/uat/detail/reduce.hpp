/* SPDX-License-Identifier: MIT */
/* Reductions of elements. Included by uat/reduce.hpp. */
#ifndef UAT_DETAIL_REDUCE_HPP
#define UAT_DETAIL_REDUCE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "uat/detail/loop.hpp"
#include "uat/detail/operand.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

template <class R, class Combine, class F, class... T>
R reduce_all(std::size_t size, R init, Combine combine, F f, span<const T>... in)
{
    must_travel<R>();
    must_travel<F>();
    must_travel<Combine>();
    auto range = [=](std::int64_t from, std::int64_t to, partial<R> sum) mutable {
        auto first = [&](std::size_t, const T &...x) { return as_value<R>(f(x...)); };
        auto add = [&](const R &so_far, std::size_t, const T &...x) {
            return as_value<R>(combine(so_far, as_value<R>(f(x...))));
        };
        return fold_elements(std::size_t(from), std::size_t(to), sum, first, add, in...);
    };
    return start_with(init, combine, reduce_ranges<R>(0, std::int64_t(size), range, combine, 1));
}

/*
 * The index of the first best element: it is better than all elements before it and not worse than any after it. If the
 * span is empty, returns the span's size.
 */
template <class T, class Better> std::size_t best_element(span<const T> s, Better better)
{
    must_travel<Better>();
    auto choose = [s, better](std::size_t a, std::size_t b) mutable { return better(s.get(b), s.get(a)) ? b : a; };
    auto range = [s, better](std::int64_t from, std::int64_t to, partial<std::size_t> best) mutable {
        place<T> copy; /* a copy of the best element so far, because the element itself may no longer be checked out */
        if (best.any)
            uat_global_get(copy.bytes, s.data() + best.get(), sizeof(T));
        auto take = [&](std::size_t i, const T &x) {
            std::memcpy(copy.bytes, &x, sizeof(x));
            return i;
        };
        auto look = [&](std::size_t so_far, std::size_t i, const T &x) {
            return better(x, copy.get()) ? take(i, x) : so_far;
        };
        return fold_elements(std::size_t(from), std::size_t(to), best, take, look, s);
    };
    auto best = reduce_ranges<std::size_t>(0, std::int64_t(s.size()), range, choose, 1);
    return best.any ? best.get() : s.size();
}

} // namespace detail

} // namespace uat

#endif
