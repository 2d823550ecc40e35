/* SPDX-License-Identifier: MIT */
/*
 * The objects of uat/sync.h in C++17, with the names of the C++ standard. The rules of uat/sync.h hold here, too.
 * Included by uat.hpp.
 *
 * A variable of these classes owns its object, as a std::mutex does: the constructor makes the object, the destructor
 * destroys it, and a move hands it over. Tasks get a reference, by ref(): a value that names the object on every worker
 * and has all its functions. The variable must outlive the tasks that use a reference.
 *
 *     uat::mutex m;
 *     uat::parallel_for(0, n, [m = m.ref(), sum](std::int64_t i) {
 *         std::lock_guard lock(m);
 *         sum.store(sum.load() + i);
 *     });
 *
 * So declare the object before the uat::tasks and groups whose tasks use it: then these wait for the tasks first, also
 * if an exception unwinds all of them. Lambdas do not capture the object itself: by value it cannot be copied, and a
 * task on another worker cannot use a C++ reference to it.
 */
#ifndef UAT_SYNC_HPP
#define UAT_SYNC_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "uat/channel.h"
#include "uat/detail/owner.hpp"
#include "uat/detail/task.hpp"
#include "uat/lock.hpp"
#include "uat/semaphore.h"
#include "uat/sync.h"

namespace uat
{

/* A value that is set once and read any number of times. T has at most UAT_RESULT_MAX bytes, here and in channels. A
 * future<void> is an event. */
template <class T> class future_ref : public detail::sync_ref<uat_future_t, uat_future_destroy>
{
    static_assert(sizeof(detail::must_travel<T>) > 0, "");

  public:
    using sync_ref::sync_ref;
    void set(const T &value) const
    {
        uat_future_set(handle_, &value);
    }
    /* Waits until the future is set. */
    T get() const
    {
        detail::place<T> room;
        uat_future_get(handle_, room.bytes);
        return room.get();
    }
    /* Returns the value if the future is set; does not wait. */
    std::optional<T> try_get() const
    {
        return get_for(std::chrono::nanoseconds(0));
    }
    /* Waits until the future is set, but for about this time at most: see uat_future_get_for(). */
    template <class Rep, class Period> std::optional<T> get_for(const std::chrono::duration<Rep, Period> &time) const
    {
        detail::place<T> room;
        if (uat_future_get_for(handle_, room.bytes, detail::nanoseconds(time)))
            return std::nullopt;
        return room.get();
    }
};

template <class T> class future : public detail::owner<future_ref<T>>
{
  public:
    using detail::owner<future_ref<T>>::owner;
    future() : detail::owner<future_ref<T>>(future_ref<T>(uat_future_create(detail::size_of<T>)))
    {
    }
};

/*
 * A channel: each value is received once, in the order of sending. It is also a range: a loop over it receives values
 * until the channel is closed and empty. A channel<void> carries signals without values.
 */
template <class T> class channel_ref : public detail::sync_ref<uat_channel_t, uat_channel_destroy>
{
    static_assert(sizeof(detail::must_travel<T>) > 0, "");

  public:
    using sync_ref::sync_ref;
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T *;
        using reference = const T &;

        iterator() = default;
        explicit iterator(uat_channel_t channel) : handle_(channel), open_(true)
        {
            ++*this;
        }
        const T &operator*() const
        {
            return *value_;
        }
        const T *operator->() const
        {
            return &*value_;
        }
        iterator &operator++()
        {
            detail::place<T> room;
            open_ = uat_channel_receive(handle_, room.bytes) == 0;
            value_.reset();
            if (open_)
                value_.emplace(room.get());
            return *this;
        }
        void operator++(int)
        {
            ++*this;
        }
        bool operator==(const iterator &other) const
        {
            return open_ == other.open_;
        }
        bool operator!=(const iterator &other) const
        {
            return open_ != other.open_;
        }

      private:
        uat_channel_t handle_ = {};
        bool open_ = false;
        std::optional<T> value_;
    };

