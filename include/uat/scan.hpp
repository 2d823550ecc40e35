/* SPDX-License-Identifier: MIT */
/* Prefix sums over spans of global memory in C++17. Called inside a task. Included by uat.hpp. */
#ifndef UAT_SCAN_HPP
#define UAT_SCAN_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "uat/loop.hpp"
#include "uat/operand.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

enum class prefix { exclusive, inclusive };

/* Write the prefixes of elements from to to - 1, before which all have `value`. Returns the value with them. */
template <prefix Kind, class T, class U, class Combine>
U write_prefixes(span<const T> in, span<U> out, std::size_t from, std::size_t to, U value, Combine &combine)
{
    bool same = is_same_range(in, out);
    std::size_t most = window<T>() < window<U>() ? window<T>() : window<U>(), n;
    for (std::size_t at = from; at < to; at += n) {
        n = most < to - at ? most : to - at;
        checkout<U> written(out.data() + at, n, same ? UAT_READ_WRITE : UAT_WRITE);
        operand<T> x(in.subspan(at, n), same, as<T>(written.data()));
        for (std::size_t i = 0; i < n; i++) {
            U before = value;
            value = U(combine(value, x[i])); /* read before it may be overwritten */
            written[i] = Kind == prefix::exclusive ? before : value;
        }
    }
    return value;
}

template <prefix Kind, class T, class U, class Combine>
U scan_all(span<const T> in, span<U> out, U identity, Combine combine)
{
    must_travel<Combine>();
    auto add = [in, combine](std::int64_t from, std::int64_t to, U value) mutable {
        auto next = [&](const U &sum, std::size_t, const T &x) { return U(combine(sum, x)); };
        return fold_elements(std::size_t(from), std::size_t(to), value, next, in);
    };
    auto write = [in, out, combine](std::int64_t from, std::int64_t to, U value) mutable {
        return write_prefixes<Kind>(in, out, std::size_t(from), std::size_t(to), value, combine);
    };
    return scan_ranges(0, std::int64_t(out.size()), identity, add, combine, write, 1);
}

} // namespace detail

/*
 * Set out[i] to combine(...combine(identity, in[0])..., in[i]), or without in[i]: the inclusive and the exclusive
 * prefix sums. combine is associative, identity is neutral. Throws std::invalid_argument, and does nothing, unless the
 * spans have the same size. The input is the output itself or shares no element with it. Returns the sum of all.
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
