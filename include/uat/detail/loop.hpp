/* SPDX-License-Identifier: MIT */
/* Reductions and scans of typed values. Included by uat/loop.hpp. */
#ifndef UAT_DETAIL_LOOP_HPP
#define UAT_DETAIL_LOOP_HPP

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "uat/detail/task.hpp"
#include "uat/pattern.h"

namespace uat
{

namespace detail
{

/* The number of iterations of a loop with a step. The distances are unsigned, because they may exceed the range of
 * std::int64_t. */
inline std::int64_t count_steps(std::int64_t begin, std::int64_t end, std::int64_t step)
{
    if (step == 0)
        raise(std::invalid_argument("uat::parallel_for_step(): a step of 0; the loop would not end"));
    if (step > 0 ? begin >= end : begin <= end)
        return 0;
    std::uint64_t all =
        step > 0 ? std::uint64_t(end) - std::uint64_t(begin) : std::uint64_t(begin) - std::uint64_t(end);
    std::uint64_t count = (all - 1) / (step > 0 ? std::uint64_t(step) : -std::uint64_t(step)) + 1;
    if (count > std::uint64_t(INT64_MAX))
        raise(std::invalid_argument("uat::parallel_for_step(): more than 2^63 - 1 iterations"));
    return std::int64_t(count);
}

/* begin + n * step, which is within the loop's range, although n * step may exceed the range of std::int64_t. */
inline std::int64_t after_steps(std::int64_t begin, std::int64_t step, std::int64_t n)
{
    return std::int64_t(std::uint64_t(begin) + std::uint64_t(n) * std::uint64_t(step));
}

/*
 * The value of some iterations of a reduction or a scan. A part of the iterations starts without a value, and takes the
 * value of its first iteration. So a reduction needs no neutral value.
 */
template <class T> struct partial {
    place<T> value;
    bool any; /* is there a value yet? */

    partial() : value(), any(false)
    {
    }
    explicit partial(const T &first) : value(), any(true)
    {
        std::memcpy(value.bytes, &first, sizeof(first));
    }
    T get() const
    {
        return value.get();
    }
};

/* A value of an iteration or a combination, as a T. All values are converted before they are combined, so that the
 * result does not depend on which of them are combined first. */
template <class T, class X> T as_value(X &&x)
{
    must_convert<std::decay_t<X>, T>();
    return static_cast<T>(std::forward<X>(x));
}

/* The argument of a reduction's bodies. */
template <class F, class Combine> struct reducer {
    F f;
    Combine combine;
};

template <class T, class F, class Combine>
void reduce_range(std::int64_t begin, std::int64_t end, void *sum, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = load<R>(arg);
    contain([&] {
        partial<T> more(r.f(begin, end, load<partial<T>>(sum)));
        std::memcpy(sum, &more, sizeof(more));
    });
}

template <class T, class F, class Combine> void combine_values(void *left, const void *right, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = load<R>(arg);
    contain([&] {
        partial<T> a = load<partial<T>>(left), b = load<partial<T>>(right);
        if (a.any && b.any)
            b = partial<T>(as_value<T>(r.combine(a.get(), b.get())));
        if (b.any)
            std::memcpy(left, &b, sizeof(b));
    });
}

/* The operations of a reduction whose f is called for ranges. */
template <class T, class F, class Combine> uat_reduction make_reduction(const partial<T> *none)
{
    must_travel<F>();
    must_travel<Combine>();
    return uat_reduction{reduce_range<T, F, Combine>, combine_values<T, F, Combine>, none, sizeof(*none)};
}

/* f(begin, end, sum) returns the value of `sum` and these iterations; `sum` may have no value. Returns the value of all
 * iterations, or no value if there are none. `by` is uat_reduce() or uat_reduce_deterministic(). */
template <class T, class F, class Combine>
partial<T> reduce_ranges(std::int64_t begin, std::int64_t end, F f, Combine combine, std::int64_t grain,
                         uat_reducing_fn *by = uat_reduce)
{
    const partial<T> none;
    partial<T> result;
    uat_reduction reduction = make_reduction<T, F, Combine>(&none);
    reducer<F, Combine> arg{f, combine};
    by(begin, end, grain, &reduction, &arg, sizeof(arg), &result);
    throw_if_failed();
    return result;
}

/* reduce_ranges() of `size` iterations. Iteration i works on element i, of element_size bytes, of an array in global
 * memory: see uat_reduce_near(). grain: as for uat_reduce(). */
template <class T, class F, class Combine>
partial<T> reduce_near(std::size_t size, const void *array, std::size_t element_size, F f, Combine combine,
                       std::int64_t grain = 0)
{
    const partial<T> none;
    partial<T> result;
    uat_reduction reduction = make_reduction<T, F, Combine>(&none);
    reducer<F, Combine> arg{f, combine};
    uat_reduce_near_grain(0, std::int64_t(size), grain, array, element_size, &reduction, &arg, sizeof(arg), &result);
    throw_if_failed();
    return result;
}

/* The initial value, combined with the value of all iterations. */
template <class T, class Combine> T start_with(const T &init, Combine &combine, const partial<T> &all)
{
    return all.any ? as_value<T>(combine(init, all.get())) : init;
}

/* Make f(begin, end, sum) from a function of one iteration. */
template <class T, class F, class Combine> auto fold(F f, Combine combine)
{
    return [f, combine](std::int64_t begin, std::int64_t end, partial<T> sum) mutable {
        std::int64_t i = sum.any ? begin : begin + 1;
        T value = sum.any ? sum.get() : as_value<T>(f(std::as_const(begin)));
        for (; i < end; i++)
            value = as_value<T>(combine(value, as_value<T>(f(std::as_const(i)))));
        return value;
    };
}

template <class T, class F, class Combine, class Range> struct scanner {
    reducer<F, Combine> r; /* must be the first member, because the reduction's functions expect it at the start */
    Range range;
    T init;
};

template <class T, class F, class Combine, class Range>
void scan_range(std::int64_t begin, std::int64_t end, void *prefix, const void *arg)
{
    using S = scanner<T, F, Combine, Range>;
    S s = load<S>(arg);
    contain([&] {
        partial<T> before = load<partial<T>>(prefix);
        partial<T> with(s.range(begin, end, before.any ? before.get() : s.init)); /* none: these iterations are the
                                                                                   * first */
        std::memcpy(prefix, &with, sizeof(with));
    });
}

/*
 * f(begin, end, sum) returns the value of `sum` and these iterations; `sum` may have no value. range(begin, end, value)
 * writes the prefixes, which start with `value`, and returns the last one. Returns the value of `init` and all
 * iterations. array: NULL, or the array whose element i, of `size` bytes, iteration i works on: see uat_scan_near().
 */
template <class T, class F, class Combine, class Range>
T scan_ranges(std::int64_t begin, std::int64_t end, T init, F f, Combine combine, Range range, std::int64_t grain,
              const void *array = nullptr, std::size_t size = 0)
{
    const partial<T> none;
    partial<T> total;
    uat_reduction reduction = make_reduction<T, F, Combine>(&none);
    scanner<T, F, Combine, Range> arg{{f, combine}, range, init};
    uat_reduce_fn *body = scan_range<T, F, Combine, Range>;
    if (array)
        uat_scan_near(begin, end, array, size, &reduction, body, &arg, sizeof(arg), &total);
    else
        uat_scan(begin, end, grain, &reduction, body, &arg, sizeof(arg), &total);
    throw_if_failed();
    return total.any ? total.get() : init;
}

} // namespace detail

} // namespace uat

#endif
