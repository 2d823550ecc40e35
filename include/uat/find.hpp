/* SPDX-License-Identifier: MIT */
/* Searches that end early, over index ranges and over spans, in C++17. Included by uat.hpp. */
#ifndef UAT_FIND_HPP
#define UAT_FIND_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "uat/detail/find.hpp"
#include "uat/span.hpp"

namespace uat
{

/*
 * The first i of [begin, end) for which f(i) is true, or `end` if there is none: a loop that ends early. The result
 * does not depend on the number of workers. f is called for each i before the result, and for some of those after it;
 * see uat_find(). If f throws, and is not true for an earlier i, the search ends early, too, and throws the exception
 * that is the first in serial order: see task_error. Call it only inside a task.
 */
template <class F> std::int64_t parallel_find_if(std::int64_t begin, std::int64_t end, F f)
{
    detail::must_travel<F>();
    detail::must_take_index<F>();
    return detail::find_range(begin, end, [f](std::int64_t from, std::int64_t to) mutable {
        while (from < to && !f(std::as_const(from)))
            from++;
        return from;
    });
}

/*
 * The index of the first element for which f(element) is true. If there is none, returns the span's size. f must not
 * spawn, join or wait, because the elements are checked out. Otherwise as parallel_find_if().
 */
template <class T, class F> std::size_t find_if(span<T> s, F f)
{
    detail::must_travel<F>();
    return detail::find_element(span<const std::remove_cv_t<T>>(s), f);
}

/* Is f(element) true for any element, for all elements, for none? Of an empty span: false, true, true. They end early,
 * as find_if() does. */
template <class T, class F> bool any_of(span<T> s, F f)
{
    return uat::find_if(s, f) < s.size();
}
template <class T, class F> bool all_of(span<T> s, F f)
{
    detail::must_travel<F>();
    return uat::find_if(s, [f](const std::remove_cv_t<T> &x) mutable { return !f(x); }) == s.size();
}
template <class T, class F> bool none_of(span<T> s, F f)
{
    return uat::find_if(s, f) == s.size();
}

} // namespace uat

#endif
