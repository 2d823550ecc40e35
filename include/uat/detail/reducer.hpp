/* SPDX-License-Identifier: MIT */
/* The operations of reducers. Included by uat/reducer.hpp. */
#ifndef UAT_DETAIL_REDUCER_HPP
#define UAT_DETAIL_REDUCER_HPP

#include <type_traits>

#include "uat/detail/neutral.hpp"
#include "uat/detail/task.hpp"
#include "uat/reducer.h"

namespace uat
{

namespace detail
{

template <class T, class Op> struct reducer_operations {
    static_assert(std::is_empty<Op>::value && std::is_default_constructible<Op>::value,
                  "uat: a reducer's operation is a class without members");
    static_assert(sizeof(must_have_identity<Op>) > 0);
    static_assert(alignof(T) <= 16, "uat: a reducer's value is aligned to at most 16 bytes");
    static_assert(sizeof(must_travel<T>) > 0);

    static void combine(void *left, const void *right, const void *) noexcept
    {
        T sum = static_cast<T>(Op()(load<T>(left), load<T>(right)));
        std::memcpy(left, &sum, sizeof(sum));
    }
    static inline const T identity = neutral_of<T, Op>();
    static inline const uat_reduction value = {nullptr, combine, &identity, sizeof(T)};
};

} // namespace detail

} // namespace uat

#endif
