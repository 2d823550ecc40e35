/* SPDX-License-Identifier: MIT */
/* Requirements on types. Each requirement is a class, so that the compiler reports a violation before any other
 * error. */
#ifndef UAT_DETAIL_MUST_HPP
#define UAT_DETAIL_MUST_HPP

#include "uat/detail/standard.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace uat
{

/*
 * May values of T be copied byte by byte to another process and be used there? By default this is true for trivially
 * copyable types, and for pairs, tuples and arrays of types that travel. A program may declare it for its own type if
 * the type contains no address of its process and its destructor need not run:
 *
 *     template <> struct uat::travels<interval> : std::true_type {};
 */
template <class T> struct travels : std::is_trivially_copyable<T> {
};
template <class A, class B> struct travels<std::pair<A, B>> : std::conjunction<travels<A>, travels<B>> {
};
template <class... T> struct travels<std::tuple<T...>> : std::conjunction<travels<T>...> {
};
template <class T, std::size_t N> struct travels<std::array<T, N>> : travels<T> {
};

namespace detail
{

/* The compiler's message for a type that cannot travel. */
template <class T> struct must_travel {
    static_assert(
        travels<T>::value,
        "uat: this type is not trivially copyable, so it cannot travel to another process; pass plain values, "
        "a pointer into global memory, or its ref(); or specialise uat::travels for it");
    static_assert(alignof(T) <= 64, "uat: a type that travels is aligned to at most 64 bytes");
};

/* The values of a reduction or a scan become values of one type. */
template <class X, class T> struct must_convert {
    static_assert(std::is_constructible<T, X>::value,
                  "uat: the values to combine, and the results of the combination, must convert to the type of the "
                  "initial value; results of a result_group's tasks must convert to its type");
};

/* The compiler's message for a function that cannot be called with copies of its arguments. */
template <class F, class... A> struct must_accept {
    static_assert(std::is_invocable<F &, A...>::value,
                  "uat: the function cannot be called with these arguments; a task gets copies of them, so a parameter "
                  "must not be a reference to non-const: take the value, and return the result or use global memory");
};

/* The compiler's message for a loop's body that wants to change the loop's index. */
template <class F, class... A> struct must_take_index {
    static_assert(
        std::is_invocable<F &, const std::int64_t &, A...>::value,
        "uat: the body of a loop is called with an index, which it cannot change: take a std::int64_t by value");
};

/* Elements of a const type cannot be written. */
template <class T> struct must_be_writable {
    static_assert(!std::is_const<T>::value,
                  "uat: elements of a span of const are only read; take a span of the type without const");
};

/* Types of words to which an atomic can add: numbers, and pointers to objects. */
template <class T> struct must_add {
    static_assert(std::is_arithmetic<T>::value ||
                      (std::is_pointer<T>::value && std::is_object<std::remove_pointer_t<T>>::value),
                  "uat: an atomic adds to numbers and to pointers to objects alone; use compare_exchange_strong()");
};

template <class T> struct must_be_ordered {
    static_assert(
        std::is_arithmetic<T>::value || std::is_pointer<T>::value,
        "uat: an atomic has a minimum and a maximum of numbers and pointers alone; use compare_exchange_strong()");
};

template <class T> struct must_have_bits {
    static_assert(std::is_integral<T>::value, "uat: an atomic has and, or and xor for integers alone");
};

template <class T> struct must_compare {
    static_assert(
        std::has_unique_object_representations<T>::value || std::is_floating_point<T>::value,
        "uat: compare_exchange compares 8 bytes; equal values of this type may differ in theirs, by padding or "
        "floating-point members; use an integer that holds the value");
};

} // namespace detail

} // namespace uat

#endif
