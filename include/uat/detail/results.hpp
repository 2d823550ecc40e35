/* SPDX-License-Identifier: MIT */
/* Children in an array of handles. Included by uat/results.hpp. */
#ifndef UAT_DETAIL_RESULTS_HPP
#define UAT_DETAIL_RESULTS_HPP

#include <cstddef>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "uat/detail/loop.hpp"
#include "uat/task.hpp"

namespace uat
{

namespace detail
{

template <class R> struct must_keep {
    static_assert(!std::is_void<R>::value && !std::is_reference<R>::value && !std::is_const<R>::value,
                  "uat: a result_group keeps values; for tasks without results take a uat::task_group");
};

/* The results of a group. Those that travel are an array. */
template <class R, std::size_t Max, bool Travels = travels<R>::value> class result_array
{
  public:
    using iterator = const R *;
    static constexpr std::size_t size = sizeof(R); /* bytes of each */

    void *at(std::size_t i)
    {
        return bytes_ + i * sizeof(R);
    }
    iterator begin() const
    {
        return std::launder(reinterpret_cast<const R *>(bytes_));
    }
    void clear()
    {
    }

  private:
    alignas(R) unsigned char bytes_[Max * sizeof(R)];
};

/* Packed results. Each access makes a new value, because a value could not stay in the frame across a spawn. */
template <class R, std::size_t Max> class result_array<R, Max, false>
{
  public:
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = R;
        using difference_type = std::ptrdiff_t;
        using pointer = const R *;
        using reference = R;

        explicit iterator(const place<R> *at) : at_(at)
        {
        }
        R operator*() const
        {
            return at_->get();
        }
        iterator &operator++()
        {
            ++at_;
            return *this;
        }
        void operator++(int)
        {
            ++at_;
        }
        iterator operator+(std::size_t n) const
        {
            return iterator(at_ + n);
        }
        R operator[](std::size_t i) const
        {
            return at_[i].get();
        }
        bool operator==(const iterator &other) const
        {
            return at_ == other.at_;
        }
        bool operator!=(const iterator &other) const
        {
            return at_ != other.at_;
        }

      private:
        const place<R> *at_;
    };
    static constexpr std::size_t size = sizeof(parcel);

    void *at(std::size_t i)
    {
        return places_[i].bytes;
    }
    iterator begin() const
    {
        return iterator(places_);
    }
    void clear()
    {
        for (place<R> &each : places_)
            each.bytes->clear();
    }

  private:
    place<R> places_[Max];
};

/* A call whose result is an R. */
template <class R, class Call> auto returning(Call call)
{
    return [call]() mutable { return as_value<R>(call()); };
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_child(std::size_t most)
{
    raise(std::length_error("uat::result_group: a task more than the " + std::to_string(most) +
                            " for which it has room; let Max be larger, or wait before the next run()"));
}

/* Join the children before the one at tasks[count], whose failure the running task has. Throws the failure that is the
 * first in serial order. */
[[noreturn, gnu::cold, gnu::noinline]] inline void join_rest_and_throw(uat_task_t *tasks, std::size_t count)
{
    uat_failure first;
    uat_failure_take(&first);
    while (count > 0) {
        uat_join(&tasks[--count]);
        if (uat_failing.yes != 0)
            uat_failure_take(&first);
    }
    throw_failure(first);
}

/* Join the children, the youngest first. If children have failed, throws the first failure in serial order. */
inline void join_children(uat_task_t *tasks, std::size_t count)
{
    while (count > 0) {
        uat_join(&tasks[--count]);
        if (__builtin_expect(uat_failing.yes != 0, 0))
            join_rest_and_throw(tasks, count);
    }
}

/* Join the children while an exception unwinds their frame, and drop their failures. */
[[gnu::cold, gnu::noinline]] inline void join_children_in_place(uat_task_t *tasks, std::size_t count)
{
    while (count > 0) {
        uat_task_t *task = &tasks[--count];
        if (task->record == 0)
            UAT_PROFILE_JOINED(task);
        else
            uat_join_in_place(task);
    }
}

} // namespace detail

} // namespace uat

#endif
