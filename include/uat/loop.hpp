/* SPDX-License-Identifier: MIT */
/* Parallel loops, reductions and scans over index ranges in C++17. Included by uat.hpp. */
#ifndef UAT_LOOP_HPP
#define UAT_LOOP_HPP

#include <cstdint>

#include "uat/detail/loop.hpp"
#include "uat/pattern.h"
#include "uat/task.hpp"

namespace uat
{

/*
 * Call f(begin, end) for disjoint ranges that together cover [begin, end). Call it only inside a task. See uat_for().
 * grain, here and below: the minimum number of iterations that run in sequence. Programs rarely need it, because loops
 * find a suitable grain by themselves.
 */
template <class F> void parallel_for_ranges(std::int64_t begin, std::int64_t end, F f, std::int64_t grain = 1)
{
    detail::must_travel<F>();
    uat_for_grain(
        begin, end, grain,
        [](std::int64_t from, std::int64_t to, const void *arg) {
            F g = detail::load<F>(arg);
            detail::contain([&] { g(from, to); });
        },
        &f, sizeof(f));
    detail::throw_if_failed();
}

/* Call f(i) for each i of [begin, end), in parallel. Call it only inside a task. */
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

/*
 * Reduce ranges that cover [begin, end): f(begin, end, value) must return `value` with these iterations added to it.
 * `combine` must be associative, but need not be commutative; `identity` must be its neutral value. Call it only inside
 * a task.
 */
template <class T, class Combine, class F>
T parallel_reduce_ranges(std::int64_t begin, std::int64_t end, T identity, Combine combine, F f, std::int64_t grain = 1)
{
    uat_reduction reduction = detail::make_reduction<T, F, Combine>(&identity);
    detail::reducer<F, Combine> arg{f, combine};
    T result = identity;
    uat_reduce_grain(begin, end, grain, &reduction, &arg, sizeof(arg), &result);
    detail::throw_if_failed();
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

/*
 * Prefix sums: calls write(i, before, with) for each i. `before`, the exclusive scan, combines all f(j) with j < i in
 * order; `with`, the inclusive scan, also includes f(i). f is called once or twice for each i. Returns all f(i),
 * combined in order. Call it only inside a task.
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
