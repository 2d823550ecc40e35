/* SPDX-License-Identifier: MIT */
/* Reductions over spans of global memory in C++17, to be called inside a task. Included by uat.hpp. */
#ifndef UAT_REDUCE_HPP
#define UAT_REDUCE_HPP

#include <cstddef>
#include <functional>
#include <type_traits>

#include "uat/detail/reduce.hpp"
#include "uat/span.hpp"

namespace uat
{

/*
 * combine(...combine(init, f(s[0]))..., f(s[n - 1])), or init if the span is empty; with two spans, f(a[i], b[i]) takes
 * the place of f(s[i]). init and `combine` are as for parallel_reduce(). If the spans differ in size, throws
 * std::invalid_argument and reads no element.
 */
template <class T, class R, class Combine, class F> R transform_reduce(span<T> s, R init, Combine combine, F f)
{
    return detail::reduce_all(s, init, combine, f, span<const std::remove_cv_t<T>>(s));
}
template <class T1, class T2, class R, class Combine, class F>
R transform_reduce(span<T1> a, span<T2> b, R init, Combine combine, F f)
{
    detail::must_match("transform_reduce", a.size(), b.size());
    return detail::reduce_all(a, init, combine, f, span<const std::remove_cv_t<T1>>(a),
                              span<const std::remove_cv_t<T2>>(b));
}

/*
 * The index of the least or the greatest element by `less`, a strict weak order. If several such elements are equal,
 * returns the index of the first of them. If the span is empty, returns its size.
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
