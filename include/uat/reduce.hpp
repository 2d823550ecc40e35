/* SPDX-License-Identifier: MIT */
/* Reductions over spans of global memory in C++17. Called inside a task. Included by uat.hpp. */
#ifndef UAT_REDUCE_HPP
#define UAT_REDUCE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "uat/loop.hpp"
#include "uat/operand.hpp"
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

} // namespace detail

/*
 * combine(...combine(identity, f(s[0]))..., f(s[n - 1])), or f(a[i], b[i]): in the order of the elements, with any
 * brackets. combine is associative, identity is neutral. Throws std::invalid_argument, and reads nothing, unless the
 * spans have the same size.
 */
template <class T, class R, class Combine, class F> R transform_reduce(span<T> s, R identity, Combine combine, F f)
{
    return detail::reduce_all(s.size(), identity, combine, f, span<const std::remove_cv_t<T>>(s));
}
template <class T1, class T2, class R, class Combine, class F>
R transform_reduce(span<T1> a, span<T2> b, R identity, Combine combine, F f)
{
    detail::must_match("transform_reduce", a.size(), b.size());
    return detail::reduce_all(a.size(), identity, combine, f, span<const std::remove_cv_t<T1>>(a),
                              span<const std::remove_cv_t<T2>>(b));
}

namespace detail
{

/*
 * The index of the first element that is better than all before it and not worse than any after it; the size if there
 * is none.
 */
template <class T, class Better> std::size_t best_element(span<const T> s, Better better)
{
    must_travel<Better>();
    const std::size_t none = s.size();
    auto choose = [s, better](std::size_t a, std::size_t b) mutable {
        return b < s.size() && (a == s.size() || better(s.get(b), s.get(a))) ? b : a;
    };
    auto range = [s, better](std::int64_t from, std::int64_t to, std::size_t best) mutable {
        place<T> copy; /* copy of the best element, which may not be checked out any more */
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

/*
 * The index of the least element by less, a strict weak order, or of the greatest; the first of several equal ones. The
 * size of the span if it is empty.
 */
template <class T, class Less = std::less<>> std::size_t min_element(span<T> s, Less less = Less())
{
    return detail::best_element(span<const std::remove_cv_t<T>>(s), less);
}
template <class T, class Less = std::less<>> std::size_t max_element(span<T> s, Less less = Less())
{
    auto greater = [less](const auto &a, const auto &b) mutable { return less(b, a); };
    return detail::best_element(span<const std::remove_cv_t<T>>(s), greater);
}

} // namespace uat

#endif
