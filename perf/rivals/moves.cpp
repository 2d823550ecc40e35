/* SPDX-License-Identifier: MIT */
/*
 * The bytes that algorithms move between hosts: bytes fetched and bytes written, each divided by the bytes of the
 * elements. A sorted result is checked by its order, at some places. A selection is checked by its count and by the
 * elements at its end. Prints JSON.
 * usage: uatrun -n WORKERS rival-moves ELEMENTS   with UAT_GLOBAL_HOSTS or a simulated network of several hosts
 */
#include <cstdio>
#include <cstdlib>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

using word = std::uint64_t;
using words = uat::span<word>;

/* Run f once, and print what it moved. `size` is the number of elements. f returns whether its result is right. */
template <class F> int measure(const char *name, std::size_t size, F f)
{
    uat_stats_t before = {}, after = {};
    int failed = uat_stats_total(&before);
    bool right = uat::run(f);
    failed |= uat_stats_total(&after);
    double bytes = double(size * sizeof(word));
    if (uat_rank() == 0)
        std::printf("\"%s, fetched\": %.2f, \"%s, written\": %.2f, ", name,
                    double(after.global_bytes_fetched - before.global_bytes_fetched) / bytes, name,
                    double(after.global_bytes_written - before.global_bytes_written) / bytes);
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

} // namespace

int main(int argc, char **argv)
{
    uat::job job;
    const std::size_t n = argc > 1 ? std::size_t(std::strtoul(argv[1], nullptr, 10)) : 1 << 20;
    uat::global_vector<word> first(n), second(n);
    const words a = first.span(), b = second.span(), left = a.subspan(0, n / 2), right = a.subspan(n / 2, n - n / 2);
    if (uat_global_temporary_open((n + 4096) * sizeof(word) * 5, 0))
        return 1;
    if (uat_rank() == 0)
        std::printf("{");
    shuffle(a);
    int wrong = measure("sort", n, [a] {
        uat::sort(a);
        return is_sorted(a);
    });
    shuffle(a);
    wrong += measure("stable_sort", n, [a, b] {
        uat::stable_sort(a, b);
        return is_sorted(a);
    });
    shuffle(a);
    uat::run([left, right] {
        uat::sort(left);
        uat::sort(right);
    });
    wrong += measure("merge", n, [left, right, b] {
        uat::merge(left, right, b);
        return is_sorted(b);
    });
    shuffle(a);
    wrong += measure("sort_by_key", n, [a, b] {
        uat::sort_by_key(a, b);
        return is_sorted(a);
    });
    const auto is_small = [](word x) { return x >> 63 == 0; };
    std::size_t small = 0; /* counted here, because count_if() would move bytes */
    for (std::size_t i = 0; i < n; i++)
        small += is_small(mix(word(i)));
    shuffle(a);
    wrong += measure("copy_if", n, [a, b, is_small, small] {
        const std::size_t count = uat::copy_if(a, b, is_small);
        return count == small && (count == 0 || is_small(b.get(count - 1)));
    });
    wrong += measure("partition", n, [a, is_small, small] {
        const std::size_t count = uat::partition(a, is_small);
        return count == small && (count == 0 || is_small(a.get(count - 1))) &&
               (count == a.size() || !is_small(a.get(count)));
    });
    if (uat_rank() == 0)
        std::printf("\"elements\": %zu}\n", n);
    return job.finish() != 0 || wrong != 0;
}
