/* SPDX-License-Identifier: MIT */
/* Prefix sums over spans of global memory in C++17, to be called inside a task. Included by uat.hpp. */
#ifndef UAT_SCAN_HPP
#define UAT_SCAN_HPP

#include <functional>
#include <type_traits>

#include "uat/detail/scan.hpp"
#include "uat/span.hpp"

namespace uat
{

/*
 * Inclusive prefix sum: set out[i] to combine(...combine(identity, in[0])..., in[i]). Exclusive prefix sum: set out[i]
 * to this value without in[i]. `combine` must be associative, and identity its neutral value. If the spans differ in
 * size, throws std::invalid_argument and does nothing else. The input must be the output itself or share no element
 * with it. Returns the sum of all elements.
 */
template <class T, class U, class Combine = std::plus<>>
U inclusive_scan(span<T> in, span<U> out, std::remove_cv_t<U> identity = {}, Combine combine = Combine())
{
    detail::must_be_writable<U>();
    detail::must_match("inclusive_scan", in.size(), out.size());
    return detail::scan_all<detail::prefix::inclusive, std::remove_cv_t<T>, U>(in, out, identity, combine);
}
template <class T, class U, class Combine = std::plus<>>
U exclusive_scan(span<T> in, span<U> out, std::remove_cv_t<U> identity = {}, Combine combine = Combine())
{
    detail::must_be_writable<U>();
    detail::must_match("exclusive_scan", in.size(), out.size());
    return detail::scan_all<detail::prefix::exclusive, std::remove_cv_t<T>, U>(in, out, identity, combine);
}

} // namespace uat

#endif
