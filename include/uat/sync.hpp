/* SPDX-License-Identifier: MIT */
/*
 * The objects of uat/sync.h in C++17, with the names of the C++ standard. The rules of uat/sync.h hold here, too.
 * Included by uat.hpp.
 *
 * Each class is a handle. The constructor makes the object. Copies of the handle name the same object, and may be
 * passed to tasks by value. The destructor does nothing. destroy() destroys the object. Call it only if no task waits
 * for the object or will use it again.
 *
 *     uat::mutex m;
 *     uat::parallel_for(0, n, [m, sum](std::int64_t i) {
 *         std::lock_guard lock(m);
 *         sum.store(sum.load() + i);
 *     });
 *     m.destroy();
 */
#ifndef UAT_SYNC_HPP
#define UAT_SYNC_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "uat/detail/task.hpp"
#include "uat/lock.hpp"
#include "uat/sync.h"

namespace uat
{

/* A value that is set once and read any number of times. T has at most UAT_RESULT_MAX bytes, here and in channels. A
 * future<void> is an event. */
template <class T> class future
{
    static_assert(sizeof(detail::must_travel<T>) > 0, "");

  public:
    future() : future_(uat_future_create(sizeof(T)))
    {
    }
    void set(const T &value) const
    {
        uat_future_set(future_, &value);
    }
    /* Waits until the future is set. */
    T get() const
    {
        detail::place<T> room;
        uat_future_get(future_, room.bytes);
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
        if (uat_future_get_for(future_, room.bytes, detail::nanoseconds(time)))
            return std::nullopt;
        return room.get();
    }
    void destroy() const
    {
        uat_future_destroy(future_);
    }

  private:
    uat_future_t future_;
};

/*
 * A channel: each value is received once, in the order of sending. It is also a range: a loop over it receives values
 * until the channel is closed and empty. A channel<void> carries signals without values.
 */
template <class T> class channel
{
    static_assert(sizeof(detail::must_travel<T>) > 0, "");

  public:
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T *;
        using reference = const T &;

        iterator() = default;
        explicit iterator(uat_channel_t channel) : channel_(channel), open_(true)
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
            open_ = uat_channel_receive(channel_, room.bytes) == 0;
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
        uat_channel_t channel_ = {};
        bool open_ = false;
        std::optional<T> value_;
    };

    /* capacity: number of values for which the channel has room; 0: a sender waits for its receiver. */
    explicit channel(std::size_t capacity = 0) : channel_(uat_channel_create(sizeof(T), capacity))
    {
    }
    /* The channel of this name: see uat_channel_named(). */
    static channel named(const char *name, std::size_t capacity = 0)
    {
        return channel(uat_channel_named(name, sizeof(T), capacity));
    }
    /* False if the channel is closed. */
    bool send(const T &value) const
    {
        return uat_channel_send(channel_, &value) == 0;
    }
    /* Returns std::nullopt if the channel is closed and empty. */
    std::optional<T> receive() const
    {
        detail::place<T> room;
        if (uat_channel_receive(channel_, room.bytes))
            return std::nullopt;
        return room.get();
    }
    /* try_send() and try_receive() do not wait. They return 0, -EAGAIN (no room, or no value), or -EPIPE. */
    int try_send(const T &value) const
    {
        return uat_channel_try_send(channel_, &value);
    }
    int try_receive(T &value) const
    {
        return uat_channel_try_receive(channel_, &value);
    }
    /* These wait for about this time at most, and return -ETIMEDOUT instead of -EAGAIN. */
    template <class Rep, class Period>
    int send_for(const T &value, const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_channel_send_for(channel_, &value, detail::nanoseconds(time));
    }
    template <class Rep, class Period> int receive_for(T &value, const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_channel_receive_for(channel_, &value, detail::nanoseconds(time));
    }
    /* Close the channel to further values. The values in it can still be received. */
    void close() const
    {
        uat_channel_close(channel_);
    }
    void destroy() const
    {
        uat_channel_destroy(channel_);
    }
    iterator begin() const
    {
        return iterator(channel_);
    }
    iterator end() const
    {
        return iterator();
    }
    /* For uat_select(). */
    uat_channel_t native_handle() const
    {
        return channel_;
    }

  private:
    explicit channel(uat_channel_t handle) : channel_(handle)
    {
    }

    uat_channel_t channel_;
};

class counting_semaphore
{
  public:
    explicit counting_semaphore(std::uint64_t count) : semaphore_(uat_semaphore_create(count))
    {
    }
    void acquire() const
    {
        uat_semaphore_acquire(semaphore_);
    }
    bool try_acquire() const
    {
        return uat_semaphore_try_acquire(semaphore_) == 0;
    }
    template <class Rep, class Period> bool try_acquire_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_semaphore_acquire_for(semaphore_, detail::nanoseconds(time)) == 0;
    }
    void release(std::uint64_t n = 1) const
    {
        uat_semaphore_release(semaphore_, n);
    }
    void destroy() const
    {
        uat_semaphore_destroy(semaphore_);
    }

  private:
    uat_semaphore_t semaphore_;
};

/* A latch opens, permanently, when it has been counted down to 0. */
class latch
{
  public:
    explicit latch(std::uint64_t count) : latch_(uat_latch_create(count))
    {
    }
    void count_down(std::uint64_t n = 1) const
    {
        uat_latch_count_down(latch_, n);
    }
    void wait() const
    {
        uat_latch_wait(latch_);
    }
    bool try_wait() const
    {
        return uat_latch_try_wait(latch_) == 0;
    }
    template <class Rep, class Period> bool wait_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_latch_wait_for(latch_, detail::nanoseconds(time)) == 0;
    }
    void arrive_and_wait(std::uint64_t n = 1) const
    {
        count_down(n);
        wait();
    }
    void destroy() const
    {
        uat_latch_destroy(latch_);
    }

  private:
    uat_latch_t latch_;
};

/* A reusable barrier of n tasks. */
class barrier
{
  public:
    explicit barrier(std::uint64_t n) : barrier_(uat_task_barrier_create(n))
    {
    }
    /* True in the task that arrived last. */
    bool arrive_and_wait() const
    {
        return uat_task_barrier_wait(barrier_) != 0;
    }
    void destroy() const
    {
        uat_task_barrier_destroy(barrier_);
    }

  private:
    uat_task_barrier_t barrier_;
};

} // namespace uat

#include "uat/detail/sync.hpp"

#endif
