/* SPDX-License-Identifier: MIT */
/* The neutral values of operations. Included by uat/loop.hpp, uat/reducer.hpp and uat/scan.hpp. */
#ifndef UAT_DETAIL_NEUTRAL_HPP
#define UAT_DETAIL_NEUTRAL_HPP

#include "uat/detail/standard.hpp"

#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace uat
{

namespace detail
{

/* of<T>() is the neutral value of an operation of std for values of type T. The operation itself may be declared for
 * another type, or for void. */
template <class Op> struct std_neutral : std::false_type {
};
template <class V> struct std_neutral<std::plus<V>> : std::true_type {
    template <class T> static T of()
    {
        return T();
    }
};
template <class V> struct std_neutral<std::bit_or<V>> : std_neutral<std::plus<V>> {
};
template <class V> struct std_neutral<std::bit_xor<V>> : std_neutral<std::plus<V>> {
};
template <class V> struct std_neutral<std::multiplies<V>> : std::true_type {
    template <class T> static T of()
    {
        return T(1);
    }
};
template <class V> struct std_neutral<std::bit_and<V>> : std::true_type {
    template <class T> static T of()
    {
        if constexpr (std::is_same<T, bool>::value)
            return true; /* compilers warn of ~ on a bool */
        else
            return static_cast<T>(~T());
    }
};
template <class V> struct std_neutral<std::logical_and<V>> : std::true_type {
    template <class T> static T of()
    {
        return T(true);
    }
};
template <class V> struct std_neutral<std::logical_or<V>> : std::true_type {
    template <class T> static T of()
    {
        return T(false);
    }
};

template <class Op, class = void> struct has_identity : std::false_type {
};
template <class Op> struct has_identity<Op, std::void_t<decltype(Op::identity())>> : std::true_type {
};

/* The compiler's message for an operation whose neutral value is unknown. */
template <class Op> struct must_have_identity {
    static_assert(has_identity<Op>::value || std_neutral<Op>::value,
                  "uat: the neutral value of this operation is unknown; add `static T identity() { return ...; }` to "
                  "its class, which returns the value e with op(e, x) == x == op(x, e), or pass an initial value if "
                  "the function takes one");
};

template <class T, class = void> struct has_equality : std::false_type {
};
template <class T>
struct has_equality<T, std::enable_if_t<std::is_convertible<
                           decltype(std::declval<const T &>() == std::declval<const T &>()), bool>::value>>
    : std::true_type {
};

/* Throws std::invalid_argument if `identity` cannot be the neutral value of `combine`. This test finds the initial
 * values of sums and products. It passes some other values of operations such as a minimum, where e + e = e. */
template <class T, class Combine> void must_be_neutral(const T &identity, Combine &combine)
{
    if constexpr (has_equality<T>::value)
        if (!(T(combine(identity, identity)) == identity))
            raise(std::invalid_argument("uat::parallel_reduce_ranges(): combine(identity, identity) is not identity; "
                                        "pass the neutral value, and combine an initial value with the result"));
}

/* The neutral value of Op for values of type T. */
template <class T, class Op> T neutral_of()
{
    must_have_identity<Op>();
    if constexpr (has_identity<Op>::value)
        return Op::identity();
    else if constexpr (std_neutral<Op>::value)
        return std_neutral<Op>::template of<T>();
    else
        __builtin_unreachable(); /* must_have_identity has refused Op */
}

} // namespace detail

} // namespace uat

#endif
