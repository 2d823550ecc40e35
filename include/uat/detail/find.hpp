/* SPDX-License-Identifier: MIT */
/* Searches. Included by uat/find.hpp. */
#ifndef UAT_DETAIL_FIND_HPP
#define UAT_DETAIL_FIND_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "uat/detail/operand.hpp"
#include "uat/detail/task.hpp"
#include "uat/pattern.h"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

/* uat_find() whose body is f(begin, end). */
template <class F> std::int64_t find_range(std::int64_t begin, std::int64_t end, F f)
{
    std::int64_t found = uat_find(
        begin, end,
        [](std::int64_t from, std::int64_t to, const void *arg) {
            F g = load<F>(arg);
            std::int64_t first = to;
            contain([&] { first = g(from, to); });
            return first;
        },
        &f, sizeof(f));
    throw_if_failed();
    return found;
}

/* A separate function, for the reason that fold_window() gives. */
template <class T, class F> __attribute__((noinline)) std::size_t find_in_window(const T *x, std::size_t n, F &f)
{
    std::size_t i = 0;
    while (i < n && !f(x[i]))
        i++;
    return i;
}

template <class T, class F> std::size_t find_element(span<const T> s, F f)
{
    auto range = [s, f](std::int64_t from, std::int64_t to) mutable {
        std::size_t at = std::size_t(from), end = std::size_t(to), n, found;
        for (; at < end; at += n) {
            n = window<T>() < end - at ? window<T>() : end - at;
            operand<T> x(s.subspan(at, n), false, nullptr);
            found = find_in_window(x.data(), n, f);
            if (found < n)
                return std::int64_t(at + found);
        }
        return to;
    };
    return std::size_t(find_range(0, std::int64_t(s.size()), range));
}

} // namespace detail

} // namespace uat

#endif
