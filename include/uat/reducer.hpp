/* SPDX-License-Identifier: MIT */
/* Reducers in C++17. Included by uat.hpp. */
#ifndef UAT_REDUCER_HPP
#define UAT_REDUCER_HPP

#include <functional>

#include "uat/detail/reducer.hpp"
#include "uat/reducer.h"

namespace uat
{

/*
 * A value to which all tasks may add. See uat/reducer.h for the order in which views are combined.
 *
 *     static uat::reducer<long> hits;                    any task may use it
 *     uat::parallel_for(0, n, [](std::int64_t i) { *hits += is_hit(i); });
 *     long found = hits.take();
 *
 * A reducer is a static object or a local variable of a task. The task's descendants get a local reducer by value, for
 * example in a lambda's captures. The task must take the value before the variable's lifetime ends.
 *
 * T must be a type that travels, aligned to at most 16 bytes. Op must be a class without members: Op()(a, b) is the sum
 * of a and b. It must be associative and must not throw. A view starts with the neutral value of Op. uat knows this
 * value for std::plus, multiplies, bit_and, bit_or, bit_xor, logical_and and logical_or. Any other Op must
 * have a static function that returns its neutral value, or the program does not compile:
 *
 *     struct least {
 *         static long identity() { return LONG_MAX; }
 *         long operator()(long a, long b) const { return a < b ? a : b; }
 *     };
 *     static uat::reducer<long, least> first;
 *
 * If T is a class and Op is an operation of std, the neutral value is made as that of a number would be: T() for
 * plus, bit_or and bit_xor, T(1) for multiplies, ~T() for bit_and, T(true) and T(false) for logical_and and logical_or.
 */
template <class T, class Op = std::plus<T>> class reducer
{
  public:
    reducer()
    {
        uat_reducer_begin(&reducer_, &detail::reducer_operations<T, Op>::value);
    }

    /* The running strand's view. The reference is valid only until the next spawn, join or wait: see
     * uat_reducer_view(). */
    T &view() const
    {
        return *static_cast<T *>(uat_reducer_view(&reducer_));
    }
    T &operator*() const
    {
        return view();
    }
    T *operator->() const
    {
        return &view();
    }

    /* Take the value, as uat_reducer_take() does. Afterwards the reducer is empty. */
    T take() const
    {
        detail::place<T> value;
        uat_reducer_take(&reducer_, value.bytes);
        return value.get();
    }

  private:
    uat_reducer_t reducer_;
};

} // namespace uat

#endif
