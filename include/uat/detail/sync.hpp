/* SPDX-License-Identifier: MIT */
/* Futures and channels without values. Included by uat/sync.hpp. */
#ifndef UAT_DETAIL_SYNC_HPP
#define UAT_DETAIL_SYNC_HPP

#include <chrono>
#include <cstddef>

#include "uat/channel.h"
#include "uat/detail/owner.hpp"
#include "uat/detail/standard.hpp"
#include "uat/lock.hpp"
#include "uat/sync.h"

namespace uat
{

template <class T> class future_ref;
template <class T> class channel_ref;

/* An event: a future without a value. */
template <> class future_ref<void> : public detail::sync_ref<uat_future_t, uat_future_destroy>
{
  public:
    using sync_ref::sync_ref;
    void set() const
    {
        uat_future_set(handle_, "");
    }
    /* Waits until the future is set. */
    void get() const
    {
        char none;
        uat_future_get(handle_, &none);
    }
    /* Is the future set? */
    bool try_get() const
    {
        char none;
        return uat_future_try_get(handle_, &none) == 0;
    }
    /* Waits until the future is set, but for about this time at most. Returns whether it is set. */
    template <class Rep, class Period> bool get_for(const std::chrono::duration<Rep, Period> &time) const
    {
        char none;
        return uat_future_get_for(handle_, &none, detail::nanoseconds(time)) == 0;
    }
};

/* A channel of signals without values. The functions are those of a channel with values, except that there is no loop
 * over the signals: while (c.receive()). */
template <> class channel_ref<void> : public detail::sync_ref<uat_channel_t, uat_channel_destroy>
{
  public:
    using sync_ref::sync_ref;
    static channel_ref named(const char *name, std::size_t capacity = 0)
    {
        return channel_ref(uat_channel_named(name, 1, capacity));
    }
    /* False if the channel is closed. */
    bool send() const
    {
        return uat_channel_send(handle_, "") == 0;
    }
    /* False if the channel is closed and empty. */
    bool receive() const
    {
        char none;
        return uat_channel_receive(handle_, &none) == 0;
    }
    int try_send() const
    {
        return uat_channel_try_send(handle_, "");
    }
    int try_receive() const
    {
        char none;
        return uat_channel_try_receive(handle_, &none);
    }
    template <class Rep, class Period> int send_for(const std::chrono::duration<Rep, Period> &time) const
    {
        return uat_channel_send_for(handle_, "", detail::nanoseconds(time));
    }
    template <class Rep, class Period> int receive_for(const std::chrono::duration<Rep, Period> &time) const
    {
        char none;
        return uat_channel_receive_for(handle_, &none, detail::nanoseconds(time));
    }
    void close() const
    {
        uat_channel_close(handle_);
    }
};

} // namespace uat

#endif
