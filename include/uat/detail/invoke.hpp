/* SPDX-License-Identifier: MIT */
/* Functions called in parallel. Included by uat/invoke.hpp. */
#ifndef UAT_DETAIL_INVOKE_HPP
#define UAT_DETAIL_INVOKE_HPP

#include <tuple>
#include <type_traits>
#include <utility>

#include "uat/task.hpp"

namespace uat
{

namespace detail
{

/* What parallel_invoke() keeps of a function's result while it joins the others, which may move it to another worker:
 * the value, or its packed form. */
template <class F> auto call_and_keep(F &f)
{
    using R = decltype(f());
    if constexpr (travels<R>::value) {
        return f();
    } else {
        must_pass<R>();
        place<R> kept;
        seal<R>(kept.bytes, f());
        return kept;
    }
}
template <class R> auto join_and_keep(task<R> &task)
{
    if constexpr (travels<R>::value)
        return task.join();
    else
        return task.join_packed();
}

/* The type of a result that was kept as K. */
template <class K> struct kept_type {
    using type = K;
    static const K &value(const K &kept)
    {
        return kept;
    }
};
template <class R> struct kept_type<place<R>> {
    using type = R;
    static R value(const place<R> &kept)
    {
        return kept.get();
    }
};
template <class... K> auto unpack_all(const std::tuple<K...> &kept)
{
    return std::apply(
        [](const K &...each) { return std::tuple<typename kept_type<K>::type...>{kept_type<K>::value(each)...}; },
        kept);
}

template <class First, class... Rest> auto invoke_all(First first, Rest... rest)
{
    if constexpr (sizeof...(Rest) == 0) {
        if constexpr (std::is_void<decltype(first())>::value)
            first();
        else
            return std::make_tuple(call_and_keep(first));
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
            return std::tuple_cat(std::make_tuple(join_and_keep(task)), std::move(results));
        }
    }
}

} // namespace detail

} // namespace uat

#endif
