/* SPDX-License-Identifier: MIT */
/* Data-flow tasks in C++17: uat/dataflow.h describes them. Included by uat.hpp. */
#ifndef UAT_DATAFLOW_HPP
#define UAT_DATAFLOW_HPP

#include <cstddef>

#include "uat/dataflow.h"
#include "uat/detail/dataflow.hpp"

namespace uat
{

/*
 * The types of the parameters of a data-flow task's body. Each parameter is a datum in global memory, checked out while
 * the body runs. spawn() takes the datum's address, as a T *.
 *
 *     f.spawn([](uat::in<tile> a, uat::inout<tile> c, int k) { c->at[k] += a->at[k]; }, A(i, k), A(i, j), k);
 *
 * in: the body reads the datum. out: it writes all bytes. inout: it reads and writes. any_order: like inout, but
 * consecutive tasks of this mode may run in any order, one at a time. add: the body adds to the datum, and consecutive
 * tasks of this mode may run at the same time. The body of such a task gets the datum, or a T whose bytes are 0. In the
 * second case, the library adds the T to the datum by `+=` after the body. below<in<T>>, below<out<T>> and so on: the
 * body gets the datum's address, and only tasks that the body spawns access the datum.
 */
template <class T> using in = detail::flow_access<const T, UAT_FLOW_IN>;
template <class T> using out = detail::flow_access<T, UAT_FLOW_OUT>;
template <class T> using inout = detail::flow_access<T, UAT_FLOW_INOUT>;
template <class T> using add = detail::flow_sum<T>;
template <class T> using any_order = detail::flow_access<T, UAT_FLOW_ANY>;
template <class Access> using below = detail::flow_below<Access>;

/*
 * A flow. It must stay in the frame in which it was made, and only the task of this frame may use it. The destructor
 * waits for all tasks. An exception that leaves a data-flow task, or the frame of a flow, ends the job with a message.
 */
class flow
{
  public:
    flow()
    {
        uat_flow_begin(&flow_);
    }
    /* At most `window` tasks are under way at a time: see uat_flow_set_window(). */
    explicit flow(std::size_t window) : flow()
    {
        uat_flow_set_window(&flow_, window);
    }
    flow(const flow &) = delete;
    flow &operator=(const flow &) = delete;
    ~flow()
    {
        if (std::uncaught_exceptions() > 0 && flow_.ledger != 0)
            uat_end_by_exception("an exception has left the frame of a flow", nullptr);
        uat_flow_end(&flow_);
    }

    /* Run tasks with any_order and add, too, in the order of their spawns. Call it before the first spawn. */
    void keep_order()
    {
        uat_flow_keep_order(&flow_);
    }

    /* Prefer the host of the datum at p for all tasks that are spawned from now on: see uat_flow_set_home(). */
    void at(const void *p)
    {
        uat_flow_set_home(&flow_, p);
    }

    /* Spawn f(args...) as a data-flow task. The types of f's parameters say how it accesses the data. f is a function,
     * or a lambda without `auto` parameters. */
    template <class F, class... A> void spawn(F f, A... args)
    {
        detail::flow_signature<F>::spawn(&flow_, f, args...);
    }

    /* Wait until this task itself may read the datum at p, or write it. */
    void wait_to_read(const void *p)
    {
        uat_flow_wait_datum(&flow_, p, UAT_FLOW_IN);
    }
    void wait_to_write(const void *p)
    {
        uat_flow_wait_datum(&flow_, p, UAT_FLOW_INOUT);
    }
    /* Wait for all tasks. The flow may be used again. */
    void wait()
    {
        std::size_t window = flow_.window;
        bool ordered = flow_.ordered != 0;
        auto home = flow_.home;
        uat_flow_end(&flow_);
        uat_flow_begin(&flow_);
        uat_flow_set_window(&flow_, window);
        flow_.home = home;
        if (ordered)
            uat_flow_keep_order(&flow_);
    }

  private:
    uat_flow_t flow_;
};

} // namespace uat

#endif
