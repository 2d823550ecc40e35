/* SPDX-License-Identifier: MIT */
/*
 * Mutexes, conditions, shared mutexes, sleeps and calls that happen once, in C++17, with the names of the C++ standard.
 * uat/sync.hpp, which includes this header, says who owns an object and how tasks get it.
 *
 *     uat::shared_mutex m;
 *     uat::parallel_for(0, n, [m = m.ref(), table](std::int64_t i) {
 *         std::shared_lock lock(m);
 *         use(table[i].load());
 *     });
 */
#ifndef UAT_LOCK_HPP
#define UAT_LOCK_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "uat/detail/owner.hpp"
#include "uat/limit.h"
#include "uat/lock.h"

namespace uat
{

namespace detail
{

/* A duration in nanoseconds, rounded up: 0 if it is negative, and the longest one if it is too long. */
template <class Rep, class Period> std::uint64_t nanoseconds(const std::chrono::duration<Rep, Period> &time)
{
    using longest = std::chrono::duration<long double, std::nano>;
    if (time <= time.zero())
        return 0;
    if (longest(time).count() >= static_cast<long double>(INT64_MAX))
        return UINT64_MAX;
    return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::nanoseconds>(time).count());
}

} // namespace detail

/* Sleep for at least this time: see uat_sleep_for(). */
template <class Rep, class Period> void sleep_for(const std::chrono::duration<Rep, Period> &time)
{
    uat_sleep_for(detail::nanoseconds(time));
}

/* The argument of a biased mutex: uat::mutex m(uat::biased). */
struct biased_t {
};
inline constexpr biased_t biased{};

/* Mutual exclusion, for std::lock_guard and std::unique_lock. A const mutex_ref can be locked, too, because the copy
 * in a lambda is const. */
class mutex_ref : public detail::sync_ref<uat_mutex_t, uat_mutex_destroy>
{
  public:
    using sync_ref::sync_ref;
    /* The mutex of this name: see uat_mutex_named(). */
    static mutex_ref named(const char *name)
    {
        return mutex_ref(uat_mutex_named(name));
    }
    void lock() const
    {
        uat_mutex_lock(handle_);
    }
    bool try_lock() const
    {
        return uat_mutex_try_lock(handle_) == 0;
    }
    template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_mutex_lock_for(handle_, detail::nanoseconds(time)) == 0;
    }
    void unlock() const
    {
        uat_mutex_unlock(handle_);
    }
};

class mutex : public detail::owner<mutex_ref>
{
  public:
    using owner::owner;
    mutex() : owner(mutex_ref(uat_mutex_create()))
    {
    }
    /* A mutex that is biased to this worker: see uat_mutex_create_biased(). */
    explicit mutex(biased_t) : owner(mutex_ref(uat_mutex_create_biased()))
    {
    }
};

/* No wake-up is spurious, but another task may have changed the condition before the woken task continues. */
class condition_variable_ref : public detail::sync_ref<uat_condition_t, uat_condition_destroy>
{
  public:
    using sync_ref::sync_ref;
    /* `lock` must hold a uat::mutex or a uat::mutex_ref. */
    template <class Mutex> void wait(std::unique_lock<Mutex> &lock) const
    {
        uat_condition_wait(handle_, lock.mutex()->native_handle());
    }
    template <class Mutex, class Holds> void wait(std::unique_lock<Mutex> &lock, Holds holds) const
    {
        while (!holds())
            wait(lock);
    }
    /* Wait until the condition holds, but for about this time at most: see uat_condition_wait_for(). Returns whether it
     * holds. */
    template <class Mutex, class Rep, class Period, class Holds>
    bool wait_for(std::unique_lock<Mutex> &lock, const std::chrono::duration<Rep, Period> &time, Holds holds) const
    {
        uat_limit_t limit = uat_limit_begin(detail::nanoseconds(time));
        while (!holds())
            if (uat_condition_wait_for(handle_, lock.mutex()->native_handle(), &limit))
                return holds();
        return true;
    }
    void notify_one() const
    {
        uat_condition_signal(handle_);
    }
    void notify_all() const
    {
        uat_condition_broadcast(handle_);
    }
};

class condition_variable : public detail::owner<condition_variable_ref>
{
  public:
    using owner::owner;
    condition_variable() : owner(condition_variable_ref(uat_condition_create()))
    {
    }
};

/* One writer, or any number of readers: for std::unique_lock and std::shared_lock. Not recursive. */
class shared_mutex_ref : public detail::sync_ref<uat_shared_mutex_t, uat_shared_mutex_destroy>
{
  public:
    using sync_ref::sync_ref;
    void lock() const
    {
        uat_shared_mutex_lock(handle_);
    }
    bool try_lock() const
    {
        return uat_shared_mutex_try_lock(handle_) == 0;
    }
    template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_shared_mutex_lock_for(handle_, detail::nanoseconds(time)) == 0;
    }
    void unlock() const
    {
        uat_shared_mutex_unlock(handle_);
    }
    void lock_shared() const
    {
        uat_shared_mutex_lock_shared(handle_);
    }
    bool try_lock_shared() const
    {
        return uat_shared_mutex_try_lock_shared(handle_) == 0;
    }
    template <class Rep, class Period> bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_shared_mutex_lock_shared_for(handle_, detail::nanoseconds(time)) == 0;
    }
    void unlock_shared() const
    {
        uat_shared_mutex_unlock_shared(handle_);
    }
};

class shared_mutex : public detail::owner<shared_mutex_ref>
{
  public:
    using owner::owner;
    shared_mutex() : owner(shared_mutex_ref(uat_shared_mutex_create()))
    {
    }
};

/* Says whether uat::call_once() has called a function. */
class once_flag_ref : public detail::sync_ref<uat_once_t, uat_once_destroy>
{
  public:
    using sync_ref::sync_ref;
};

class once_flag : public detail::owner<once_flag_ref>
{
  public:
    using owner::owner;
    once_flag() : owner(once_flag_ref(uat_once_create()))
    {
    }
};

/* Call f(args...) if no call with this flag has returned yet. If f throws, the exception leaves this call, and the next
 * caller tries again. */
template <class F, class... Args> void call_once(const once_flag_ref &flag, F &&f, Args &&...args)
{
    const uat_once_t once = flag.native_handle();
    if (once.done.object == 0)
        uat_object_refuse("uat::call_once");
    const auto is_done = [once] {
        char none;
        return uat_future_try_get(once.done, &none) == 0;
    };
    if (is_done())
        return;
    const mutex_ref m(once.mutex);
    const std::lock_guard lock(m);
    if (is_done())
        return;
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    uat_future_set(once.done, "");
}

} // namespace uat

#endif
