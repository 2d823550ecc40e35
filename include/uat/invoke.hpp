/* SPDX-License-Identifier: MIT */
/* Several functions in parallel, in C++17. Included by uat.hpp. */
#ifndef UAT_INVOKE_HPP
#define UAT_INVOKE_HPP

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

/*
 * Call f() of each f in parallel, and return when all have ended. The last one is called by this task: a continuation
 * that has only to join is not worth a steal. Returns the results as a std::tuple; nothing if the functions return
 * nothing. Inside a task.
 *
 *     auto [least, most] = uat::parallel_invoke([s] { return smallest(s); }, [s] { return largest(s); });
 */
template <class... F> auto parallel_invoke(F... f)
{
    static_assert(sizeof...(F) > 0, "uat: parallel_invoke() needs functions to call");
    (detail::must_travel<F>(), ...);
    static_assert((std::is_void<decltype(f())>::value && ...) || (!std::is_void<decltype(f())>::value && ...),
                  "uat: the functions of a parallel_invoke() return a value each, or none of them does");
    return detail::invoke_all(f...);
}

} // namespace uat

#endif
