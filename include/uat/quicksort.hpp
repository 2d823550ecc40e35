/* SPDX-License-Identifier: MIT */
/*
 * The kernel of uat::sort(): quicksort without branches that depend on the elements (Edelkamp and Weiss, "BlockQuicksort",
 * 2016, show what these cost), down to runs that std::sort() takes. Included by uat.hpp.
 */
#ifndef UAT_QUICKSORT_HPP
#define UAT_QUICKSORT_HPP

#include <algorithm>
#include <cstddef>
#include <utility>

#include "uat/pattern.h"
#include "uat/task.hpp"

namespace uat
{

namespace detail
{

template <class T, class Less> struct quicksort {
    enum : std::size_t {
        RUN = 128,  /* elements that std::sort() takes */
        MOVED = 32, /* bytes of a small element: moved at each step, needed or not, to do without a branch */
        UNEVEN = 8  /* as in pattern/sort.c */
    };

    /* Take up `most` elements of a partition by `first`, which tells what belongs to the front. Small ones: Lomuto's pass. */
    template <class First> static void advance(T *p, uat_sort_pass &pass, std::size_t most, First first)
    {
        std::size_t less = pass.less, to = pass.from + std::min(most, pass.to - pass.from);
        if constexpr (sizeof(T) > MOVED)
            return converge(p, pass, most, first);
        for (std::size_t i = pass.from; i < to; i++) {
            T x = p[i];
            p[i] = p[less];
            p[less] = x;
            less += first(x);
        }
        pass.less = less;
        pass.from = to;
    }

    /*
     * Large ones: Hoare's pass from both ends, which moves half as many. Where elements behind the front are known not to
     * belong to it, those from the end that do take their places first. An element is compared once, so a comparison
     * that contradicts itself does no harm.
     */
    template <class First> static void converge(T *p, uat_sort_pass &pass, std::size_t most, First first)
    {
        std::size_t i = pass.from, j = pass.to;
        bool all = j - i <= most;
        std::size_t last = all ? j : i + most / 2, least = all ? i : j - most / 2; /* go no further */
        while (pass.less < i && j > least)
            if (first(p[--j]))
                std::swap(p[pass.less++], p[j]);
        while (pass.less == i) {
            for (std::size_t limit = std::min(last, j); i < limit && first(p[i]);)
                pass.less = ++i;
            if (i >= std::min(last, j))
                break;
            std::size_t limit = std::max(least, i + 1);
            while (j > limit && !first(p[j - 1]))
                j--;
            if (j == i + 1) /* p[i] is known */
                j = i;
            if (j <= limit)
                break;
            std::swap(p[i], p[--j]);
            pass.less = ++i;
        }
        pass.from = i;
        pass.to = j;
    }

    /* How many of p[0, n) are `first`; they move to the front. */
    template <class First> static std::size_t divide(T *p, std::size_t n, First first)
    {
        uat_sort_pass pass = {0, 0, n};
        advance(p, pass, n > 2 ? n : 2, first);
        return pass.less;
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
            std::size_t front = divide(p, n, [&](const T &x) { return less(x, pivot); }), from = front;
            if (front < n / UNEVEN)
                from += divide(p + front, n - front, [&](const T &x) { return !less(pivot, x); });
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
        guarded([&] {
            if constexpr (sizeof(T) > MOVED)
                std::sort(static_cast<T *>(elements), static_cast<T *>(elements) + count, less);
            else
                run(static_cast<T *>(elements), count, less, depth);
        });
    }

    static void partition(void *elements, uat_sort_pass *pass, std::size_t most, const uat_sort_pivot *pivot)
    {
        Less less = load<Less>(pivot->arg);
        T value = load<T>(pivot->value), *p = static_cast<T *>(elements);
        guarded([&] {
            pivot->equal ? advance(p, *pass, most, [&](const T &x) { return !less(value, x); })
                         : advance(p, *pass, most, [&](const T &x) { return less(x, value); });
        });
    }
};

} // namespace detail

} // namespace uat

#endif
