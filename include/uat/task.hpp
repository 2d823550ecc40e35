/* SPDX-License-Identifier: MIT */
/* Typed tasks in C++17: spawn, join, run. Included by uat.hpp, which has the rules. */
#ifndef UAT_TASK_HPP
#define UAT_TASK_HPP

#include <exception>
#include <type_traits>
#include <utility>

#include "uat.h"
#include "uat/detail/task.hpp"
#include "uat/error.hpp"

namespace uat
{

/*
 * A child, which the variable owns. join() waits for the child. It returns the child's result, or throws the exception
 * that the child has thrown: see task_error. If the child was not joined, the destructor joins it, and throws the
 * exception in the same way. Only the task that spawned the child may join it.
 *
 * The variable must stay in the frame in which it was made, and cannot be moved: a child that ends after its spawner
 * has begun to wait stores its result at the address that the spawn has told it.
 *
 * If an exception unwinds the variable, the destructor waits for the child and drops the child's exception, if any.
 * The worker, too, waits: the exception cannot migrate, so the task must not. So a child should not wait for an event
 * that this task would cause later: after the exception, no task would cause the event.
 */
template <class R> class [[nodiscard]] task
{
  public:
    template <class Call> explicit task(const Call &call)
    {
        if constexpr (std::is_void<R>::value) {
            UAT_SPAWN_TYPED(&task_, (detail::body<Call, R>), &call, sizeof(call), nullptr, 0);
        } else {
            detail::must_pass<R>();
            UAT_SPAWN_TYPED(&task_, (detail::body<Call, R>), &call, sizeof(call), value_.bytes, sizeof(value_.bytes));
        }
    }
    /* The child starts on the worker `rank`. */
    template <bool Travels, class Call> task(int rank, const detail::letter<Travels, Call> &call)
    {
        if constexpr (std::is_void<R>::value) {
            uat_spawn_on(&task_, rank, call.template body<R>, call.arg, call.size, nullptr, 0);
        } else {
            detail::must_pass<R>();
            uat_spawn_on(&task_, rank, call.template body<R>, call.arg, call.size, value_.bytes, sizeof(value_.bytes));
        }
    }
    /* This constructor exists for its message, which names the way. */
    task(task &&) noexcept
    {
        static_assert(sizeof(R *) == 0, "uat: a task stays in the frame in which it was made, so a container cannot "
                                        "hold it; for any number of children take a uat::task_group");
    }
    task(const task &) = delete;
    task &operator=(const task &) = delete;

    ~task() noexcept(false)
    {
        if (joined_)
            return;
        if (task_.record == 0) {
            UAT_PROFILE_JOINED(&task_);
            return;
        }
        if (std::uncaught_exceptions() == 0)
            detail::join_slowly(&task_);
        else
            uat_join_in_place(&task_);
    }

    /* Wait for the child and return its result. Call this only once. */
    R join()
    {
        joined_ = true;
        detail::join(&task_);
        if constexpr (!std::is_void<R>::value && !travels<R>::value) {
            detail::place<R> value(std::move(value_)); /* its end frees the result's object, also if get() throws */
            return value.get();
        } else if constexpr (!std::is_void<R>::value) {
            return value_.get();
        }
    }
    /* join() that leaves a packed result packed. */
    detail::place<R> join_packed()
    {
        joined_ = true;
        detail::join(&task_);
        return std::move(value_);
    }

  private:
    uat_task_t task_;
    bool joined_ = false;
    detail::place<R> value_;
};

/* Run f(args...) as a child task; meanwhile the rest of the caller may be stolen. See uat_spawn(), and uat/pack.hpp for
 * arguments and results that are not trivially copyable. */
template <class F, class... A> auto spawn(F f, A... args)
{
    detail::must_be_plain<F>();
    auto call = detail::bind(f, std::move(args)...);
    return task<decltype(call())>(call);
}

/* spawn() of a child that starts on the worker `rank`. See uat_spawn_on(). Packed arguments must have room on the
 * child's stack. */
template <class F, class... A> auto spawn_on(int rank, F f, A... args)
{
    detail::must_be_plain<F>();
    auto call = detail::bind(f, std::move(args)...);
    return task<decltype(call())>(rank, detail::letter<detail::travel<A...>, decltype(call)>(call));
}

/* Continue on the worker `rank`. See uat_migrate(). */
inline void migrate(int rank)
{
    uat_migrate(rank);
}

/*
 * The constructor starts the runtime, and the destructor ends it. Collective, and first in main(). The constructor
 * throws uat::error. While the object exists, an exception that is not caught ends the job with a message: rank, host
 * and what(). A handler that the program then sets by std::set_terminate() replaces uat's handler.
 */
class job
{
    /* The first member, so that it also handles exceptions of the constructor. */
    struct handler {
        std::terminate_handler before = std::set_terminate(terminated);
        ~handler()
        {
            std::set_terminate(before);
        }

        /* The handler of std::terminate() while there is a job. It writes one line. The C++ library's handler writes
         * several lines, which would mix with those of other workers. */
        [[noreturn]] static void terminated() noexcept
        {
#if UAT_EXCEPTIONS
            try {
                if (std::exception_ptr uncaught = std::current_exception())
                    std::rethrow_exception(uncaught);
            } catch (const error &) {
                uat_end_by_exception(nullptr, nullptr);
            } catch (const std::exception &e) {
                uat_end_by_exception("an exception was not caught", e.what());
            } catch (...) {
                uat_end_by_exception("an exception was not caught", "not a std::exception");
            }
#endif
            uat_end_by_exception("the program has ended itself", "std::terminate() was called");
        }
    } handler_;

  public:
    job()
    {
        int rc = uat_init();
        if (rc)
            detail::raise(error(-rc, "uat_init"));
        rc = uat_pack_globally(0) ? uat_global_open() : 0;
        if (rc)
            detail::raise(error(-rc, "uat_global_open"));
    }
    job(const job &) = delete;
    job &operator=(const job &) = delete;
    ~job()
    {
        finish();
    }

    /* Leave the job now, as the destructor would. Unlike the destructor, it returns the result of uat_finalize(). */
    int finish()
    {
        return std::exchange(running_, false) ? uat_finalize() : 0;
    }

  private:
    bool running_ = true;
};

/*
 * Run f(args...) as the root of a task tree. Collective; rank 0's function and arguments are used. Returns the result
 * on every rank. If the root throws an exception, run() throws it on every rank: see task_error. run() also throws
 * uat::error.
 */
template <class F, class... A> auto run(F f, A... args)
{
    detail::must_be_plain<F>();
    auto call = detail::bind(f, std::move(args)...);
    using R = decltype(call());
    detail::letter<detail::travel<A...>, decltype(call)> root(call);
    if constexpr (std::is_void<R>::value) {
        int rc = uat_run(root.template body<R>, root.arg, root.size, nullptr, 0);
        detail::finish_run(rc);
    } else {
        detail::must_pass<R>();
        detail::place<R> value;
        int rc = uat_run(root.template body<R>, root.arg, root.size, value.bytes, sizeof(value.bytes));
        detail::finish_run(rc);
        return detail::result_of_run(value);
    }
}

} // namespace uat

#endif
