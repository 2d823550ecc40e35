/* SPDX-License-Identifier: MIT */
/*
 * The kernel of uat::sort(): quicksort without branches that depend on the elements (Edelkamp and Weiss,
 * "BlockQuicksort", 2016, show the cost of such branches). Even if the comparison contradicts itself, as "less or
 * equal" does, every function accesses only its own elements and loses none of them. It loses none either if the
 * comparison throws: when an element is compared, no other place holds a second copy of it.
 */
#ifndef UAT_DETAIL_QUICKSORT_HPP
#define UAT_DETAIL_QUICKSORT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "uat/detail/sort.h"
#include "uat/detail/task.hpp"

namespace uat
{

namespace detail
{

template <class T, class Less> struct quicksort {
    enum : std::size_t {
        RUN = 16,        /* maximum number of small elements that are sorted by insertion */
        BLOCK = 128,     /* number of elements that are compared before any of them is moved */
        NUMBERED = 4096, /* maximum number of large elements that are sorted by their indices, which takes some KiB of
                          * stack */
        MOVED = 32,      /* maximum bytes of a small element; to avoid a branch, a small element is moved at each
                          * step */
        UNEVEN = 8       /* as in pattern/sort.c */
    };

    /* The elements of p[begin, end) that are on the wrong side of the pivot: their offsets from `begin`, in ascending
     * order. */
    struct misplaced {
        std::size_t begin, end, next, count;
        std::uint16_t at[BLOCK];

        bool empty() const
        {
            return next == count;
        }
        template <class Wrong> void find(const T *p, std::size_t from, std::size_t to, Wrong wrong)
        {
            begin = from;
            end = to;
            next = count = 0;
            for (std::size_t k = 0; k < to - from; k++) { /* without a branch that depends on an element */
                at[count] = std::uint16_t(k);
                count += wrong(p[from + k]);
            }
        }
        T &take(T *p)
        {
            return p[begin + at[next++]];
        }
        /* Move the remaining elements to the end of the block and return where they start. to_begin() moves them to the
         * start of the block and returns where they end. */
        std::size_t to_end(T *p)
        {
            std::size_t place = end;
            while (!empty())
                std::swap(p[begin + at[--count]], p[--place]);
            return place;
        }
        std::size_t to_begin(T *p)
        {
            std::size_t place = begin;
            while (!empty())
                std::swap(take(p), p[place++]);
            return place;
        }
    };

    /* The elements directly after the front do not belong to the front. Exchange them with elements from the end that
     * do. */
    template <class First> static void fill_front(T *p, uat_sort_pass &pass, std::size_t least, First first)
    {
        misplaced right;
        while (pass.less < pass.from && pass.to > least) {
            std::size_t n = std::min({std::size_t(BLOCK), pass.from - pass.less, pass.to - least});
            right.find(p, pass.to - n, pass.to, first);
            while (!right.empty())
                std::swap(p[pass.less++], right.take(p));
            pass.to -= n;
        }
    }

    /*
     * Hoare's pass from both ends, in blocks. It moves half as many elements as a pass from one end. Even with an
     * inconsistent comparison, it accesses no element outside its range.
     */
    template <class First> static void converge(T *p, uat_sort_pass &pass, std::size_t most, First first)
    {
        bool all = pass.to - pass.from <= most;
        std::size_t last = all ? pass.to : pass.from + most / 2, least = all ? pass.from : pass.to - most / 2;
        misplaced left, right;
        fill_front(p, pass, least, first);
        if (pass.less < pass.from)
            return;
        left.find(p, pass.from, pass.from, first);
        right.find(p, pass.to, pass.to, first);
        for (;;) {
            std::size_t l = left.end, r = right.begin;
            if (left.empty() && l < std::min(last, r))
                left.find(p, l, std::min({l + BLOCK, last, r}), [&](const T &x) { return !first(x); });
            else if (right.empty() && r > std::max(least, l))
                right.find(p, std::max({r - std::min(r, std::size_t(BLOCK)), least, l}), r, first);
            else if (left.empty() || right.empty())
                break;
            while (!left.empty() && !right.empty())
                std::swap(left.take(p), right.take(p));
        }
        pass.from = left.end;
        pass.less = left.to_end(p);
        pass.to = right.to_begin(p);
        /* If no element is left between the blocks, the elements that remain in the right block belong to the front. */
        if (pass.less == right.begin)
            pass.less = pass.from = pass.to;
    }

    /*
     * Move the elements of p[0, n) for which `first` is true to the front, and return their number. Small elements are
     * divided by one branch-free pass from left to right (Lomuto's). Each step writes both p[i] and p[less], even if no
     * exchange is needed.
     */
    template <class First> static std::size_t divide(T *p, std::size_t n, First first)
    {
        if constexpr (sizeof(T) > MOVED) {
            uat_sort_pass pass = {0, 0, n};
            converge(p, pass, n > 2 ? n : 2, first);
            return pass.less;
        }
        std::size_t less = 0;
        for (std::size_t i = 0; i < n; i++) {
            T x = p[i];
            p[i] = p[less];
            p[less] = x;
            less += first(x);
        }
        return less;
    }

    /* The pivot: the median of three medians, each of three elements. */
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

    /* Compares two elements given by their indices. */
    struct by_number {
        const T *p;
        Less *less;
        bool operator()(std::uint16_t a, std::uint16_t b) const
        {
            return (*less)(p[a], p[b]);
        }
    };

    /* Sort large elements: sort their indices, which are cheap to move, and then move each element once, to its
     * place. */
    static void sort_numbered(T *p, std::size_t n, Less &less)
    {
        std::uint16_t number[NUMBERED];
        for (std::size_t i = 0; i < n; i++)
            number[i] = std::uint16_t(i);
        quicksort<std::uint16_t, by_number>::run(number, n, by_number{p, &less}, depth_of(n));
        for (std::size_t i = 0; i < n; i++) { /* follow the cycle of the permutation that contains i */
            if (number[i] == i)
                continue;
            T kept = p[i];
            std::size_t to = i;
            for (std::size_t from; (from = number[to]) != i; to = from) {
                p[to] = p[from];
                number[to] = std::uint16_t(to);
            }
            p[to] = kept;
            number[to] = std::uint16_t(to);
        }
    }

    /* The maximum number of partitions for a range of n elements. */
    static int depth_of(std::size_t n)
    {
        int depth = 8;
        for (; n > 0; n /= 2)
            depth++;
        return depth;
    }

    /* An element that is on its way to its place. It gets there also if the comparison throws. */
    struct moved {
        T *p, x;
        std::size_t to;
        ~moved()
        {
            p[to] = x;
        }
    };

    /* Sort a few elements by insertion. std::sort() could run past the end if a comparison contradicts itself. */
    static void insert(T *p, std::size_t n, Less &less)
    {
        for (std::size_t i = 1; i < n; i++) {
            moved m{p, p[i], i};
            for (; m.to > 0 && less(m.x, p[m.to - 1]); m.to--)
                p[m.to] = p[m.to - 1];
        }
    }

    /* Heapsort (Williams 1964). std::sort_heap() would lose an element if the comparison throws. */
    static void sink(T *p, std::size_t at, std::size_t n, Less &less)
    {
        for (std::size_t child; (child = 2 * at + 1) < n; at = child) {
            child += child + 1 < n && less(p[child], p[child + 1]);
            if (!less(p[at], p[child]))
                return;
            std::swap(p[at], p[child]);
        }
    }
    static void sort_heap(T *p, std::size_t n, Less &less)
    {
        for (std::size_t i = n / 2; i-- > 0;)
            sink(p, i, n, less);
        for (; n > 1; n--) {
            std::swap(p[0], p[n - 1]);
            sink(p, 0, n - 1, less);
        }
    }

    /* A partitioned range: elements [0, front) sort before the pivot, and elements [front, from) are in place. */
    struct parts {
        std::size_t front, from;
    };
    static parts divide(T *p, std::size_t n, Less &less)
    {
        T pivot = choose_pivot(p, n, less);
        std::size_t front = divide(p, n, [&](const T &x) { return less(x, pivot); }), from = front;
        if (front == n)
            front = divide(p, n, [&](const T &x) { return !less(pivot, x); });
        else if (front < n / UNEVEN)
            from += divide(p + front, n - front, [&](const T &x) { return !less(pivot, x); });
        return {front, from};
    }

    /* Sort by quicksort. After `depth` partitions, the remaining range is sorted by heapsort, which needs n log n steps
     * for any order of the elements. As in pattern/sort.c, each partition puts some elements in their final places even
     * if the comparison contradicts itself. */
    static void run(T *p, std::size_t n, Less less, int depth)
    {
        constexpr std::size_t most = sizeof(T) > MOVED ? std::size_t(NUMBERED) : std::size_t(RUN);
        while (n > most && depth-- > 0) {
            parts at = divide(p, n, less);
            if (at.front < n - at.from) {
                run(p, at.front, less, depth);
                p += at.from;
                n -= at.from;
            } else {
                run(p + at.from, n - at.from, less, depth);
                n = at.front;
            }
        }
        if constexpr (sizeof(T) > MOVED) {
            if (n <= most)
                return sort_numbered(p, n, less);
        }
        if (n <= RUN)
            return insert(p, n, less);
        sort_heap(p, n, less);
    }

    /* Put the element into p[place] that a sort would put there, by quickselect (Hoare 1961, "Find"). After `depth`
     * partitions, the remaining range is sorted by heapsort. */
    static void select(T *p, std::size_t n, std::size_t place, Less less, int depth)
    {
        while (n > RUN && depth-- > 0) {
            parts at = divide(p, n, less);
            if (place < at.front) {
                n = at.front;
            } else if (place < at.from) {
                return;
            } else {
                p += at.from;
                place -= at.from;
                n -= at.from;
            }
        }
        run(p, n, less, 0);
    }

    static int before(const void *a, const void *b, const void *arg)
    {
        bool is_before = false;
        if (uat_failing.yes == 0) /* a merge that has failed copies the remaining elements */
            contain([&] {
                Less less = load<Less>(arg);
                is_before = less(*static_cast<const T *>(a), *static_cast<const T *>(b));
            });
        return is_before;
    }

    static int sort(void *elements, std::size_t count, const void *arg)
    {
        Less less = load<Less>(arg);
        contain([&] { run(static_cast<T *>(elements), count, less, depth_of(count)); });
        return 1;
    }

    static void partition(void *elements, uat_sort_pass *pass, std::size_t most, const uat_sort_pivot *pivot)
    {
        Less less = load<Less>(pivot->arg);
        T value = load<T>(pivot->value), *p = static_cast<T *>(elements);
        contain([&] {
            pivot->equal ? converge(p, *pass, most, [&](const T &x) { return !less(value, x); })
                         : converge(p, *pass, most, [&](const T &x) { return less(x, value); });
        });
    }
};

} // namespace detail

} // namespace uat

#endif
