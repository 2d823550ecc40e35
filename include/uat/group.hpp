/* SPDX-License-Identifier: MIT */
/* Task groups in C++17. Included by uat.hpp. */
#ifndef UAT_GROUP_HPP
#define UAT_GROUP_HPP

#include <exception>

#include "uat/detail/task.hpp"
#include "uat/sync.h"

namespace uat
{

/* A handle by which tasks cancel a group and ask whether it was cancelled: a value that travels. See
 * uat_group_cancellable(). */
class cancel_token
{
  public:
    explicit cancel_token(uat_cancel_t cancel) : cancel_(cancel)
    {
    }
    void cancel() const
    {
        uat_group_cancel(cancel_);
    }
    bool cancelled() const
    {
        return uat_cancelled(cancel_) != 0;
    }
    uat_cancel_t native_handle() const
    {
        return cancel_;
    }

  private:
    uat_cancel_t cancel_;
};

namespace detail
{

/* A task of a group: a call, and where its failure goes. */
template <class Call> struct group_call {
    Call call;
    uat_channel_t failures;
    uat_cancel_t cancel;

    void operator()()
    {
        if (!contain(call))
            leave();
    }
    [[gnu::cold, gnu::noinline]] void leave() const
    {
        uat_failure failure;
        uat_failure_take(&failure);
        uat_channel_try_send(failures, &failure); /* a later one finds no room, and is dropped */
        if (cancel.object != 0)
            uat_group_cancel(cancel);
    }
};

} // namespace detail

/*
 * Any number of tasks, spawned in a loop or along a list, with one wait for all. See uat_group_t. A group stays in the
 * frame in which it was made. Only the task of this frame runs tasks in the group and waits.
 *
 *     uat::task_group g;
 *     for (auto p = list; p; p = p.load().next)
 *         g.run([p] { visit(p); });
 *     g.wait();
 *
 * If tasks throw, wait() throws the exception that came first in time: see task_error. The group is then cancelled, if
 * it is cancellable. The destructor waits as wait() does. While an exception unwinds the group, the worker waits, too,
 * as for a handle, and exceptions of the group's tasks are dropped.
 */
class task_group
{
  public:
    task_group() : failures_(uat_channel_create(sizeof(uat_failure), 1))
    {
        uat_group_begin(&group_);
    }
    /* A group that is cancelled with the token's group, for the tasks of that group. */
    explicit task_group(cancel_token outer) : failures_(uat_channel_create(sizeof(uat_failure), 1))
    {
        uat_group_begin_in(&group_, outer.native_handle());
    }
    task_group(const task_group &) = delete;
    task_group &operator=(const task_group &) = delete;
    ~task_group() noexcept(false)
    {
        if (std::uncaught_exceptions() == 0) {
            uat_group_wait(&group_);
        } else if (group_.record != 0) {
            group_.task.record = group_.record;
            uat_join_in_place(&group_.task);
        }
        uat_failure failure;
        bool failed = uat_channel_try_receive(failures_, &failure) == 0;
        uat_channel_destroy(failures_);
        if (failed && std::uncaught_exceptions() == 0)
            detail::throw_failure(failure);
    }

    /* Make the group cancellable, before its first run(); wait() makes it an ordinary one again. */
    cancel_token cancellation()
    {
        return cancel_token(uat_group_cancellable(&group_));
    }
    /* Start no more tasks of this group, which must be cancellable. */
    void cancel() const
    {
        uat_group_cancel(group_.cancel);
    }

    /* Run f(args...) as a task of the group; its result is dropped. A cancelled group does nothing. */
    template <class F, class... A> void run(F f, A... args)
    {
        auto bound = detail::bind(f, args...);
        using Call = detail::group_call<decltype(bound)>;
        Call call{bound, failures_, group_.cancel};
        uat_group_spawn(&group_, detail::body<Call, void>, &call, sizeof(call));
    }

    /* Wait for all tasks. The group may be used again. */
    void wait()
    {
        uat_group_wait(&group_);
        uat_failure failure;
        if (uat_channel_try_receive(failures_, &failure) == 0)
            detail::throw_failure(failure);
    }

  private:
    uat_group_t group_;
    uat_channel_t failures_;
};

} // namespace uat

#endif
