/* SPDX-License-Identifier: MIT */
/* Parallel loops, reductions and scans over index ranges in C++17. Included by uat.hpp. */
#ifndef UAT_LOOP_HPP
#define UAT_LOOP_HPP

#include <cstdint>
#include <cstring>

#include "uat/pattern.h"
#include "uat/task.hpp"

namespace uat
{

/* Call f(begin, end) for ranges that cover [begin, end) once. Inside a task. See uat_for(). */
template <class F> void parallel_for_ranges(std::int64_t begin, std::int64_t end, F f)
{
    detail::must_travel<F>();
    uat_for(
        begin, end,
        [](std::int64_t from, std::int64_t to, const void *arg) {
            F g = detail::load<F>(arg);
            detail::guarded([&] { g(from, to); });
        },
        &f, sizeof(f));
}

/* Call f(i) for each i of [begin, end), in parallel. Inside a task. */
template <class F> void parallel_for(std::int64_t begin, std::int64_t end, F f)
{
    parallel_for_ranges(begin, end, [f](std::int64_t from, std::int64_t to) mutable {
        for (std::int64_t i = from; i < to; i++)
            f(i);
    });
}

namespace detail
{

/* What a reduction's bodies find as their argument. */
template <class F, class Combine> struct reducer {
    F f;
    Combine combine;
};

template <class T, class F, class Combine>
void reduce_range(std::int64_t begin, std::int64_t end, void *partial, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = load<R>(arg);
    T value = load<T>(partial);
    guarded([&] {
        for (std::int64_t i = begin; i < end; i++)
            value = r.combine(value, r.f(i));
    });
    std::memcpy(partial, &value, sizeof(value));
}

template <class T, class F, class Combine> void combine_values(void *left, const void *right, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = load<R>(arg);
    guarded([&] {
        T value = r.combine(load<T>(left), load<T>(right));
        std::memcpy(left, &value, sizeof(value));
    });
}

template <class T, class F, class Combine> uat_reduction make_reduction(const T *identity)
{
    must_travel<T>();
    must_travel<F>();
    must_travel<Combine>();
    return uat_reduction{reduce_range<T, F, Combine>, combine_values<T, F, Combine>, identity, sizeof(T)};
}

} // namespace detail

/*
 * combine(...combine(identity, f(begin))..., f(end - 1)), in parallel. combine is associative, identity is neutral; it need
 * not commute. Inside a task.
 */
template <class T, class F, class Combine>
T parallel_reduce(std::int64_t begin, std::int64_t end, T identity, F f, Combine combine)
{
    uat_reduction reduction = detail::make_reduction<T, F, Combine>(&identity);
    detail::reducer<F, Combine> arg{f, combine};
    T result = identity;
    uat_reduce(begin, end, &reduction, &arg, sizeof(arg), &result);
    return result;
}

namespace detail
{

template <class T, class F, class Combine, class Write> struct scanner {
    reducer<F, Combine> r; /* first: the reduction's functions find it here */
    Write write;
};

template <class T, class F, class Combine, class Write>
void scan_range(std::int64_t begin, std::int64_t end, void *prefix, const void *arg)
{
    using S = scanner<T, F, Combine, Write>;
    S s = load<S>(arg);
    T value = load<T>(prefix);
    guarded([&] {
        for (std::int64_t i = begin; i < end; i++) {
            T before = value;
            value = s.r.combine(value, s.r.f(i));
            s.write(i, before, value);
        }
    });
    std::memcpy(prefix, &value, sizeof(value));
}

} // namespace detail

/*
 * Prefix sums: calls write(i, before, with), where `before` is the value of all f(j) with j < i and `with` includes f(i): the
 * exclusive and the inclusive scan. f is called once or twice for each i. Returns the value of all. Inside a task.
 */
template <class T, class F, class Combine, class Write>
T parallel_scan(std::int64_t begin, std::int64_t end, T identity, F f, Combine combine, Write write)
{
    detail::must_travel<Write>();
    uat_reduction reduction = detail::make_reduction<T, F, Combine>(&identity);
    detail::scanner<T, F, Combine, Write> arg{{f, combine}, write};
    T total = identity;
    uat_scan(begin, end, &reduction, detail::scan_range<T, F, Combine, Write>, &arg, sizeof(arg), &total);
    return total;
}

} // namespace uat

#endif
