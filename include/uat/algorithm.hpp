/* SPDX-License-Identifier: MIT */
/* Loops, transformations and sorts over spans of global memory in C++17, to be called inside a task. Included by
 * uat.hpp. */
#ifndef UAT_ALGORITHM_HPP
#define UAT_ALGORITHM_HPP

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "uat/detail/algorithm.hpp"
#include "uat/pattern.h"
#include "uat/span.hpp"

namespace uat
{

/* Elements of a span that are checked out for the body of a loop: a range of T. Its first element has index first() in
 * the span. */
template <class T> class block
{
  public:
    block(T *data, std::size_t first, std::size_t size) : data_(data), first_(first), size_(size)
    {
    }
    std::size_t first() const
    {
        return first_;
    }
    std::size_t size() const
    {
        return size_;
    }
    T *begin() const
    {
        return data_;
    }
    T *end() const
    {
        return data_ + size_;
    }
    T &operator[](std::size_t i) const
    {
        return data_[i];
    }

  private:
    T *data_;
    std::size_t first_, size_;
};

/*
 * Call f(block) for blocks that cover the span. f may read the blocks' elements. It may also write them, unless the
 * span's elements are const. See uat_for_each_block().
 */
template <class T, class F> void for_each_block(span<T> s, F f)
{
    detail::each_block(s, std::is_const<T>::value ? UAT_READ : UAT_READ_WRITE, f);
}

/* Call f(element) for each element of the span. If the span's elements are const, f may only read them. */
template <class T, class F> void for_each(span<T> s, F f)
{
    for_each_block(s, [f](block<T> b) mutable {
        for (T &element : b)
            f(element);
    });
}

/* Set element i to f(i), for each i. */
template <class T, class F> void tabulate(span<T> s, F f)
{
    detail::must_be_writable<T>();
    detail::each_block(s, UAT_WRITE, [f](block<T> b) mutable {
        for (std::size_t i = 0; i < b.size(); i++)
            b[i] = f(b.first() + i);
    });
}

/* Set each element to value. */
template <class T> void fill(span<T> s, const std::remove_cv_t<T> &value)
{
    tabulate(s, [value](std::size_t) { return value; });
}

/*
 * Set out[i] to f(in[i]), or to f(a[i], b[i]). If the spans differ in size, throws std::invalid_argument and does
 * nothing else. An input must be the output itself or share no element with it.
 */
template <class T, class U, class F> void transform(span<T> in, span<U> out, F f)
{
    detail::must_match("transform", in.size(), out.size());
    detail::transform_all(out, f, span<const std::remove_cv_t<T>>(in));
}
template <class T1, class T2, class U, class F> void transform(span<T1> a, span<T2> b, span<U> out, F f)
{
    detail::must_match("transform", a.size(), out.size());
    detail::must_match("transform", b.size(), out.size());
    detail::transform_all(out, f, span<const std::remove_cv_t<T1>>(a), span<const std::remove_cv_t<T2>>(b));
}

/*
 * Sort the span by `less`, a strict weak order. The order of equal elements is undefined. See uat_sort(). If the memory
 * is not global, the calling task alone sorts it. If `less` throws, sort() throws one of the exceptions (see
 * task_error) as soon as all its tasks have ended. The span then has its elements in an undefined order.
 */
template <class T, class Less = std::less<>> void sort(span<T> s, Less less = Less())
{
    detail::must_be_writable<T>();
    detail::must_travel<Less>();
    const uat_sort_kernel kernel = {sizeof(T), detail::quicksort<T, Less>::sort, detail::quicksort<T, Less>::partition,
                                    detail::quicksort<T, Less>::before};
    uat_sort_by(&kernel, s.data(), s.size(), &less, sizeof(less));
    detail::throw_if_failed();
}

/*
 * Put the element into s[nth] that sort() would put there. Then no element before it is greater, and no element after
 * it is less; their order is undefined. Quickselect (Hoare 1961, "Find") on the parallel partition of sort(), so it
 * takes time in proportion to the span's size. If nth is the span's size, nothing happens; if it is greater, throws
 * std::out_of_range. If `less` throws, nth_element() does what sort() does.
 */
template <class T, class Less = std::less<>> void nth_element(span<T> s, std::size_t nth, Less less = Less())
{
    detail::must_be_writable<T>();
    detail::must_travel<Less>();
    using sorter = detail::quicksort<T, Less>;
    if (nth > s.size())
        detail::raise(std::out_of_range("uat::nth_element(): place " + std::to_string(nth) + " of a span of " +
                                        std::to_string(s.size()) + " elements"));
    if (nth == s.size())
        return;
    const uat_sort_kernel kernel = {sizeof(T), sorter::sort, sorter::partition, sorter::before};
    if (uat_global_home(s.data()) < 0)
        detail::contain([&] { sorter::select(s.data(), s.size(), nth, less, sorter::depth_of(s.size())); });
    else
        uat_select_by(&kernel, s.data(), s.size(), nth, &less, sizeof(less));
    detail::throw_if_failed();
}

} // namespace uat

#endif
