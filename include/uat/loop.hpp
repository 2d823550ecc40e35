/* SPDX-License-Identifier: MIT */
/* Parallel loops, reductions and scans over index ranges in C++17. Included by uat.hpp. */
#ifndef UAT_LOOP_HPP
#define UAT_LOOP_HPP

#include <cstdint>
#include <utility>

#include "uat/detail/loop.hpp"
#include "uat/detail/neutral.hpp"
#include "uat/pattern.h"
#include "uat/task.hpp"

namespace uat
{

/*
 * Call f(begin, end) for disjoint ranges that together cover [begin, end). Call it only inside a task. See uat_for().
 * grain, here and below: the minimum number of iterations that run in sequence. Programs rarely need it: by default (0)
 * loops find a suitable grain by themselves.
 */
template <class F> void parallel_for_ranges(std::int64_t begin, std::int64_t end, F f, std::int64_t grain = 0)
{
    detail::must_travel<F>();
    uat_for(
        begin, end, grain,
        [](std::int64_t from, std::int64_t to, const void *arg) {
            F g = detail::load<F>(arg);
            detail::contain([&] { g(std::as_const(from), std::as_const(to)); });
        },
        &f, sizeof(f));
    detail::throw_if_failed();
}

/* Call f(i) for each i of [begin, end), in parallel. Call it only inside a task. */
template <class F> void parallel_for(std::int64_t begin, std::int64_t end, F f, std::int64_t grain = 0)
{
    detail::must_take_index<F>();
    parallel_for_ranges(
        begin, end,
        [f](std::int64_t from, std::int64_t to) mutable {
            for (std::int64_t i = from; i < to; i++)
                f(std::as_const(i));
        },
        grain);
}

/*
 * Call f(i) for i = begin, begin + step, ... as long as i < end or, if step is negative, i > end, in parallel. Throws
 * std::invalid_argument if step is 0, or if there are more than 2^63 - 1 iterations. Call it only inside a task.
 */
template <class F> void parallel_for_step(std::int64_t begin, std::int64_t end, std::int64_t step, F f)
{
    detail::must_take_index<F>();
    parallel_for_ranges(0, detail::count_steps(begin, end, step),
                        [begin, step, f](std::int64_t from, std::int64_t to) mutable {
                            for (std::int64_t n = from; n < to; n++) {
                                const std::int64_t i = detail::after_steps(begin, step, n);
                                f(i);
                            }
                        });
}

/*
 * combine(...combine(init, f(begin))..., f(end - 1)), or init if the range is empty. `combine` must be associative, but
 * need not be commutative; init may be any value. The values of f are converted to T. They are combined in their order,
 * grouped in any way, and init is combined once, as the first. A T and 16 bytes must fit into UAT_RESULT_MAX. Call it
 * only inside a task.
 */
template <class T, class Combine, class F>
T parallel_reduce(std::int64_t begin, std::int64_t end, T init, Combine combine, F f, std::int64_t grain = 0)
{
    detail::must_travel<T>();
    detail::must_travel<F>();
    detail::must_travel<Combine>();
    detail::must_take_index<F>();
    auto range = detail::fold<T>(f, combine);
    return detail::start_with(init, combine, detail::reduce_ranges<T>(begin, end, range, combine, grain));
}

/*
 * parallel_reduce() whose result has the same bits on any number of workers, also if `combine` rounds: see
 * uat_reduce_deterministic() for `block`.
 */
template <class T, class Combine, class F>
T parallel_deterministic_reduce(std::int64_t begin, std::int64_t end, T init, Combine combine, F f, std::int64_t block)
{
    detail::must_travel<T>();
    detail::must_travel<F>();
    detail::must_travel<Combine>();
    detail::must_take_index<F>();
    auto range = detail::fold<T>(f, combine);
    return detail::start_with(init, combine,
                              detail::reduce_ranges<T>(begin, end, range, combine, block, uat_reduce_deterministic));
}

/*
 * parallel_reduce() by ranges that cover [begin, end): f(begin, end, value) must return `value` with these iterations
 * added to it. f is called for each part of the iterations, starting with `identity`. So `identity` must be the neutral
 * value of `combine`. If T has ==, and combine(identity, identity) is another value than identity, throws
 * std::invalid_argument.
 */
template <class T, class Combine, class F>
T parallel_reduce_ranges(std::int64_t begin, std::int64_t end, T identity, Combine combine, F f, std::int64_t grain = 0)
{
    detail::must_travel<T>();
    detail::must_travel<F>();
    detail::must_be_neutral(identity, combine);
    auto range = [f, identity](std::int64_t from, std::int64_t to, detail::partial<T> sum) mutable {
        return detail::as_value<T>(f(std::as_const(from), std::as_const(to), sum.any ? sum.get() : identity));
    };
    detail::partial<T> all = detail::reduce_ranges<T>(begin, end, range, combine, grain);
    return all.any ? all.get() : identity;
}

/*
 * Prefix sums: calls write(i, before, with) for each i. `before`, the exclusive scan, combines init and all f(j) with j
 * < i in order; `with`, the inclusive scan, also includes f(i). f may be called several times for each i, and write
 * once. Returns init and all f(i), combined in order. init and `combine` are as for parallel_reduce(). Call it only
 * inside a task.
 */
template <class T, class F, class Combine, class Write>
T parallel_scan(std::int64_t begin, std::int64_t end, T init, F f, Combine combine, Write write, std::int64_t grain = 0)
{
    detail::must_travel<T>();
    detail::must_travel<F>();
    detail::must_travel<Combine>();
    detail::must_travel<Write>();
    detail::must_take_index<F>();
    auto range = [f, combine, write](std::int64_t from, std::int64_t to, T value) mutable {
        for (std::int64_t i = from; i < to; i++) {
            T before = value;
            value = detail::as_value<T>(combine(value, detail::as_value<T>(f(std::as_const(i)))));
            write(std::as_const(i), before, value);
        }
        return value;
    };
    return detail::scan_ranges(begin, end, init, detail::fold<T>(f, combine), combine, range, grain);
}

} // namespace uat

#endif
