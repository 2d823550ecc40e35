/* SPDX-License-Identifier: MIT */
/* Futures and channels without values. Included by uat/sync.hpp. */
#ifndef UAT_DETAIL_SYNC_HPP
#define UAT_DETAIL_SYNC_HPP

#include <chrono>
#include <cstddef>

#include "uat/detail/standard.hpp"
#include "uat/lock.hpp"
#include "uat/sync.h"

namespace uat
{

template <class T> class future;
template <class T> class channel;

/* An event: a future without a value. */
template <> class future<void>
{
  public:
    future() : event_(uat_future_create(1))
    {
    }
    void set() const
    {
        uat_future_set(event_, "");
    }
    /* Waits until the future is set. */
    void get() const
    {
        char none;
        uat_future_get(event_, &none);
    }
    /* Is the future set? */
    bool try_get() const
    {
        char none;
        return uat_future_try_get(event_, &none) == 0;
    }
    /* Waits until the future is set, but for about this time at most. Returns whether it is set. */
    template <class Rep, class Period> bool get_for(const std::chrono::duration<Rep, Period> &time) const
    {
        char none;
        return uat_future_get_for(event_, &none, detail::nanoseconds(time)) == 0;
    }
    void destroy() const
    {
        uat_future_destroy(event_);
    }

  private:
    uat_future_t event_; /* its value of one byte has no meaning */
};

/* A channel of signals without values. The functions are those of a channel with values, except that there is no loop
 * over the signals: while (c.receive()). */
template <> class channel<void>
{
  public:
    explicit channel(std::size_t capacity = 0) : signals_(uat_channel_create(1, capacity))
    {
    }
    static channel named(const char *name, std::size_t capacity = 0)
    {
        return channel(uat_channel_named(name, 1, capacity));
    }
    /* False if the channel is closed. */
    bool send() const
    {
        return uat_channel_send(signals_, "") == 0;
    }
    /* False if the channel is closed and empty. */
    bool receive() const
    {
        char none;
        return uat_channel_receive(signals_, &none) == 0;
    }
    int try_send() const
    {
        return uat_channel_try_send(signals_, "");
    }
    int try_receive() const
    {
        char none;
        return uat_channel_try_receive(signals_, &none);
    }
    template <class Rep, class Period> int send_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_channel_send_for(signals_, "", detail::nanoseconds(time));
    }
    template <class Rep, class Period> int receive_for(const std::chrono::duration<Rep, Period> &time) const
    {
        char none;
        return uat_channel_receive_for(signals_, &none, detail::nanoseconds(time));
    }
    void close() const
    {
        uat_channel_close(signals_);
    }
    void destroy() const
    {
        uat_channel_destroy(signals_);
    }
    uat_channel_t native_handle() const
    {
        return signals_;
    }

  private:
    explicit channel(uat_channel_t signals) : signals_(signals)
    {
    }

    uat_channel_t signals_; /* of values of one byte without a meaning */
};

} // namespace uat

#endif
