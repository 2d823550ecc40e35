/* SPDX-License-Identifier: MIT */
/* Merges and stable sorts of spans of global memory in C++17, to be called inside a task. Included by uat.hpp. */
#ifndef UAT_MERGE_HPP
#define UAT_MERGE_HPP

#include <functional>
#include <type_traits>
#include <utility>

#include "uat/algorithm.hpp"
#include "uat/detail/merge.hpp"
#include "uat/span.hpp"

namespace uat
{

/*
 * Merge a and b, which are sorted by `less`, into out. Stable: of equal elements, those of a come first. Takes
 * out.size() comparisons, and the logarithm of its size for each part and each window (32 KiB or less); no memory. If
 * out is on several hosts and has 32 KiB for each worker, the worker that keeps an element of out writes it, and reads
 * about one element of a and b for it (docs/loops.md). A `less` that contradicts itself costs as much again. If out
 * does not have the size of a and b together, or shares an element with one of them, throws std::invalid_argument and
 * does nothing else. If `less` throws, merge() throws one of the exceptions (see task_error), and out has undefined
 * elements.
 */
template <class A, class B, class T, class Less = std::less<>>
void merge(span<A> a, span<B> b, span<T> out, Less less = Less())
{
    static_assert(std::is_same<std::remove_cv_t<A>, T>::value && std::is_same<std::remove_cv_t<B>, T>::value,
                  "uat: the three spans of a merge have elements of one type, and the output's are not const");
    detail::must_travel<Less>();
    detail::must_match("merge", a.size() + b.size(), out.size());
    detail::must_be_apart("merge", a, out);
    detail::must_be_apart("merge", b, out);
    if (!out.near() && detail::merge_at_homes(span<const T>(a), span<const T>(b), out, less))
        return;
    detail::throw_as_task([&] { detail::merge_all(span<const T>(a), span<const T>(b), out, less); });
}

/*
 * Sort the span by `less`, a strict weak order, and keep the order of equal elements. A merge sort (detail/merge.hpp):
 * O(n log n) comparisons. It needs a second array of the same size. The first form allocates a temporary array, so the
 * program must have called uat_global_temporary_open(); without room it throws std::bad_alloc. The second form uses
 * `scratch`, whose elements are undefined afterwards; if the spans differ in size or overlap, throws
 * std::invalid_argument. Each worker also allocates 32 KiB or less by malloc(). Leaves have at most 32 KiB. A factor of
 * 4 above that in size costs two merges, and each merge reads each element about once and writes it once. On several
 * hosts, an element moves about once (docs/loops.md), and each worker allocates once or twice what it keeps of the
 * span. If `less` throws, stable_sort() throws one of the exceptions (see task_error); the span then has its elements
 * in an undefined order, and the temporary array is free again. If the memory of the first form is not global, the
 * calling task alone sorts it.
 */
template <class T, class Less = std::less<>> void stable_sort(span<T> s, span<T> scratch, Less less = Less())
{
    detail::must_be_writable<T>();
    detail::must_travel<Less>();
    detail::must_match("stable_sort", s.size(), scratch.size());
    detail::must_be_apart("stable_sort", s, scratch);
    if (detail::sort_at_homes(s, scratch.data(), less))
        return;
    detail::throw_as_task([&] { detail::sort_stably(s, scratch, less); });
}
template <class T, class Less = std::less<>> void stable_sort(span<T> s, Less less = Less())
{
    detail::must_be_writable<T>();
    detail::must_travel<Less>();
    if (uat_global_home(s.data()) < 0)
        return detail::throw_as_task([&] { detail::sort_here_stably(s.data(), s.size(), less); });
    if (detail::sort_at_homes(s, static_cast<T *>(nullptr), less))
        return;
    temporary_vector<T> scratch(s.size());
    detail::throw_as_task([&] { detail::sort_stably(s, scratch.span(), less); });
}

/*
 * Sort `keys` by `less`, and give `values` the order of their keys. Stable, so the result is the same for any number of
 * workers. It copies keys and values to a temporary array of pairs, sorts that by stable_sort(), and copies them back;
 * so it takes two temporary arrays of pairs (see stable_sort()). If the spans differ in size or overlap, throws
 * std::invalid_argument. If it throws, keys and values are unchanged.
 */
template <class K, class V, class Less = std::less<>> void sort_by_key(span<K> keys, span<V> values, Less less = Less())
{
    using pair = std::pair<K, V>;
    detail::must_be_writable<K>();
    detail::must_be_writable<V>();
    detail::must_travel<Less>();
    detail::must_match("sort_by_key", keys.size(), values.size());
    detail::must_be_apart("sort_by_key", keys, values);
    if (detail::keyed<K, V, Less>{keys, values, less}.sort())
        return;
    temporary_vector<pair> pairs(keys.size());
    uat::transform(keys, values, pairs.span(), [](const K &k, const V &v) { return pair{k, v}; });
    uat::stable_sort(pairs.span(), [less](const pair &a, const pair &b) mutable { return less(a.first, b.first); });
    detail::unzip(span<const pair>(pairs.span()), keys, values);
}

} // namespace uat

#endif
