/* SPDX-License-Identifier: MIT */
/* Loops over the blocks of spans. Included by uat/algorithm.hpp. */
#ifndef UAT_DETAIL_ALGORITHM_HPP
#define UAT_DETAIL_ALGORITHM_HPP

#include <cstddef>
#include <type_traits>

#include "uat/detail/operand.hpp"
#include "uat/detail/quicksort.hpp"
#include "uat/pattern.h"
#include "uat/span.hpp"

namespace uat
{

template <class T> class block;

namespace detail
{

template <class T, class F> void each_block(span<T> s, uat_access access, F f)
{
    must_travel<F>();
    uat_for_each_block(
        const_cast<std::remove_cv_t<T> *>(s.data()), s.size(), sizeof(T), access,
        [](void *elements, std::size_t first, std::size_t count, const void *arg) {
            F g = load<F>(arg);
            contain([&] { g(block<T>(static_cast<T *>(elements), first, count)); });
        },
        &f, sizeof(f));
    throw_if_failed();
}

template <class U, class F, class... T> void transform_all(span<U> out, F f, span<const T>... in)
{
    must_be_writable<U>();
    bool any = (is_same_range(in, out) || ...);
    each_block(out, any ? UAT_READ_WRITE : UAT_WRITE, [=](block<U> b) {
        std::size_t most = b.size(), n;
        ((most = window<T>() < most ? window<T>() : most), ...);
        for (std::size_t at = 0; at < b.size(); at += n) {
            n = most < b.size() - at ? most : b.size() - at;
            U *to = b.begin() + at;
            auto apply = [&](const operand<T> &...x) {
                for (std::size_t i = 0; i < n; i++)
                    to[i] = f(x[i]...);
            };
            apply(operand<T>(in.subspan(b.first() + at, n), is_same_range(in, out), as<T>(to))...);
        }
    });
}

} // namespace detail

} // namespace uat

#endif
