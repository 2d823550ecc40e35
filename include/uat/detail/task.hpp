/* SPDX-License-Identifier: MIT */
/* Bodies of tasks and their values. Included by uat/task.hpp. */
#ifndef UAT_DETAIL_TASK_HPP
#define UAT_DETAIL_TASK_HPP

#include <cstring>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "uat/detail/failure.hpp"
#include "uat/detail/must.hpp"

namespace uat
{

namespace detail
{

/* Room for a value of type T, even if T has no default constructor. */
template <class T> struct place {
    alignas(T) unsigned char bytes[sizeof(T)];

    T get() const
    {
        T value = *std::launder(reinterpret_cast<const T *>(bytes));
        return value;
    }
};

template <> struct place<void> {
};

/* The value at p, which need not be aligned for T. */
template <class T> T load(const void *p)
{
    place<T> room;
    std::memcpy(room.bytes, p, sizeof(T));
    return room.get();
}

/* The body of a task whose argument is a call without parameters. */
template <class Call, class R> void body(void *arg, void *result)
{
    Call call = load<Call>(arg); /* copied first, because arg may be in the spawner's frame */
    if constexpr (std::is_void<R>::value) {
        (void)result;
        contain(call);
    } else {
        contain([&] {
            R value = call();
            std::memcpy(result, &value, sizeof(value));
        });
    }
}

/* rc: the result of uat_run(). */
inline void finish_run(int rc)
{
    if (rc) {
        uat_failure_take(nullptr);
        raise(error(-rc, "uat::run"));
    }
    throw_if_failed();
}

/* A function with its arguments, as one value. The function gets the arguments as rvalues: a change to one of them
 * would be lost, so a parameter that is a reference to non-const must not compile. */
template <class F, class... A> auto bind(F f, A... args)
{
    must_travel<F>();
    (must_travel<A>(), ...);
    must_accept<F, A...>();
    return [f, args...]() mutable { return std::invoke(f, std::move(args)...); };
}

} // namespace detail

} // namespace uat

#endif
