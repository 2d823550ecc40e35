/* SPDX-License-Identifier: MIT */
/* Several functions in parallel, in C++17. Included by uat.hpp. */
#ifndef UAT_INVOKE_HPP
#define UAT_INVOKE_HPP

#include <type_traits>

#include "uat/detail/invoke.hpp"
#include "uat/task.hpp"

namespace uat
{

/*
 * Call the functions f in parallel, and return when all have ended. The calling task itself calls the last function,
 * because it is not worthwhile to steal a continuation that only joins. Returns the results as a std::tuple, or nothing
 * if the functions return void. If functions throw, parallel_invoke() throws the exception of the first of them in the
 * order of the arguments: see task_error. Call it only inside a task.
 *
 *     auto [least, most] = uat::parallel_invoke([s] { return smallest(s); }, [s] { return largest(s); });
 */
template <class... F> auto parallel_invoke(F... f)
{
    static_assert(sizeof...(F) > 0, "uat: parallel_invoke() needs functions to call");
    (detail::must_be_plain<F>(), ...);
    static_assert((std::is_void<decltype(f())>::value && ...) || (!std::is_void<decltype(f())>::value && ...),
                  "uat: the functions of a parallel_invoke() return a value each, or none of them does");
    if constexpr ((std::is_void<decltype(f())>::value && ...))
        detail::invoke_all(f...);
    else if constexpr (detail::travel<decltype(f())...>)
        return detail::invoke_all(f...);
    else
        return detail::unpack_all(detail::invoke_all(f...));
}

} // namespace uat

#endif
