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

/* `home` is the first of the spans `in`. The iterations start where its elements are. */
template <class R, class Combine, class F, class Home, class... T>
R reduce_all(span<Home> home, R init, Combine combine, F f, span<const T>... in)
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
    return start_with(init, combine, reduce_near<R>(home.size(), home.data(), sizeof(Home), range, combine));
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
    auto best = reduce_near<std::size_t>(s.size(), s.data(), sizeof(T), range, choose);
    return best.any ? best.get() : s.size();
}

} // namespace detail

} // namespace uat

#endif
