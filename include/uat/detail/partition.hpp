/* SPDX-License-Identifier: MIT */
/* Copies and partitions of the elements that fulfil a predicate. Included by uat/partition.hpp. */
#ifndef UAT_DETAIL_PARTITION_HPP
#define UAT_DETAIL_PARTITION_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "uat/detail/loop.hpp"
#include "uat/detail/merge.hpp"
#include "uat/detail/operand.hpp"
#include "uat/detail/quicksort.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

/* Some elements of an input, and which of them fulfil the predicate. */
template <class T> struct matches {
    enum : std::size_t { MOST = 512 };
    const T *x;
    std::size_t first, size; /* index of x[0] in the input; number of elements */
    std::size_t before;      /* elements before x[0] that fulfil the predicate */
    std::size_t count;
    std::uint16_t at[MOST]; /* the elements x[at[0]], x[at[1]] ... fulfil it */

    template <class F> void find(F &f)
    {
        count = 0;
        for (std::size_t i = 0; i < size; i++) { /* without a branch that depends on an element */
            at[count] = std::uint16_t(i);
            count += std::size_t(f(x[i]) ? 1 : 0);
        }
    }
};

/* A kernel without a pivot: the predicate alone says which elements belong to the front. */
template <class T, class F> struct divider {
    struct never { /* the partition takes no comparison */
    };
    static void partition(void *elements, uat_sort_pass *pass, std::size_t most, const uat_sort_pivot *pivot)
    {
        F f = load<F>(pivot->arg);
        contain([&] {
            quicksort<T, never>::converge(static_cast<T *>(elements), *pass, most,
                                          [&](const T &x) { return bool(f(x)); });
        });
    }
    static std::size_t divide_own(T *p, std::size_t n, F f)
    {
        return quicksort<T, never>::divide(p, n, [&](const T &x) { return bool(f(x)); });
    }
};

template <class T, class F> std::size_t divide_here(void *elements, void *scratch, std::size_t count, const void *arg)
{
    F f = load<F>(arg);
    T *p = static_cast<T *>(elements), *others = static_cast<T *>(scratch);
    std::size_t front = 0;
    contain([&] {
        for (std::size_t i = 0; i < count; i++) {
            if (!f(std::as_const(p[i])))
                copy_here(others + (i - front), p + i, 1);
            else if (front++ < i)
                copy_here(p + front - 1, p + i, 1);
        }
        copy_here(p + front, others, count - front);
    });
    return front;
}

/* A stable partition where the elements are kept, on several hosts (pattern/homes_partition.c). Returns false if the
 * caller must divide them. */
template <class T, class F> bool divide_at_homes(span<T> s, F f, std::size_t *front)
{
    bool done = uat_divide_at_homes(divide_here<T, F>, s.data(), sizeof(T), s.size(), front, &f, sizeof(f)) != 0;
    throw_if_failed();
    return done;
}

/* Call write(m) for matches that cover the input, in any order and on any workers. A scan counts the matches before
 * each part, so f may be called several times for an element. Returns the number of matches. */
template <class T, class F, class Write> std::size_t scan_matches(span<const T> in, F f, Write write)
{
    auto count = [in, f](std::int64_t from, std::int64_t to, partial<std::size_t> sum) mutable {
        auto first = [&](std::size_t, const T &x) { return std::size_t(f(x) ? 1 : 0); };
        auto next = [&](std::size_t so_far, std::size_t, const T &x) { return so_far + std::size_t(f(x) ? 1 : 0); };
        return fold_elements(std::size_t(from), std::size_t(to), sum, first, next, in);
    };
    auto range = [in, f, write](std::int64_t from, std::int64_t to, std::size_t before) mutable {
        for (std::size_t at = std::size_t(from), end = std::size_t(to), n; at < end; at += n) {
            n = window<T>() < matches<T>::MOST ? window<T>() : std::size_t(matches<T>::MOST);
            n = n < end - at ? n : end - at;
            operand<T> x(in.subspan(at, n), false, nullptr);
            matches<T> m;
            m.x = x.data(), m.first = at, m.size = n, m.before = before;
            m.find(f);
            write(m);
            before += m.count;
        }
        return before;
    };
    return scan_ranges(0, std::int64_t(in.size()), std::size_t(0), count, std::plus<>(), range, 1, in.data(),
                       sizeof(T));
}

/* Write the matches to t in their order, and all other elements to the end of t, from its last element downwards.
 * Returns the number of matches. */
template <class T, class F> std::size_t divide_to(span<const T> in, span<T> t, F f)
{
    return scan_matches(in, f, [t](const matches<T> &m) {
        std::size_t others = m.size - m.count, end = t.size() - (m.first - m.before), k = 0;
        checkout<T> front(t.data() + m.before, m.count, UAT_WRITE), back(t.data() + end - others, others, UAT_WRITE);
        for (std::size_t i = 0; i < m.size; i++)
            if (k < m.count && m.at[k] == i)
                copy_here(front.begin() + k++, m.x + i, 1);
            else
                copy_here(back.end() - (i - k) - 1, m.x + i, 1);
    });
}

/* Copy t to s: the first `count` elements in their order, and the others from the last one on. */
template <class T> void unite(span<const T> t, span<T> s, std::size_t count)
{
    each_block(s, UAT_WRITE, [t, count](block<T> b) {
        for (std::size_t at = 0, n; at < b.size(); at += n) {
            std::size_t i = b.first() + at, most = i < count ? count - i : t.size() - i;
            n = window<T>() < b.size() - at ? window<T>() : b.size() - at;
            n = n < most ? n : most;
            operand<T> x(t.subspan(i < count ? i : t.size() - (i - count) - n, n), false, nullptr);
            if (i < count)
                copy_here(b.begin() + at, x.data(), n);
            else
                for (std::size_t k = 0; k < n; k++)
                    copy_here(b.begin() + at + k, x.data() + n - 1 - k, 1);
        }
    });
}

} // namespace detail

} // namespace uat

#endif
