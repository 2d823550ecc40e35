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
            invoke_all(rest...);
            task.join();
        } else {
            auto results = invoke_all(rest...);
            return std::tuple_cat(std::make_tuple(task.join()), results);
        }
    }
}

} // namespace detail

} // namespace uat

#endif
