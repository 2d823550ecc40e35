/* SPDX-License-Identifier: MIT */
/* Futures and channels without values. Included by uat/sync.hpp. */
#ifndef UAT_DETAIL_SYNC_HPP
#define UAT_DETAIL_SYNC_HPP

#include "../sync.hpp" /* needed if a program includes this header first */

namespace uat
{

/* An event: a future without a value. */
template <> class future<void>
{
  public:
    void set() const
    {
        event_.set(0);
    }
    /* Waits until the future is set. */
    void get() const
    {
        event_.get();
    }
    /* Is the future set? */
    bool try_get() const
    {
        return event_.try_get().has_value();
    }
    void destroy() const
    {
        event_.destroy();
    }

  private:
    future<char> event_;
};

/* A channel of signals without values. The functions are those of a channel with values, except that there is no loop
 * over the signals: while (c.receive()). */
template <> class channel<void>
{
  public:
    explicit channel(std::size_t capacity = 0) : signals_(capacity)
    {
    }
    static channel named(const char *name, std::size_t capacity = 0)
    {
        return channel(channel<char>::named(name, capacity));
    }
    /* False if the channel is closed. */
    bool send() const
    {
        return signals_.send(0);
    }
    /* False if the channel is closed and empty. */
    bool receive() const
    {
        return signals_.receive().has_value();
    }
    int try_send() const
    {
        return signals_.try_send(0);
    }
    int try_receive() const
    {
        char signal;
        return signals_.try_receive(signal);
    }
    void close() const
    {
        signals_.close();
    }
    void destroy() const
    {
        signals_.destroy();
    }
    uat_channel_t native_handle() const
    {
        return signals_.native_handle();
    }

  private:
    explicit channel(channel<char> signals) : signals_(signals)
    {
    }

    channel<char> signals_;
};

} // namespace uat

#endif
