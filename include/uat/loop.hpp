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

/*
 * Call f(begin, end) for ranges that cover [begin, end) once. Inside a task. See uat_for(). grain, here and below: the
 * least number of iterations that run in sequence; rarely needed, for loops find the right grain by themselves.
 */
template <class F> void parallel_for_ranges(std::int64_t begin, std::int64_t end, F f, std::int64_t grain = 1)
{
    detail::must_travel<F>();
    uat_for_grain(
        begin, end, grain,
        [](std::int64_t from, std::int64_t to, const void *arg) {
            F g = detail::load<F>(arg);
            detail::guarded([&] { g(from, to); });
        },
        &f, sizeof(f));
}

/* Call f(i) for each i of [begin, end), in parallel. Inside a task. */
template <class F> void parallel_for(std::int64_t begin, std::int64_t end, F f, std::int64_t grain = 1)
{
    parallel_for_ranges(
        begin, end,
        [f](std::int64_t from, std::int64_t to) mutable {
            for (std::int64_t i = from; i < to; i++)
                f(i);
        },
        grain);
}

namespace detail
{

/* The argument of a reduction's bodies. */
template <class F, class Combine> struct reducer {
    F f;
    Combine combine;
};

template <class T, class F, class Combine>
void reduce_range(std::int64_t begin, std::int64_t end, void *partial, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = load<R>(arg);
    guarded([&] {
        T value = r.f(begin, end, load<T>(partial));
        std::memcpy(partial, &value, sizeof(value));
    });
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

/* f is called for ranges. */
template <class T, class F, class Combine> uat_reduction make_reduction(const T *identity)
{
    must_travel<T>();
    must_travel<F>();
    must_travel<Combine>();
    return uat_reduction{reduce_range<T, F, Combine>, combine_values<T, F, Combine>, identity, sizeof(T)};
}

/* f(begin, end, value) from a function of one iteration. */
template <class T, class F, class Combine> auto fold(F f, Combine combine)
{
    return [f, combine](std::int64_t begin, std::int64_t end, T value) mutable {
        for (std::int64_t i = begin; i < end; i++)
            value = combine(value, f(i));
        return value;
    };
}

} // namespace detail

/*
 * Reduce ranges that cover [begin, end): f(begin, end, value) returns `value` with these iterations added to it.
 * combine is associative, identity is neutral; it need not commute. Inside a task.
 */
template <class T, class Combine, class F>
T parallel_reduce_ranges(std::int64_t begin, std::int64_t end, T identity, Combine combine, F f, std::int64_t grain = 1)
{
    uat_reduction reduction = detail::make_reduction<T, F, Combine>(&identity);
    detail::reducer<F, Combine> arg{f, combine};
    T result = identity;
    uat_reduce_grain(begin, end, grain, &reduction, &arg, sizeof(arg), &result);
    return result;
}

/* combine(...combine(identity, f(begin))..., f(end - 1)), under the conditions of parallel_reduce_ranges(). */
template <class T, class Combine, class F>
T parallel_reduce(std::int64_t begin, std::int64_t end, T identity, Combine combine, F f, std::int64_t grain = 1)
{
    detail::must_travel<F>();
    detail::must_travel<Combine>();
    return parallel_reduce_ranges(begin, end, identity, combine, detail::fold<T>(f, combine), grain);
}

namespace detail
{

template <class F, class Combine, class Range> struct scanner {
    reducer<F, Combine> r; /* first: the reduction's functions find it here */
    Range range;
};

template <class T, class F, class Combine, class Range>
void scan_range(std::int64_t begin, std::int64_t end, void *prefix, const void *arg)
{
    using S = scanner<F, Combine, Range>;
    S s = load<S>(arg);
    guarded([&] {
        T value = s.range(begin, end, load<T>(prefix));
        std::memcpy(prefix, &value, sizeof(value));
    });
}

/*
 * f(begin, end, value) returns `value` with these iterations added to it; range(), which has the same form, also writes
 * the prefixes on its way. Returns the value of all.
 */
template <class T, class F, class Combine, class Range>
T scan_ranges(std::int64_t begin, std::int64_t end, T identity, F f, Combine combine, Range range, std::int64_t grain)
{
    uat_reduction reduction = make_reduction<T, F, Combine>(&identity);
    scanner<F, Combine, Range> arg{{f, combine}, range};
    T total = identity;
    uat_scan_grain(begin, end, grain, &reduction, scan_range<T, F, Combine, Range>, &arg, sizeof(arg), &total);
    return total;
}

} // namespace detail

/*
 * Prefix sums: calls write(i, before, with), where `before` is the value of all f(j) with j < i and `with` includes
 * f(i): the exclusive and the inclusive scan. f is called once or twice for each i. Returns the value of all. Inside a
 * task.
 */
template <class T, class F, class Combine, class Write>
T parallel_scan(std::int64_t begin, std::int64_t end, T identity, F f, Combine combine, Write write,
                std::int64_t grain = 1)
{
    detail::must_travel<F>();
    detail::must_travel<Combine>();
    detail::must_travel<Write>();
    auto range = [f, combine, write](std::int64_t from, std::int64_t to, T value) mutable {
        for (std::int64_t i = from; i < to; i++) {
            T before = value;
            value = combine(value, f(i));
            write(i, before, value);
        }
        return value;
    };
    return detail::scan_ranges(begin, end, identity, detail::fold<T>(f, combine), combine, range, grain);
}

} // namespace uat

#endif
