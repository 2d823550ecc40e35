/* SPDX-License-Identifier: MIT */
/* The operations of reducers. Included by uat/reducer.hpp. */
#ifndef UAT_DETAIL_REDUCER_HPP
#define UAT_DETAIL_REDUCER_HPP

#include <functional>
#include <type_traits>

#include "uat/detail/task.hpp"
#include "uat/reducer.h"

namespace uat
{

namespace detail
{

template <class Op, class = void> struct has_identity : std::false_type {
};
template <class Op> struct has_identity<Op, std::void_t<decltype(Op::identity())>> : std::true_type {
};

template <class T, class Op> T identity_of()
{
    if constexpr (has_identity<Op>::value)
        return Op::identity();
    else if constexpr (std::is_same<Op, std::multiplies<T>>::value || std::is_same<Op, std::multiplies<void>>::value)
        return T(1);
    else
        return T();
}

template <class T, class Op> struct reducer_operations {
    static_assert(std::is_empty<Op>::value && std::is_default_constructible<Op>::value,
                  "uat: a reducer's operation is a class without members");
    static_assert(alignof(T) <= 16, "uat: a reducer's value is aligned to at most 16 bytes");
    static_assert(sizeof(must_travel<T>) > 0);

    static void combine(void *left, const void *right, const void *) noexcept
    {
        T sum = Op()(load<T>(left), load<T>(right));
        std::memcpy(left, &sum, sizeof(sum));
    }
    static inline const T identity = identity_of<T, Op>();
    static inline const uat_reduction value = {nullptr, combine, &identity, sizeof(T)};
};

} // namespace detail

} // namespace uat

#endif
