/* SPDX-License-Identifier: MIT */
/*
 * Mutexes, conditions, shared mutexes, sleeps and calls that happen once, in C++17, with the names of the C++ standard.
 * The classes are handles, as those of uat/sync.hpp, which includes this header.
 *
 *     uat::shared_mutex m;
 *     uat::parallel_for(0, n, [m, table](std::int64_t i) {
 *         std::shared_lock lock(m);
 *         use(table[i].load());
 *     });
 *     m.destroy();
 */
#ifndef UAT_LOCK_HPP
#define UAT_LOCK_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "uat/detail/standard.hpp"
#include "uat/sync.h"

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

/* Mutual exclusion, for std::lock_guard and std::unique_lock. A const uat::mutex can be locked, too, because the copy
 * in a lambda is const. */
class mutex
{
  public:
    mutex() : mutex_(uat_mutex_create())
    {
    }
    /* A mutex that is biased to this worker: see uat_mutex_create_biased(). */
    explicit mutex(biased_t) : mutex_(uat_mutex_create_biased())
    {
    }
    /* A mutex that C code has made. */
    explicit mutex(uat_mutex_t handle) : mutex_(handle)
    {
    }
    /* The mutex of this name: see uat_mutex_named(). */
    static mutex named(const char *name)
    {
        return mutex(uat_mutex_named(name));
    }
    void lock() const
    {
        uat_mutex_lock(mutex_);
    }
    bool try_lock() const
    {
        return uat_mutex_try_lock(mutex_) == 0;
    }
    template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_mutex_lock_for(mutex_, detail::nanoseconds(time)) == 0;
    }
    void unlock() const
    {
        uat_mutex_unlock(mutex_);
    }
    void destroy() const
    {
        uat_mutex_destroy(mutex_);
    }
    uat_mutex_t native_handle() const
    {
        return mutex_;
    }

  private:
    uat_mutex_t mutex_;
};

/* No wake-up is spurious, but another task may have changed the condition before the woken task continues. */
class condition_variable
{
  public:
    condition_variable() : condition_(uat_condition_create())
    {
    }
    /* `lock` must hold a uat::mutex. */
    template <class Mutex> void wait(std::unique_lock<Mutex> &lock) const
    {
        uat_condition_wait(condition_, lock.mutex()->native_handle());
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
            if (uat_condition_wait_for(condition_, lock.mutex()->native_handle(), &limit))
                return holds();
        return true;
    }
    void notify_one() const
    {
        uat_condition_signal(condition_);
    }
    void notify_all() const
    {
        uat_condition_broadcast(condition_);
    }
    void destroy() const
    {
        uat_condition_destroy(condition_);
    }

  private:
    uat_condition_t condition_;
};

/* One writer, or any number of readers: for std::unique_lock and std::shared_lock. Not recursive. */
class shared_mutex
{
  public:
    shared_mutex() : mutex_(uat_shared_mutex_create())
    {
    }
    void lock() const
    {
        uat_shared_mutex_lock(mutex_);
    }
    bool try_lock() const
    {
        return uat_shared_mutex_try_lock(mutex_) == 0;
    }
    template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_shared_mutex_lock_for(mutex_, detail::nanoseconds(time)) == 0;
    }
    void unlock() const
    {
        uat_shared_mutex_unlock(mutex_);
    }
    void lock_shared() const
    {
        uat_shared_mutex_lock_shared(mutex_);
    }
    bool try_lock_shared() const
    {
        return uat_shared_mutex_try_lock_shared(mutex_) == 0;
    }
    template <class Rep, class Period> bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_shared_mutex_lock_shared_for(mutex_, detail::nanoseconds(time)) == 0;
    }
    void unlock_shared() const
    {
        uat_shared_mutex_unlock_shared(mutex_);
    }
    void destroy() const
    {
        uat_shared_mutex_destroy(mutex_);
    }
    uat_shared_mutex_t native_handle() const
    {
        return mutex_;
    }

  private:
    uat_shared_mutex_t mutex_;
};

/* Says whether uat::call_once() has called a function. */
class once_flag
{
  public:
    once_flag() : once_(uat_once_create())
    {
    }
    void destroy() const
    {
        uat_once_destroy(once_);
    }
    uat_once_t native_handle() const
    {
        return once_;
    }

  private:
    uat_once_t once_;
};

/* Call f(args...) if no call with this flag has returned yet. If f throws, the exception leaves this call, and the next
 * caller tries again. */
template <class F, class... Args> void call_once(const once_flag &flag, F &&f, Args &&...args)
{
    const uat_once_t once = flag.native_handle();
    const auto is_done = [once] {
        char none;
        return uat_future_try_get(once.done, &none) == 0;
    };
    if (is_done())
        return;
    const mutex m(once.mutex);
    const std::lock_guard lock(m);
    if (is_done())
        return;
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    uat_future_set(once.done, "");
}

} // namespace uat

#endif
