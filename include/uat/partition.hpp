/* SPDX-License-Identifier: MIT */
/* Selections and partitions of spans of global memory in C++17, to be called inside a task. Included by uat.hpp. */
#ifndef UAT_PARTITION_HPP
#define UAT_PARTITION_HPP

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "uat/detail/partition.hpp"
#include "uat/span.hpp"

namespace uat
{

/*
 * Copy the elements for which f(element) is true to the start of out, in their order. Returns their number. A scan
 * (Blelloch 1990). f may be called several times for an element. It must not spawn, join or wait. If out is too small,
 * it receives the first elements, and copy_if() throws std::length_error. If the spans share an element, throws
 * std::invalid_argument and does nothing else. If f throws, copy_if() throws the exception that is the first in serial
 * order, and out has undefined elements.
 */
template <class A, class T, class F> std::size_t copy_if(span<A> in, span<T> out, F f)
{
    static_assert(std::is_same<std::remove_cv_t<A>, T>::value,
                  "uat: the spans of copy_if() have elements of one type, and the output's are not const");
    detail::must_travel<F>();
    detail::must_be_apart("copy_if", in, out);
    std::size_t count = detail::scan_matches(span<const T>(in), f, [out](const detail::matches<T> &m) {
        span<T> to = out.subspan(m.before, m.count);
        checkout<T> q(to.data(), to.size(), UAT_WRITE);
        for (std::size_t k = 0; k < q.size(); k++)
            detail::copy_here(q.begin() + k, m.x + m.at[k], 1);
    });
    if (count > out.size())
        detail::raise(std::length_error("uat::copy_if(): " + std::to_string(count) + " elements to copy to a span of " +
                                        std::to_string(out.size())));
    return count;
}

/*
 * Move the elements for which f(element) is true to the start of the span, in any order. Returns their number. In
 * place: the parallel partition of sort(). f may be called several times for an element. f must not spawn, join or
 * wait. If f throws, partition() throws one of the exceptions (see task_error), and the span has its elements in an
 * undefined order.
 */
template <class T, class F> std::size_t partition(span<T> s, F f)
{
    detail::must_be_writable<T>();
    detail::must_travel<F>();
    using divider = detail::divider<T, F>;
    const uat_sort_kernel kernel = {sizeof(T), nullptr, divider::partition, nullptr};
    std::size_t count = 0;
    if (uat_global_home(s.data()) < 0)
        detail::contain([&] { count = divider::divide_own(s.data(), s.size(), f); });
    else
        count = uat_partition_by(&kernel, s.data(), s.size(), &f, sizeof(f));
    detail::throw_if_failed();
    return count;
}

/*
 * Move the elements for which f(element) is true to the start of the span, and keep the order of these and of the
 * others. Returns the number of the former. Calls f as copy_if() does. It uses a temporary array of the span's
 * size, so the program must have called uat_global_temporary_open(); without room it throws std::bad_alloc. On several
 * hosts, each worker also allocates twice the bytes that it keeps of the span, if it can (docs/loops.md). If f
 * throws, stable_partition() throws the exception that is the first in serial order, and the span is unchanged.
 */
template <class T, class F> std::size_t stable_partition(span<T> s, F f)
{
    detail::must_be_writable<T>();
    detail::must_travel<F>();
    std::size_t count = 0;
    if (detail::divide_at_homes(s, f, &count))
        return count;
    temporary_vector<T> t(s.size());
    count = detail::divide_to(span<const T>(s), t.span(), f);
    detail::unite(span<const T>(t.span()), s, count);
    return count;
}

} // namespace uat

#endif
