/* SPDX-License-Identifier: MIT */
/* Reductions and scans of typed values. Included by uat/loop.hpp. */
#ifndef UAT_DETAIL_LOOP_HPP
#define UAT_DETAIL_LOOP_HPP

#include <cstdint>
#include <cstring>

#include "uat/detail/task.hpp"
#include "uat/pattern.h"

namespace uat
{

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
    contain([&] {
        T value = r.f(begin, end, load<T>(partial));
        std::memcpy(partial, &value, sizeof(value));
    });
}

template <class T, class F, class Combine> void combine_values(void *left, const void *right, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = load<R>(arg);
    contain([&] {
        T value = r.combine(load<T>(left), load<T>(right));
        std::memcpy(left, &value, sizeof(value));
    });
}

/* The operations of a reduction whose f is called for ranges. */
template <class T, class F, class Combine> uat_reduction make_reduction(const T *identity)
{
    must_travel<T>();
    must_travel<F>();
    must_travel<Combine>();
    return uat_reduction{reduce_range<T, F, Combine>, combine_values<T, F, Combine>, identity, sizeof(T)};
}

/* Make f(begin, end, value) from a function of one iteration. */
template <class T, class F, class Combine> auto fold(F f, Combine combine)
{
    return [f, combine](std::int64_t begin, std::int64_t end, T value) mutable {
        for (std::int64_t i = begin; i < end; i++)
            value = combine(value, f(i));
        return value;
    };
}

template <class F, class Combine, class Range> struct scanner {
    reducer<F, Combine> r; /* must be the first member, because the reduction's functions expect it at the start */
    Range range;
};

template <class T, class F, class Combine, class Range>
void scan_range(std::int64_t begin, std::int64_t end, void *prefix, const void *arg)
{
    using S = scanner<F, Combine, Range>;
    S s = load<S>(arg);
    contain([&] {
        T value = s.range(begin, end, load<T>(prefix));
        std::memcpy(prefix, &value, sizeof(value));
    });
}

/*
 * f(begin, end, value) returns `value` with these iterations added to it. range(begin, end, value) returns the same
 * value, and also writes the prefixes. Returns the value of all iterations.
 */
template <class T, class F, class Combine, class Range>
T scan_ranges(std::int64_t begin, std::int64_t end, T identity, F f, Combine combine, Range range, std::int64_t grain)
{
    uat_reduction reduction = make_reduction<T, F, Combine>(&identity);
    scanner<F, Combine, Range> arg{{f, combine}, range};
    T total = identity;
    uat_scan_grain(begin, end, grain, &reduction, scan_range<T, F, Combine, Range>, &arg, sizeof(arg), &total);
    throw_if_failed();
    return total;
}

} // namespace detail

} // namespace uat

#endif
