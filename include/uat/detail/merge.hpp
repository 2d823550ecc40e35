/* SPDX-License-Identifier: MIT */
/*
 * Merges and the merge sort. Included by uat/merge.hpp.
 *
 * A merge divides its output, not its inputs: the co-rank of k says how many of the first k elements of the output come
 * from the first input (Siebert and Träff, "Perfectly load-balanced, optimal, stable, parallel merge", 2013). So all
 * parts have the size that the merge gives them, whatever the elements are. The sort is cilksort (Frigo, Leiserson and
 * Randall, PLDI'98): four quarters are sorted, merged into the second array in pairs, and merged back.
 *
 * Even if the comparison contradicts itself, a merge copies each element of its inputs exactly once.
 */
#ifndef UAT_DETAIL_MERGE_HPP
#define UAT_DETAIL_MERGE_HPP

#include <cstddef>
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
#include "uat/invoke.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

enum : std::size_t {
    MERGE_LEAST = 2048, /* elements below which a merge does not split: 2.5 us, if they are words */
    MERGE_MOST = 8192,  /* maximum number of elements that a merge writes between two looks at the deque */
    MERGE_PART = 32768, /* bytes of the output from which a part of its own is worth a search: some 20 far reads */
    MERGE_TWICE = 64,   /* elements from which a process runs two halves of a merge side by side */
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

/* A merge in this process. No branch of a step depends on an element. */
template <class T> struct merging {
    T *to;
    const T *a, *a_end, *b, *b_end;

    bool has_both() const
    {
        return a < a_end && b < b_end;
    }
    template <class Less> __attribute__((always_inline)) void step(Less &less)
    {
        bool second = less(*b, *a);
        const T *next = second ? b : a;
        copy_here(to++, next, 1);
        b += second;
        a += !second;
    }
    template <class Less> __attribute__((always_inline)) void finish(Less &less)
    {
        while (has_both())
            step(less);
        copy_here(to, a, std::size_t(a_end - a));
        copy_here(to + (a_end - a), b, std::size_t(b_end - b));
    }
};

/*
 * Merge in this process. A separate function, for the reason that fold_window() gives. Each step waits for the previous
 * one, whose result says which elements it compares. So a merge that is worth the search for its middle runs as two
 * side by side, and the processor works on both at once: 1.2 ns per word instead of 2.3 (gcc 12).
 */
template <class T, class Less>
__attribute__((noinline)) void merge_here(T *to, const T *a, std::size_t a_size, const T *b, std::size_t b_size,
                                          Less &less)
{
    std::size_t k = a_size + b_size < MERGE_TWICE ? 0 : (a_size + b_size) / 2;
    std::size_t i = co_rank(k, a_size, b_size, [&](std::size_t j, std::size_t m) { return less(b[j], a[m]); });
    merging<T> first{to, a, a + i, b, b + (k - i)};
    merging<T> second{to + k, a + i, a + a_size, b + (k - i), b + b_size};
    while (first.has_both() && second.has_both()) {
        first.step(less);
        second.step(less);
    }
    first.finish(less);
    second.finish(less);
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

template <class T, class Less> void merge_all(span<const T> a, span<const T> b, span<T> out, Less less)
{
    while (!out.empty()) {
        if (out.size() > MERGE_LEAST && uat_work_wanted()) {
            std::size_t k = out.size() / 2, i = co_rank(k, a.size(), b.size(), [&](std::size_t j, std::size_t m) {
                                                return less(b.get(j), a.get(m));
                                            });
            auto first = [=] { merge_all(a.first(i), b.first(k - i), out.first(k), less); };
            auto second = [=] { merge_all(a.subspan(i), b.subspan(k - i), out.subspan(k), less); };
            parallel_invoke(first, second);
            return;
        }
        std::size_t n = window<T>() < MERGE_MOST ? window<T>() : std::size_t(MERGE_MOST);
        n = n < out.size() ? n : out.size();
        std::size_t i = merge_some(a, b, out, n, less);
        a = a.subspan(i);
        b = b.subspan(n - i);
        out = out.subspan(n);
    }
}

/* What a part of a merge has done: how many elements before its start and before its end come from the first input. */
struct merged {
    std::size_t first, last;
    bool right; /* do the parts of this part fit together? */
};

/*
 * Merge where the elements of the output are kept. The worker of a part searches once, and each piece goes on where the
 * previous one has ended. Parts fit together unless the comparison contradicts itself. Returns whether they do.
 */
template <class T, class Less> bool merge_at_homes(span<const T> a, span<const T> b, span<T> out, Less less)
{
    auto range = [=](std::int64_t from, std::int64_t to, partial<merged> sum) mutable {
        std::size_t at = std::size_t(from), end = std::size_t(to), n;
        auto second = [&](std::size_t j, std::size_t i) { return less(b.get(j), a.get(i)); };
        merged m = sum.get();
        if (!sum.any)
            m.first = m.last = co_rank(at, a.size(), b.size(), second), m.right = true;
        for (; at < end; at += n) {
            n = window<T>() < MERGE_LEAST ? window<T>() : std::size_t(MERGE_LEAST);
            n = n < end - at ? n : end - at;
            m.last += merge_some(a.subspan(m.last), b.subspan(at - m.last), out.subspan(at), n, less);
        }
        return m;
    };
    auto combine = [](const merged &x, const merged &y) {
        return merged{x.first, y.last, x.right && y.right && x.last == y.first};
    };
    auto grain = std::int64_t(MERGE_PART / sizeof(T) + 1);
    return reduce_near<merged>(out.size(), out.data(), sizeof(T), range, combine, grain).get().right;
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

/* Returns whether there was memory. */
template <class T, class Less> bool try_sort_here_stably(T *p, std::size_t n, Less &less)
{
    struct free_it {
        void operator()(void *memory) const
        {
            std::free(memory);
        }
    };
    if (n <= SORTED_RUN) {
        quicksort<T, Less>::insert(p, n, less);
        return true;
    }
    constexpr std::size_t least = alignof(std::max_align_t), align = alignof(T) > least ? alignof(T) : least;
    std::unique_ptr<void, free_it> scratch(align > least ? std::aligned_alloc(align, n * sizeof(T))
                                                         : std::malloc(n * sizeof(T)));
    if (scratch)
        merge_sort<T, Less>{p, static_cast<T *>(scratch.get()), p, n}.run(less);
    return scratch != nullptr;
}

template <class T, class Less> void sort_here_stably(T *p, std::size_t n, Less &less)
{
    if (!try_sort_here_stably(p, n, less))
        raise(std::bad_alloc());
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

template <class T, class Less> int sort_kernel_stably(void *elements, std::size_t count, const void *arg)
{
    Less less = load<Less>(arg);
    bool sorted = true;
    contain([&] { sorted = try_sort_here_stably(static_cast<T *>(elements), count, less); });
    return sorted;
}

/* Sort stably where the elements are kept, on several hosts (pattern/homes_sort.c). Returns false if the caller must
 * sort. scratch: as for uat_sort_at_homes(). */
template <class T, class Less> bool sort_at_homes(span<T> s, T *scratch, Less less)
{
    const uat_sort_kernel kernel = {sizeof(T), sort_kernel_stably<T, Less>, nullptr, quicksort<T, Less>::before};
    bool done = uat_sort_at_homes(&kernel, nullptr, s.data(), sizeof(T), s.size(), scratch, &less, sizeof(less)) != 0;
    throw_if_failed();
    return done;
}

/* Keys and values as pairs, which are compared by their keys. */
template <class K, class V, class Less> struct keyed {
    using pair = std::pair<K, V>;
    span<K> keys;
    span<V> values;
    Less less;

    bool operator()(const pair &a, const pair &b)
    {
        return less(a.first, b.first);
    }
    std::size_t next(std::size_t left) const
    {
        std::size_t n = window<K>() < window<V>() ? window<K>() : window<V>();
        return n < left ? n : left;
    }
    static void take(void *elements, std::size_t first, std::size_t count, const void *arg)
    {
        const keyed k = load<keyed>(arg);
        pair *p = static_cast<pair *>(elements);
        for (std::size_t at = 0, n; at < count; at += n) {
            n = k.next(count - at);
            operand<K> x(k.keys.subspan(first + at, n), false, nullptr);
            operand<V> y(k.values.subspan(first + at, n), false, nullptr);
            for (std::size_t i = 0; i < n; i++)
                p[at + i] = pair{x[i], y[i]};
        }
    }
    static void give(const void *elements, std::size_t first, std::size_t count, const void *arg)
    {
        const keyed k = load<keyed>(arg);
        const pair *p = static_cast<const pair *>(elements);
        for (std::size_t at = 0, n; at < count; at += n) {
            n = k.next(count - at);
            checkout<K> x(k.keys.data() + first + at, n, UAT_WRITE);
            checkout<V> y(k.values.data() + first + at, n, UAT_WRITE);
            for (std::size_t i = 0; i < n; i++) {
                x[i] = p[at + i].first;
                y[i] = p[at + i].second;
            }
        }
    }
    /* sort_at_homes() for pairs. */
    bool sort() const
    {
        const uat_sort_kernel kernel = {sizeof(pair), sort_kernel_stably<pair, keyed>, nullptr,
                                        quicksort<pair, keyed>::before};
        const uat_sort_pack pack = {take, give};
        bool done =
            uat_sort_at_homes(&kernel, &pack, keys.data(), sizeof(K), keys.size(), nullptr, this, sizeof(*this)) != 0;
        throw_if_failed();
        return done;
    }
};

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
template <class T, class Less> void sort_stably(span<T> s, span<T> t, Less less)
{
    if (s.size() <= window<T>() || s.size() < 4) {
        auto q = s.update();
        return sort_here_stably(q.data(), q.size(), less);
    }
    std::size_t half = s.size() / 2, low = half / 2, high = half + (s.size() - half) / 2;
    auto part = [=](std::size_t begin, std::size_t end) {
        return [=] { sort_stably(s.subspan(begin, end - begin), t.subspan(begin, end - begin), less); };
    };
    auto merge = [=](span<const T> from, span<T> to, std::size_t begin, std::size_t middle, std::size_t end) {
        merge_all(from.subspan(begin, middle - begin), from.subspan(middle, end - middle),
                  to.subspan(begin, end - begin), less);
    };
    parallel_invoke(part(0, low), part(low, half), part(half, high), part(high, s.size()));
    parallel_invoke([=] { merge(s, t, 0, low, half); }, [=] { merge(s, t, half, high, s.size()); });
    if (!contain([&] { merge(t, s, 0, half, s.size()); }))
        copy_back_and_throw(span<const T>(t), s);
}

} // namespace detail

} // namespace uat

#endif
