/* SPDX-License-Identifier: MIT */
/*
 * The bytes that algorithms move between hosts: bytes fetched and bytes written, each divided by the bytes of the
 * elements; and the time of their run. A sorted result is checked by its order, at some places. A selection is checked
 * by its count and by the elements at its end, and a pass by its sum. Prints JSON.
 * usage: uatrun -n WORKERS rival-moves ELEMENTS [NS]   with UAT_GLOBAL_HOSTS or a simulated network of several hosts.
 * NS: virtual time of each call with an element or of each comparison, in nanoseconds
 */
#include <cstdio>
#include <cstdlib>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

using word = std::uint64_t;
using words = uat::span<word>;

std::uint64_t work; /* NS; the same on all workers */

/* f, which takes some virtual time. */
template <class F> auto busy(F f)
{
    return [f](auto... x) {
        uat_sim_work(work);
        return f(x...);
    };
}
const auto before = [](word a, word b) { return a < b; };

/* Run f once, and print what it moved. `size` is the number of elements. f returns whether its result is right. */
template <class F> int measure(const char *name, std::size_t size, F f)
{
    uat_stats_t start = {}, after = {};
    int failed = uat_stats_total(&start);
    const std::uint64_t began = uat_time_ns();
    bool right = uat::run(f);
    const double us = 1e-3 * double(uat_time_ns() - began);
    failed |= uat_stats_total(&after);
    double bytes = double(size * sizeof(word));
    if (uat_rank() == 0)
        std::printf("\"%s, fetched\": %.2f, \"%s, written\": %.2f, \"%s, us\": %.0f, ", name,
                    double(after.global_bytes_fetched - start.global_bytes_fetched) / bytes, name,
                    double(after.global_bytes_written - start.global_bytes_written) / bytes, name, us);
    if (!right || failed)
        std::fprintf(stderr, "rival-moves: %s: wrong\n", name);
    return failed != 0 || !right;
}

/* Elements in random order. */
void shuffle(words s)
{
    uat::run([s] { uat::tabulate(s, [](std::size_t i) { return mix(word(i)); }); });
}

/* Some neighbours in order, because a comparison of all would move bytes, too. */
bool is_sorted(words s)
{
    for (std::size_t i = 0; i + 1 < s.size(); i += s.size() / 64 + 1)
        if (s.get(i + 1) < s.get(i))
            return false;
    return true;
}

/* Passes over the elements, which are 0, 1, 2 and so on. */
int measure_passes(words a, words b)
{
    const std::size_t n = a.size();
    const auto plus = [](word x, word y) { return x + y; };
    const auto same = busy([](word x) { return x; });
    const word sum = word(n) * (n - 1) / 2;
    int wrong = 0;
    uat::run([a] { uat::tabulate(a, [](std::size_t i) { return word(i); }); });
    wrong += measure("tabulate", n, [a] {
        uat::tabulate(a, busy([](std::size_t i) { return word(i); }));
        return true;
    });
    wrong += measure("for_each", n, [a] {
        uat::for_each(a, [](word &x) {
            uat_sim_work(work);
            x += 0;
        });
        return true;
    });
    wrong += measure("transform", n, [a, b, same] {
        uat::transform(a, b, same);
        return true;
    });
    wrong += measure("transform_reduce", n, [=] { return uat::transform_reduce(a, word(0), plus, same) == sum; });
    wrong += measure("transform_reduce of two spans", n, [=] {
        return uat::transform_reduce(a, b, word(0), plus, busy([](word x, word y) { return x + y; })) == 2 * sum;
    });
    wrong += measure("max_element", n, [=] { return uat::max_element(a, busy(before)) == n - 1; });
    wrong += measure("inclusive_scan", n, [=] { return uat::inclusive_scan(a, b, word(0), busy(plus)) == sum; });
    wrong += measure("find_if, the last element", n,
                     [=] { return uat::find_if(a, busy([n](word x) { return x == n - 1; })) == n - 1; });
    return wrong;
}

} // namespace

int main(int argc, char **argv)
{
    uat::job job;
    const std::size_t n = argc > 1 ? std::size_t(std::strtoul(argv[1], nullptr, 10)) : 1 << 20;
    work = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    uat::global_vector<word> first(n), second(n);
    const words a = first.span(), b = second.span(), left = a.subspan(0, n / 2), right = a.subspan(n / 2, n - n / 2);
    if (uat_global_temporary_open((n + 4096) * sizeof(word) * 5, 0))
        return 1;
    if (uat_rank() == 0)
        std::printf("{");
    int wrong = measure_passes(a, b);
    shuffle(a);
    wrong += measure("sort", n, [a] {
        uat::sort(a, busy(before));
        return is_sorted(a);
    });
    shuffle(a);
    wrong += measure("stable_sort", n, [a, b] {
        uat::stable_sort(a, b, busy(before));
        return is_sorted(a);
    });
    shuffle(a);
    uat::run([left, right] {
        uat::sort(left);
        uat::sort(right);
    });
    wrong += measure("merge", n, [left, right, b] {
        uat::merge(left, right, b, busy(before));
        return is_sorted(b);
    });
    shuffle(a);
    wrong += measure("sort_by_key", n, [a, b] {
        uat::sort_by_key(a, b, busy(before));
        return is_sorted(a);
    });
    const auto is_small = busy([](word x) { return x >> 63 == 0; });
    std::size_t small = 0; /* counted here, because a reduction would move bytes */
    for (std::size_t i = 0; i < n; i++)
        small += mix(word(i)) >> 63 == 0;
    shuffle(a);
    wrong += measure("copy_if", n, [a, b, is_small, small] {
        const std::size_t count = uat::copy_if(a, b, is_small);
        return count == small && (count == 0 || is_small(b.get(count - 1)));
    });
    shuffle(a);
    wrong +=
        measure("stable_partition", n, [a, is_small, small] { return uat::stable_partition(a, is_small) == small; });
    shuffle(a);
    wrong += measure("nth_element, the middle", n, [a, n] {
        uat::nth_element(a, n / 2, busy(before));
        return !(a.get(n / 2 + 1) < a.get(n / 2)) && !(a.get(n / 2) < a.get(n / 2 - 1));
    });
    shuffle(a);
    wrong += measure("partition", n, [a, is_small, small] {
        const std::size_t count = uat::partition(a, is_small);
        return count == small && (count == 0 || is_small(a.get(count - 1))) &&
               (count == a.size() || !is_small(a.get(count)));
    });
    if (uat_rank() == 0)
        std::printf("\"elements\": %zu}\n", n);
    return job.finish() != 0 || wrong != 0;
}
