/* SPDX-License-Identifier: MIT */
/*
 * Merges and the merge sort. Included by uat/merge.hpp.
 *
 * A merge divides its output, not its inputs: the co-rank of k says how many of the first k elements of the output come
 * from the first input (Siebert and Träff, "Perfectly load-balanced, optimal, stable, parallel merge", 2013). So all
 * parts have the size that the merge gives them, whatever the elements are. The sort is cilksort (Frigo, Leiserson and
 * Randall, PLDI'98): four quarters are sorted, merged into the second array in pairs, and merged back. On several hosts
 * a part of a merge starts where its output is kept, and a quarter where its middle is.
 *
 * Even if the comparison contradicts itself, a merge copies each element of its inputs exactly once.
 */
#ifndef UAT_DETAIL_MERGE_HPP
#define UAT_DETAIL_MERGE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "uat/detail/algorithm.hpp"
#include "uat/detail/operand.hpp"
#include "uat/detail/quicksort.hpp"
#include "uat/group.hpp"
#include "uat/invoke.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

enum : std::size_t {
    MERGE_LEAST = 2048, /* elements below which a merge does not split: some 10 us */
    MERGE_MOST = 8192,  /* maximum number of elements that a merge writes between two looks at the deque */
    MERGE_SENT = 65536, /* bytes up to which work on several hosts stays together: the smallest block of an array */
    SORTED_RUN = 16     /* elements that the merge sort sorts by insertion */
};

template <class T, class U> bool overlap(span<T> a, span<U> b)
{
    std::less<const void *> before;
    const void *a_begin = a.data(), *a_end = a.data() + a.size(), *b_begin = b.data(), *b_end = b.data() + b.size();
    return !a.empty() && !b.empty() && before(a_begin, b_end) && before(b_begin, a_end);
}

template <class T, class U> void must_be_apart(const char *algorithm, span<T> a, span<U> b)
{
    if (overlap(a, b))
        raise(std::invalid_argument(std::string("uat::") + algorithm +
                                    "(): spans that overlap; the output must share no element with an input"));
}

/* How many of the first k elements of the merge of a[0, a_size) and b[0, b_size) come from a. less(j, i): is b[j] less
 * than a[i]? Of equal elements, those of a come first. The result is within the inputs whatever `less` says. */
