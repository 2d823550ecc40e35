/* SPDX-License-Identifier: MIT */
/* Task groups in C++17. Included by uat.hpp. */
#ifndef UAT_GROUP_HPP
#define UAT_GROUP_HPP

#include "uat/detail/task.hpp"
#include "uat/reducer.h"

namespace uat
{

/* A handle with which tasks cancel a group and check whether it was cancelled. It may travel to other workers. See
 * uat_group_make_cancellable(). */
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

/*
 * The first failure, in serial order, of a group's tasks. It is the value of a reducer. Only failed tasks make a view
 * of this reducer. An empty type name means that no task has failed.
 */
struct first_failure {
    static void combine(void *left, const void *right, const void *) noexcept
    {
        uat_failure *first = static_cast<uat_failure *>(left);
        if (!first->type[0])
            *first = *static_cast<const uat_failure *>(right);
    }
    static inline const uat_failure none = {};
    static inline const uat_reduction operations = {nullptr, combine, &none, sizeof(uat_failure)};
};

/* A task of a group: a call, and the reducer to which its failure is added. */
template <class Call> struct group_call {
    Call call;
    uat_reducer_t first;
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
        first_failure::combine(uat_reducer_view(&first), &failure, nullptr);
        if (cancel.object != 0)
            uat_group_cancel(cancel);
    }
};

} // namespace detail

/*
 * Any number of tasks, spawned in a loop or along a list, with one wait for all. See uat_group_t. A group must stay in
 * the frame in which it was made. Only the task of this frame may run tasks in the group and wait.
 *
 *     uat::task_group g;
 *     for (auto p = list; p; p = p.load().next)
 *         g.run([p] { visit(p); });
 *     g.wait();
 *
 * If tasks throw, wait() throws the exception of the first of them in serial order: see task_error. When a task throws,
 * a cancellable group is cancelled; tasks that have not started by then do not count as failed. The destructor waits
 * like wait(). If an exception unwinds the group, the destructor waits in place, as the destructor of a uat::task does,
 * and drops the exceptions of the group's tasks.
 */
class task_group
{
  public:
    task_group()
    {
        uat_group_begin(&group_);
        uat_reducer_begin(&first_, &detail::first_failure::operations);
    }
    /* Make a group in a task of the token's group. The new group is cancelled when the token's group is cancelled. */
    explicit task_group(cancel_token outer)
    {
        uat_group_begin_in(&group_, outer.native_handle());
        uat_reducer_begin(&first_, &detail::first_failure::operations);
    }
    task_group(const task_group &) = delete;
    task_group &operator=(const task_group &) = delete;
    ~task_group() noexcept(false)
    {
        if (std::uncaught_exceptions() > 0 && group_.record != 0) {
            group_.task.record = group_.record;
            uat_join_in_place(UAT_GROUP_TASK(&group_));
        }
        uat_group_wait(&group_); /* while an exception unwinds the stack, this call only ends the cancellation */
        if (!uat_reducer_is_empty(&first_))
            end_failed(std::uncaught_exceptions() == 0);
    }

    /* Make the group cancellable. Call it before the first run(). After wait() the group is no longer cancellable. */
    cancel_token cancellation()
    {
        return cancel_token(uat_group_make_cancellable(&group_));
    }
    /* Start no more tasks of this group. The group must be cancellable. */
    void cancel() const
    {
        uat_group_cancel(group_.cancel);
    }

    /* Run f(args...) as a task of the group; its result is dropped. Does nothing if the group is cancelled. */
    template <class F, class... A> void run(F f, A... args)
    {
        auto call = in_group(detail::bind(f, std::move(args)...));
        uat_group_spawn_typed(&group_, detail::body<decltype(call), void>, &call, sizeof(call));
    }
    /* run() of a task that starts on the worker `rank`. See uat_group_spawn_on(). */
    template <class F, class... A> void run_on(int rank, F f, A... args)
    {
        auto call = in_group(detail::bind(f, std::move(args)...));
        detail::letter<detail::travel<A...>, decltype(call)> sent(call);
        uat_group_spawn_on(&group_, rank, sent.template body<void>, sent.arg, sent.size);
    }

    /* Wait for all tasks. The group may be used again. */
    void wait()
    {
        uat_group_wait(&group_);
        if (!uat_reducer_is_empty(&first_))
            end_failed(true);
    }

  private:
    template <class Call> auto in_group(const Call &call) const
    {
        return detail::group_call<Call>{call, first_, group_.cancel};
    }

    uat_group_t group_;
    uat_reducer_t first_;

    [[gnu::cold, gnu::noinline]] void end_failed(bool throws) const
    {
        uat_failure failure;
        uat_reducer_take(&first_, &failure);
        if (throws)
            detail::throw_failure(failure);
    }
};

} // namespace uat

#endif
