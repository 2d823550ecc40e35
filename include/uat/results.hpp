/* SPDX-License-Identifier: MIT */
/* Groups of tasks that keep their results, in C++17. Included by uat.hpp. */
#ifndef UAT_RESULTS_HPP
#define UAT_RESULTS_HPP

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>

#include "uat/detail/results.hpp"
#include "uat/task.hpp"

namespace uat
{

/*
 * Up to Max tasks, spawned in a loop, with one wait for all. Unlike a task_group, it keeps the tasks' results, in the
 * order of the calls of run().
 *
 *     uat::result_group<long, 10> g;
 *     for (long i = 0; i < 10; i++)
 *         g.run(leaves, i);
 *     for (long n : g.wait())
 *         sum += n;
 *
 * Handles and results are in the frame in which the group was made, and the group must stay there: it has about
 * 24 + sizeof(R) bytes for each of Max tasks, or 152 if R is packed (uat/pack.hpp). So Max should be the number of
 * children of a task, not of a large loop.
 * Only the task of this frame may run tasks in the group and wait.
 *
 * If tasks throw, wait() throws the exception of the first of them in serial order: see task_error. wait() joins the
 * youngest task first, so reducers keep the serial order. The destructor waits like wait(), if wait() was not called.
 * If an exception unwinds the group, the destructor waits in place, as the destructor of a uat::task does, and drops
 * the exceptions of the group's tasks.
 */
template <class R, std::size_t Max> class result_group
{
    static_assert(sizeof(detail::must_keep<R>) > 0);
    static_assert(sizeof(detail::must_pass<R>) > 0);
    static_assert(Max > 0, "uat: a result_group has room for at least one task");

  public:
    using iterator = typename detail::result_array<R, Max>::iterator;

    result_group() = default;
    result_group(const result_group &) = delete;
    result_group &operator=(const result_group &) = delete;
    ~result_group() noexcept(false)
    {
        if (waited_)
            return;
        if (std::uncaught_exceptions() == 0)
            detail::join_children(tasks_, size_);
        else
            detail::join_children_in_place(tasks_, size_);
    }

    /* Run f(args...) as a task of the group, and keep its result, converted to R. If the group has Max tasks already,
     * throws std::length_error and does nothing else. After wait(), the group is filled anew, from its first place. */
    template <class F, class... A> void run(F f, A... args)
    {
        auto call = detail::returning<R>(detail::bind(f, std::move(args)...));
        std::size_t i = take_place();
        UAT_SPAWN_TYPED(&tasks_[i], (detail::body<decltype(call), R>), &call, sizeof(call), values_.at(i),
                        values_.size);
    }
    /* run() of a task that starts on the worker `rank`. See uat_spawn_on(). */
    template <class F, class... A> void run_on(int rank, F f, A... args)
    {
        auto call = detail::returning<R>(detail::bind(f, std::move(args)...));
        std::size_t i = take_place();
        detail::letter<detail::travel<A...>, decltype(call)> sent(call);
        uat_spawn_on(&tasks_[i], rank, sent.template body<R>, sent.arg, sent.size, values_.at(i), values_.size);
    }

    /* Wait for all tasks. Returns the group, which is now a range of the results. They stay until the next run(). */
    const result_group &wait()
    {
        if (!waited_) {
            waited_ = true;
            detail::join_children(tasks_, size_);
        }
        return *this;
    }

    /* The number of tasks that were run since the group was made or filled anew. */
    std::size_t size() const
    {
        return size_;
    }
    /* The results, after wait(). If wait() has thrown an exception, they are undefined. If R is not trivially copyable,
     * each access makes a new R from the packed result. */
    iterator begin() const
    {
        return values_.begin();
    }
    iterator end() const
    {
        return begin() + size_;
    }
    decltype(auto) operator[](std::size_t i) const
    {
        return begin()[i];
    }

  private:
    std::size_t take_place()
    {
        if (waited_) {
            size_ = 0;
            values_.clear();
        }
        if (size_ == Max)
            detail::refuse_child(Max);
        waited_ = false;
        return size_++;
    }

    uat_task_t tasks_[Max];
    detail::result_array<R, Max> values_;
    std::size_t size_ = 0;
    bool waited_ = false; /* since the last run() */
};

} // namespace uat

#endif
