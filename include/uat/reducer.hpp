/* SPDX-License-Identifier: MIT */
/* Reducers in C++17. Included by uat.hpp. */
#ifndef UAT_REDUCER_HPP
#define UAT_REDUCER_HPP

#include <functional>
#include <type_traits>

#include "uat/detail/reducer.hpp"
#include "uat/reducer.h"

namespace uat
{

/*
 * A value that all tasks may add to: see uat/reducer.h, which gives the order in which views are combined.
 *
 *     static uat::reducer<long> hits;                    any task may use it
 *     uat::parallel_for(0, n, [](std::int64_t i) { *hits += is_hit(i); });
 *     long found = hits.take();
 *
 * A reducer is a static object, or a local variable of a task whose descendants get it by value, as a lambda captures
 * it. The task takes the value before the variable's life ends.
 *
 * T travels and is aligned to at most 16 bytes. Op is a class without members: Op()(a, b) is the sum of a and b. It is
 * associative and does not throw. The value of nothing is Op::identity() if there is such a function; else 1 for
 * std::multiplies, and else T().
 */
template <class T, class Op = std::plus<T>> class reducer
{
  public:
    reducer()
    {
        uat_reducer_begin(&reducer_, &detail::reducer_operations<T, Op>::value);
    }

    /* The running strand's view. Use it at once: see uat_reducer_view(). */
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

    /* The value, as uat_reducer_take(). The reducer is empty then. */
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
