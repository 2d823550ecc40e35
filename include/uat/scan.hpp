/* SPDX-License-Identifier: MIT */
/* Prefix sums over spans of global memory in C++17, to be called inside a task. Included by uat.hpp. */
#ifndef UAT_SCAN_HPP
#define UAT_SCAN_HPP

#include <functional>
#include <type_traits>

#include "uat/detail/neutral.hpp"
#include "uat/detail/scan.hpp"
#include "uat/span.hpp"

namespace uat
{

/*
 * Inclusive prefix sum: set out[i] to combine(...combine(init, in[0])..., in[i]). Exclusive prefix sum: set out[i] to
 * this value without in[i]. init and `combine` are as for parallel_reduce(). If the spans differ in size, throws
 * std::invalid_argument and does nothing else. The input must be the output itself or share no element with it. Returns
 * the sum of init and all elements.
 *
 * Without init, the scan starts with the neutral value of `combine`, which uat must know: see uat::reducer.
 */
template <class T, class U, class Combine>
U inclusive_scan(span<T> in, span<U> out, std::remove_cv_t<U> init, Combine combine)
{
    detail::must_be_writable<U>();
    detail::must_match("inclusive_scan", in.size(), out.size());
    return detail::scan_all<detail::prefix::inclusive, std::remove_cv_t<T>, U>(in, out, init, combine);
}
template <class T, class U, class Combine>
U exclusive_scan(span<T> in, span<U> out, std::remove_cv_t<U> init, Combine combine)
{
    detail::must_be_writable<U>();
    detail::must_match("exclusive_scan", in.size(), out.size());
    return detail::scan_all<detail::prefix::exclusive, std::remove_cv_t<T>, U>(in, out, init, combine);
}
template <class T, class U, class X = std::plus<>> U inclusive_scan(span<T> in, span<U> out, X x = X())
{
    detail::must_be_writable<U>();
    if constexpr (std::is_invocable<X &, const U &, const U &>::value)
        return inclusive_scan(in, out, detail::neutral_of<U, X>(), x);
    else
        return inclusive_scan(in, out, std::remove_cv_t<U>(x), std::plus<>());
}
template <class T, class U, class X = std::plus<>> U exclusive_scan(span<T> in, span<U> out, X x = X())
{
    detail::must_be_writable<U>();
    if constexpr (std::is_invocable<X &, const U &, const U &>::value)
        return exclusive_scan(in, out, detail::neutral_of<U, X>(), x);
    else
        return exclusive_scan(in, out, std::remove_cv_t<U>(x), std::plus<>());
}

} // namespace uat

#endif
