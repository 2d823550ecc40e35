/* SPDX-License-Identifier: MIT */
/*
 * The kernel of uat::sort(): quicksort without branches that depend on the elements (Edelkamp and Weiss, "BlockQuicksort",
 * 2016, show what these cost), down to runs that std::sort() takes. Included by uat.hpp.
 */
#ifndef UAT_QUICKSORT_HPP
#define UAT_QUICKSORT_HPP

#include <algorithm>
#include <cstddef>

#include "uat/pattern.h"
#include "uat/task.hpp"

namespace uat
{

namespace detail
{

template <class T, class Less> struct quicksort {
    enum : std::size_t {
        RUN = 128,  /* elements that std::sort() takes */
        MOVED = 32, /* most bytes of an element that is moved at each step, needed or not, to do without a branch */
        UNEVEN = 8  /* as in pattern/sort.c */
    };

    /* Move those of p[from, to) that are `first` to the front of p[less, to), where none of p[less, from) is: Lomuto's pass. */
    template <class First>
    static std::size_t divide(T *p, std::size_t less, std::size_t from, std::size_t to, First first)
    {
        if constexpr (sizeof(T) > MOVED)
            return divide_large(p, less, from, to, first);
        for (std::size_t i = from; i < to; i++) {
            T x = p[i];
            p[i] = p[less];
            p[less] = x;
            less += first(x);
        }
        return less;
    }

    /* The same with as few copies as that takes: p[less] is kept aside, and each element goes to the hole that the last
     * has left. */
    template <class First>
    static std::size_t divide_large(T *p, std::size_t less, std::size_t from, std::size_t to, First first)
    {
        for (; less == from && from < to && first(p[from]); from++)
            less++;
        if (from == to)
            return less;
        T kept = p[less];
        /* p[from] itself is known, if it is the one kept. So `less` stays below i, whatever a comparison says twice. */
        for (std::size_t i = less == from ? from + 1 : from; i < to; i++) {
            if (!first(p[i]))
                continue;
            p[less++] = p[i];
            p[i] = p[less];
        }
        p[less] = kept;
        return less;
    }

    /* The median of the medians of three times three elements. */
    static T choose_pivot(const T *p, std::size_t n, Less less)
    {
        std::size_t step = n / 9;
        T m[3] = {p[0], p[0], p[0]};
        for (std::size_t k = 0; k < 3; k++) {
            T x[3] = {p[(3 * k) * step], p[(3 * k + 1) * step + step / 2], p[(3 * k + 2) * step + step / 3]};
            m[k] = middle(x, less);
        }
        return middle(m, less);
    }

    static T middle(const T *x, Less less)
    {
        bool a = less(x[0], x[1]), b = less(x[1], x[2]), c = less(x[0], x[2]);
        return a == b ? x[1] : a == c ? x[2] : x[0];
    }

    /* depth: partitions until std::sort() takes over, which has a bound for every order. */
    static void run(T *p, std::size_t n, Less less, int depth)
    {
        while (n > RUN && depth-- > 0) {
            T pivot = choose_pivot(p, n, less);
            std::size_t front = divide(p, 0, 0, n, [&](const T &x) { return less(x, pivot); }), from = front;
            if (front < n / UNEVEN)
                from = divide(p, front, front, n, [&](const T &x) { return !less(pivot, x); });
            if (front < n - from) {
                run(p, front, less, depth);
                p += from;
                n -= from;
            } else {
                run(p + from, n - from, less, depth);
                n = front;
            }
        }
        std::sort(p, p + n, less);
    }

    static void sort(void *elements, std::size_t count, const void *arg)
    {
        Less less = load<Less>(arg);
        int depth = 8;
        for (std::size_t n = count; n > 0; n /= 2)
            depth++;
        guarded([&] { run(static_cast<T *>(elements), count, less, depth); });
    }

    static std::size_t partition(void *elements, std::size_t front, std::size_t from, std::size_t to,
                                 const uat_sort_pivot *pivot)
    {
        Less less = load<Less>(pivot->arg);
        T value = load<T>(pivot->value), *p = static_cast<T *>(elements);
        return guarded([&] {
            return pivot->equal ? divide(p, front, from, to, [&](const T &x) { return !less(value, x); })
                                : divide(p, front, from, to, [&](const T &x) { return less(x, value); });
        });
    }
};

} // namespace detail

} // namespace uat

#endif
