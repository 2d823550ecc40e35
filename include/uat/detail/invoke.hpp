/* SPDX-License-Identifier: MIT */
/* Functions called in parallel. Included by uat/invoke.hpp. */
#ifndef UAT_DETAIL_INVOKE_HPP
#define UAT_DETAIL_INVOKE_HPP

#include <tuple>
#include <type_traits>

#include "uat/task.hpp"

namespace uat
{

namespace detail
{

template <class First, class... Rest> auto invoke_all(First first, Rest... rest)
{
    if constexpr (sizeof...(Rest) == 0) {
        if constexpr (std::is_void<decltype(first())>::value)
            first();
        else
            return std::make_tuple(first());
    } else {
        auto task = spawn(first);
        if constexpr (std::is_void<decltype(first())>::value) {
            if (!contain([&] { invoke_all(rest...); }))
                join_and_throw(task);
            task.join();
        } else {
            auto results = [&] {
#if UAT_EXCEPTIONS
                try {
                    return invoke_all(rest...);
                } catch (...) {
                    note_failure();
                }
                join_and_throw(task);
#else
                return invoke_all(rest...);
#endif
            }();
            return std::tuple_cat(std::make_tuple(task.join()), results);
        }
    }
}

} // namespace detail

} // namespace uat

#endif