template <class Less> std::size_t co_rank(std::size_t k, std::size_t a_size, std::size_t b_size, Less less)
{
    std::size_t low = k > b_size ? k - b_size : 0, high = k < a_size ? k : a_size;
    while (low < high) {
        std::size_t i = low + (high - low) / 2;
        if (less(k - i - 1, i))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

template <class T> void copy_here(T *to, const T *from, std::size_t n)
{
    if (n > 0)
        std::memcpy(static_cast<void *>(to), static_cast<const void *>(from), n * sizeof(T));
}

/* Merge in this process. A separate function, for the reason that fold_window() gives. No branch depends on an element
 * while both inputs have some. */
template <class T, class Less>
__attribute__((noinline)) void merge_here(T *to, const T *a, std::size_t a_size, const T *b, std::size_t b_size,
                                          Less &less)
{
    const T *a_end = a + a_size, *b_end = b + b_size;
    for (; a < a_end && b < b_end; to++) {
        bool second = less(*b, *a);
        const T *next[2] = {a, b};
        copy_here(to, next[second], 1);
        b += second;
        a += !second;
    }
    copy_here(to, a, std::size_t(a_end - a));
    copy_here(to + (a_end - a), b, std::size_t(b_end - b));
}

/* Merge the first n elements of the output. Returns how many of them come from a. */
template <class T, class Less>
std::size_t merge_some(span<const T> a, span<const T> b, span<T> out, std::size_t n, Less &less)
{
    operand<T> x(a.first(n), false, nullptr), y(b.first(n), false, nullptr);
    std::size_t from_a = co_rank(n, a.first(n).size(), b.first(n).size(),
                                 [&](std::size_t j, std::size_t i) { return less(y[j], x[i]); });
    checkout<T> written(out.data(), n, UAT_WRITE);
    merge_here(written.data(), x.data(), from_a, y.data(), n - from_a, less);
    return from_a;
}

/* Do several workers keep the span, some of them far, and is it large enough to be worked on in several places? A span
 * with one home is not sent there: the worker that has it may have stolen it. */
template <class T> bool is_spread(span<T> s)
{
    return s.size() > MERGE_SENT / sizeof(T) && !s.near() &&
           uat_global_home(s.data()) != uat_global_home(s.data() + s.size() - 1);
}

/* The place near element i where a span should be cut: a span that is_spread(), between two blocks of its array. */
template <class T> std::size_t cut_near(span<T> s, std::size_t i)
{
    std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(s.data()), block = UAT_GLOBAL_BLOCK;
    std::uintptr_t edge = (begin + i * sizeof(T) + block / 2) / block * block;
    std::size_t at = edge > begin ? (edge - begin + sizeof(T) - 1) / sizeof(T) : 0;
    return is_spread(s) && at > 0 && at < s.size() ? at : i;
}

/* Call f(i) for all i below N, in parallel. f(i) works on home[i], and starts where the middle of home[i] is. */
template <std::size_t N, class T, class F> void invoke_at(const span<T> (&home)[N], F f)
{
    task_group g;
    int worker[N];
    for (std::size_t i = 0; i < N; i++) {
        const T *middle = home[i].data() + home[i].size() / 2;
        worker[i] = uat_global_near(middle, 1) > 0 ? -1 : uat_global_home(middle);
    }
    for (std::size_t i = 0; i < N; i++) /* what is sent away comes first */
        if (worker[i] >= 0)
            g.run_on(worker[i], [f, i] { f(i); });
    for (std::size_t i = 0; i < N; i++)
        if (worker[i] < 0)
            g.run([f, i] { f(i); });
    g.wait();
}

/* A copy of an element. No more bytes are read, because a search reads few elements of a neighbourhood. */
template <class T> T read_one(span<const T> s, std::size_t i)
{
    place<T> copy;
    uat_global_get(copy.bytes, s.data() + i, sizeof(T));
    return copy.get();
}

/* placed: the merge was sent to the home of its output. It splits on demand only if its elements take longer than their
 * transfer to another host. */
template <class T, class Less>
void merge_all(span<const T> a, span<const T> b, span<T> out, Less less, bool placed = false)
{
    bool spread = is_spread(out), may_split = !placed;
    while (!out.empty()) {
        if (spread || (out.size() > MERGE_LEAST && may_split && uat_work_wanted())) {
            std::size_t k = cut_near(out, out.size() / 2),
                        i = co_rank(k, a.size(), b.size(),
                                    [&](std::size_t j, std::size_t m) { return less(read_one(b, j), read_one(a, m)); });
            auto part = [=](std::size_t which) {
                return which == 0 ? merge_all(a.first(i), b.first(k - i), out.first(k), less, placed || spread)
                                  : merge_all(a.subspan(i), b.subspan(k - i), out.subspan(k), less, placed || spread);
            };
            if (spread)
                return invoke_at({out.first(k), out.subspan(k)}, part);
            return parallel_invoke([part] { part(0); }, [part] { part(1); });
        }
        std::size_t n = window<T>() < MERGE_MOST ? window<T>() : std::size_t(MERGE_MOST);
        n = n < out.size() ? n : out.size();
        std::uint64_t began = placed ? uat_time_ns() : 0;
        std::size_t i = merge_some(a, b, out, n, less);
        may_split = !placed || uat_time_ns() - began > 4 * n * sizeof(T);
        a = a.subspan(i);
        b = b.subspan(n - i);
        out = out.subspan(n);
    }
}

/*
 * Sort n elements in this process, stably: runs by insertion, then merges to the scratch memory and back. If the
 * comparison throws during a merge, the elements are all in its input, which goes back to p.
 */
template <class T, class Less> struct merge_sort {
    T *p, *scratch, *from;
    std::size_t n;

    ~merge_sort()
    {
        if (from != p)
            copy_here(p, from, n);
    }
    void run(Less &less)
    {
        for (std::size_t at = 0; at < n; at += SORTED_RUN)
            quicksort<T, Less>::insert(p + at, rest(at, SORTED_RUN), less);
        for (std::size_t length = SORTED_RUN; length < n; length *= 2) {
            T *to = from == p ? scratch : p;
            for (std::size_t at = 0; at < n; at += 2 * length) {
                std::size_t low = rest(at, length), high = rest(at + low, length);
                merge_here(to + at, from + at, low, from + at + low, high, less);
            }
            from = to;
        }
    }
    std::size_t rest(std::size_t at, std::size_t length) const
    {
        return length < n - at ? length : n - at;
    }
};

template <class T, class Less> void sort_here_stably(T *p, std::size_t n, Less &less)
{
    struct free_it {
        void operator()(void *memory) const
        {
            std::free(memory);
        }
    };
    if (n <= SORTED_RUN)
        return quicksort<T, Less>::insert(p, n, less);
    constexpr std::size_t least = alignof(std::max_align_t), align = alignof(T) > least ? alignof(T) : least;
    std::unique_ptr<void, free_it> scratch(align > least ? std::aligned_alloc(align, n * sizeof(T))
                                                         : std::malloc(n * sizeof(T)));
    if (!scratch)
        raise(std::bad_alloc());
    merge_sort<T, Less>{p, static_cast<T *>(scratch.get()), p, n}.run(less);
}

/* The last merge has failed: its input has all elements, and its output has some of them twice. */
template <class T> [[noreturn, gnu::cold, gnu::noinline]] void copy_back_and_throw(span<const T> from, span<T> to)
{
    uat_failure f;
    uat_failure_take(&f);
    transform_all(
        to, [](const T &x) { return x; }, from);
    throw_failure(f);
}

/* Call f. Its exception leaves as that of a task, whether f has spawned or not. So its type does not depend on who
 * wanted work. */
template <class F> void throw_as_task(F &&f)
{
    if (!contain(f))
        throw_taken();
}

/* Set keys and values to the members of the pairs. */
template <class K, class V> void unzip(span<const std::pair<K, V>> pairs, span<K> keys, span<V> values)
{
    each_block(keys, UAT_WRITE, [pairs, values](block<K> b) {
        for (std::size_t at = 0, n; at < b.size(); at += n) {
            n = window<std::pair<K, V>>() < b.size() - at ? window<std::pair<K, V>>() : b.size() - at;
            operand<std::pair<K, V>> x(pairs.subspan(b.first() + at, n), false, nullptr);
            checkout<V> v(values.data() + b.first() + at, n, UAT_WRITE);
            for (std::size_t i = 0; i < n; i++) {
                b[at + i] = x[i].first;
                v[i] = x[i].second;
            }
        }
    });
}

/* Sort s stably. t has the same size, and undefined elements before and after. If `less` throws, s has its elements. */
/* placed: as for merge_all(). */
template <class T, class Less> void sort_stably(span<T> s, span<T> t, Less less, bool placed = false)
{
    placed = placed || is_spread(s);
    if (s.size() <= window<T>() || s.size() < 4) {
        auto q = s.update();
        return sort_here_stably(q.data(), q.size(), less);
    }
    std::size_t half = cut_near(s, s.size() / 2), low = cut_near(s, half / 2),
                high = cut_near(s, half + (s.size() - half) / 2);
    auto quarter = [=](span<T> of, std::size_t i) {
        const std::size_t edges[] = {0, low, half, high, s.size()};
        return of.subspan(edges[i], edges[i + 1] - edges[i]);
    };
    auto part = [=](std::size_t i) { sort_stably(quarter(s, i), quarter(t, i), less, placed); };
    auto merge = [=](span<const T> from, span<T> to, std::size_t begin, std::size_t middle, std::size_t end) {
        merge_all(from.subspan(begin, middle - begin), from.subspan(middle, end - middle),
                  to.subspan(begin, end - begin), less, placed);
    };
    if (is_spread(s))
        invoke_at({quarter(s, 0), quarter(s, 1), quarter(s, 2), quarter(s, 3)}, part);
    else
        parallel_invoke([part] { part(0); }, [part] { part(1); }, [part] { part(2); }, [part] { part(3); });
    parallel_invoke([=] { merge(s, t, 0, low, half); }, [=] { merge(s, t, half, high, s.size()); });
    if (!contain([&] { merge(t, s, 0, half, s.size()); }))
        copy_back_and_throw(span<const T>(t), s);
}

} // namespace detail

} // namespace uat

#endif