    /* The channel of this name: see uat_channel_named(). */
    static channel_ref named(const char *name, std::size_t capacity = 0)
    {
        return channel_ref(uat_channel_named(name, sizeof(T), capacity));
    }
    /* False if the channel is closed. */
    bool send(const T &value) const
    {
        return uat_channel_send(handle_, &value) == 0;
    }
    /* Returns std::nullopt if the channel is closed and empty. */
    std::optional<T> receive() const
    {
        detail::place<T> room;
        if (uat_channel_receive(handle_, room.bytes))
            return std::nullopt;
        return room.get();
    }
    /* try_send() and try_receive() do not wait. They return 0, -EAGAIN (no room, or no value), or -EPIPE. */
    int try_send(const T &value) const
    {
        return uat_channel_try_send(handle_, &value);
    }
    int try_receive(T &value) const
    {
        return uat_channel_try_receive(handle_, &value);
    }
    /* These wait for about this time at most, and return -ETIMEDOUT instead of -EAGAIN. */
    template <class Rep, class Period>
    int send_for(const T &value, const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_channel_send_for(handle_, &value, detail::nanoseconds(time));
    }
    template <class Rep, class Period> int receive_for(T &value, const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_channel_receive_for(handle_, &value, detail::nanoseconds(time));
    }
    /* Close the channel to further values. The values in it can still be received. */
    void close() const
    {
        uat_channel_close(handle_);
    }
    iterator begin() const
    {
        return iterator(handle_);
    }
    iterator end() const
    {
        return iterator();
    }
};

template <class T> class channel : public detail::owner<channel_ref<T>>
{
  public:
    using detail::owner<channel_ref<T>>::owner;
    /* capacity: number of values for which the channel has room; 0: a sender waits for its receiver. */
    explicit channel(std::size_t capacity = 0)
        : detail::owner<channel_ref<T>>(channel_ref<T>(uat_channel_create(detail::size_of<T>, capacity)))
    {
    }
};

class counting_semaphore_ref : public detail::sync_ref<uat_semaphore_t, uat_semaphore_destroy>
{
  public:
    using sync_ref::sync_ref;
    void acquire() const
    {
        uat_semaphore_acquire(handle_);
    }
    bool try_acquire() const
    {
        return uat_semaphore_try_acquire(handle_) == 0;
    }
    template <class Rep, class Period> bool try_acquire_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_semaphore_acquire_for(handle_, detail::nanoseconds(time)) == 0;
    }
    void release(std::uint64_t n = 1) const
    {
        uat_semaphore_release(handle_, n);
    }
};

class counting_semaphore : public detail::owner<counting_semaphore_ref>
{
  public:
    using owner::owner;
    explicit counting_semaphore(std::uint64_t count) : owner(counting_semaphore_ref(uat_semaphore_create(count)))
    {
    }
};

/* A latch opens, permanently, when it has been counted down to 0. */
class latch_ref : public detail::sync_ref<uat_latch_t, uat_latch_destroy>
{
  public:
    using sync_ref::sync_ref;
    void count_down(std::uint64_t n = 1) const
    {
        uat_latch_count_down(handle_, n);
    }
    void wait() const
    {
        uat_latch_wait(handle_);
    }
    bool try_wait() const
    {
        return uat_latch_try_wait(handle_) == 0;
    }
    template <class Rep, class Period> bool wait_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_latch_wait_for(handle_, detail::nanoseconds(time)) == 0;
    }
    void arrive_and_wait(std::uint64_t n = 1) const
    {
        count_down(n);
        wait();
    }
};

class latch : public detail::owner<latch_ref>
{
  public:
    using owner::owner;
    explicit latch(std::uint64_t count) : owner(latch_ref(uat_latch_create(count)))
    {
    }
};

/* A reusable barrier of n tasks. */
class barrier_ref : public detail::sync_ref<uat_task_barrier_t, uat_task_barrier_destroy>
{
  public:
    using sync_ref::sync_ref;
    /* True in the task that arrived last. */
    bool arrive_and_wait() const
    {
        return uat_task_barrier_wait(handle_) != 0;
    }
};

class barrier : public detail::owner<barrier_ref>
{
  public:
    using owner::owner;
    explicit barrier(std::uint64_t n) : owner(barrier_ref(uat_task_barrier_create(n)))
    {
    }
};

} // namespace uat

#include "uat/detail/sync.hpp"

#endif
