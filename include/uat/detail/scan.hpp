/* SPDX-License-Identifier: MIT */
/* Scans of elements. Included by uat/scan.hpp. */
#ifndef UAT_DETAIL_SCAN_HPP
#define UAT_DETAIL_SCAN_HPP

#include <cstddef>
#include <cstdint>

#include "uat/detail/loop.hpp"
#include "uat/detail/operand.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

enum class prefix { exclusive, inclusive };

/* Write the prefixes of elements [from, to). `value` is the value of all elements before them. Returns the value that
 * includes these elements. */
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
            value = as_value<U>(
                combine(value, as_value<U>(x[i]))); /* first read x[i], because written[i] may be the same element */
            written[i] = Kind == prefix::exclusive ? before : value;
        }
    }
    return value;
}

template <prefix Kind, class T, class U, class Combine>
U scan_all(span<const T> in, span<U> out, U init, Combine combine)
{
    must_travel<Combine>();
    auto add = [in, combine](std::int64_t from, std::int64_t to, partial<U> sum) mutable {
        auto first = [](std::size_t, const T &x) { return as_value<U>(x); };
        auto next = [&](const U &so_far, std::size_t, const T &x) {
            return as_value<U>(combine(so_far, as_value<U>(x)));
        };
        return fold_elements(std::size_t(from), std::size_t(to), sum, first, next, in);
    };
    auto write = [in, out, combine](std::int64_t from, std::int64_t to, U value) mutable {
        return write_prefixes<Kind>(in, out, std::size_t(from), std::size_t(to), value, combine);
    };
    return scan_ranges(0, std::int64_t(out.size()), init, add, combine, write, 1, out.data(), sizeof(U));
}

} // namespace detail

} // namespace uat

#endif
