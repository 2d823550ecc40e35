// SPDX-License-Identifier: MIT
/*
 * Description: the algorithms over spans run where their elements are. The arrays have one block for each worker. In
 * virtual time on several hosts, the passes of an algorithm move no more bytes between hosts than its argument allows.
 * Each pass gives the right elements, calls its function once for each element unless it is a scan, and passes an
 * exception of the first of two elements that throw. A reduction has the right value whatever array it names.
 * usage: test-homes [BYTES...]: most bytes that all passes of an algorithm may move, in the order in which they run
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

constexpr std::size_t each = 40000; /* elements of a worker; its part ends within a block of global memory */
constexpr int passes = 4;
constexpr std::uint64_t work = 2; /* nanoseconds of an element: less than a transfer of its bytes takes */

uat::reducer<std::int64_t> visits;

struct spans {
    uat::span<std::int64_t> a, b, c;
};

std::int64_t make(std::size_t i)
{
    return static_cast<std::int64_t>(3 * i + 1);
}

bool is_odd(std::int64_t x)
{
    return x % 2 != 0;
}

/* Call f for the elements, which take some time. */
template <class F> auto busy(F f)
{
    return [f](auto... x) {
        uat_sim_work(work);
        ++*visits;
        return f(x...);
    };
}
const auto plus = [](std::int64_t x, std::int64_t y) { return x + y; };
const auto same = [](std::int64_t x) { return x; };

/* The bytes that all workers have moved between hosts. */
std::int64_t bytes_moved()
{
    uat_stats_t now = {};
    if (uat_stats_total(&now))
        std::exit(1);
    return static_cast<std::int64_t>(now.global_bytes_fetched + now.global_bytes_written);
}

/* Runs algorithms, and compares what they moved with the arguments of the program. */
struct judge {
    char **most, **end;
    std::int64_t calls; /* calls of a function that busy() makes, in a pass; -1: any number */
    int failed;

    /* Call f() some times. It returns whether its result is right. */
    template <class F> void run(const char *name, F f)
    {
        const std::int64_t start = bytes_moved(), wanted = calls;
        const int faults = uat::run([f, wanted] {
            int wrong = 0;
            for (int pass = 0; pass < passes; pass++) {
                wrong += !f();
                wrong += visits.take() != wanted && wanted >= 0;
            }
            return wrong;
        });
        const std::int64_t moved = bytes_moved() - start, limit = most < end ? std::atoll(*most++) : -1;
        if (uat_rank() == 0)
            std::printf("%s: %lld bytes moved, %d faults\n", name, static_cast<long long>(moved), faults);
        failed += faults > 0 || (limit >= 0 && moved > limit);
    }
};

/* Algorithms whose functions are called once for each element, over arrays that they fill. */
void run_loops(judge &j, spans s)
{
    j.run("tabulate", [s] {
        uat::tabulate(s.a, busy(make));
        return true;
    });
    j.run("transform", [s] {
        uat::transform(s.a, s.b, busy([](std::int64_t x) { return 2 * x; }));
        return true;
    });
    j.run("transform of two spans", [s] {
        uat::transform(s.a, s.b, s.c, busy([](std::int64_t x, std::int64_t y) { return y - x; }));
        return true;
    });
    j.run("for_each", [s] {
        uat::for_each(s.c, [](std::int64_t &x) {
            uat_sim_work(work);
            x++;
            ++*visits;
        });
        return true;
    });
}

void run_reductions(judge &j, spans s, std::int64_t sum)
{
    j.run("transform_reduce",
          [s, sum] { return uat::transform_reduce(s.a, std::int64_t{0}, plus, busy(same)) == sum; });
    j.run("transform_reduce of two spans",
          [s, sum] { return uat::transform_reduce(s.a, s.b, std::int64_t{0}, plus, busy(plus)) == 3 * sum; });
    j.calls = -1;
    j.run("max_element", [s] {
        return uat::max_element(s.a, busy([](std::int64_t x, std::int64_t y) { return x < y; })) == s.a.size() - 1;
    });
}

/* Scans, and selections, which are scans. */
void run_scans(judge &j, spans s, std::int64_t sum)
{
    const std::size_t odd = (s.a.size() + 1) / 2;
    j.run("inclusive_scan", [s, sum] {
        return uat::inclusive_scan(s.a, s.b, std::int64_t{0}, busy(plus)) == sum && s.b.get(s.b.size() - 1) == sum;
    });
    j.run("exclusive_scan", [s, sum] {
        const std::size_t last = s.b.size() - 1;
        return uat::exclusive_scan(s.a, s.b, std::int64_t{0}, busy(plus)) == sum && s.b.get(last) == sum - make(last);
    });
    j.run("copy_if",
          [s, odd] { return uat::copy_if(s.a, s.b, busy(is_odd)) == odd && s.b.get(odd - 1) == make(2 * odd - 2); });
    j.run("stable_partition", [s, odd] {
        return uat::stable_partition(s.a, busy(is_odd)) == odd && s.a.get(0) == make(0) && s.a.get(odd) == make(1);
    });
}

std::int64_t mixed(std::size_t i)
{
    return static_cast<std::int64_t>(mix(i) % 100000); /* some elements are equal */
}

/* The number of elements for which f is true. */
template <class F> std::int64_t count_if(uat::span<std::int64_t> s, F f)
{
    return uat::transform_reduce(s, std::int64_t{0}, plus, [f](std::int64_t x) { return std::int64_t{f(x)}; });
}

/* The sum of values that the elements give, which an exchange of elements keeps. */
std::uint64_t sum_of(uat::span<std::int64_t> s)
{
    return uat::transform_reduce(
        s, std::uint64_t{0}, [](std::uint64_t x, std::uint64_t y) { return x + y; },
        [](std::int64_t x) { return mix(static_cast<std::uint64_t>(x)); });
}

bool is_sorted(uat::span<std::int64_t> s)
{
    return uat::transform_reduce(s.first(s.size() - 1), s.subspan(1), std::int64_t{0}, plus,
                                 [](std::int64_t x, std::int64_t y) { return std::int64_t{y < x}; }) == 0;
}

/* Fill s, and sort it by sort(s). Returns whether s is sorted and has its elements. */
template <class F> bool sorts(uat::span<std::int64_t> s, F sort)
{
    uat::tabulate(s, mixed);
    const std::uint64_t sum = sum_of(s);
    sort(s);
    return is_sorted(s) && sum_of(s) == sum;
}

const auto before = [](std::int64_t x, std::int64_t y) {
    uat_sim_work(work);
    return x < y;
};

int compare(const void *a, const void *b, const void *)
{
    const std::int64_t x = *static_cast<const std::int64_t *>(a), y = *static_cast<const std::int64_t *>(b);
    uat_sim_work(work);
    return (x > y) - (x < y);
}

/* Sort indices by keys, stably. */
bool sorts_by_key(uat::span<std::int64_t> keys, uat::span<std::int64_t> values)
{
    auto index = [](std::size_t i) { return static_cast<std::int64_t>(i); };
    uat::tabulate(keys, mixed);
    uat::tabulate(values, index);
    const std::uint64_t sum = sum_of(values);
    uat::sort_by_key(keys, values, before);
    const std::int64_t apart =
        uat::transform_reduce(keys, values, std::int64_t{0}, plus, [](std::int64_t k, std::int64_t v) {
            return std::int64_t{k != mixed(static_cast<std::size_t>(v))};
        });
    const std::int64_t disorder = uat::transform_reduce(
        values.first(values.size() - 1), values.subspan(1), std::int64_t{0}, plus, [](std::int64_t v, std::int64_t w) {
            const std::int64_t x = mixed(static_cast<std::size_t>(v)), y = mixed(static_cast<std::size_t>(w));
            return std::int64_t{y < x || (x == y && w < v)};
        });
    return apart == 0 && disorder == 0 && sum_of(values) == sum;
}

bool selects(uat::span<std::int64_t> s, std::size_t place)
{
    uat::tabulate(s, mixed);
    const std::uint64_t sum = sum_of(s);
    uat::nth_element(s, place, before);
    const std::int64_t value = s.get(place);
    return count_if(s.first(place), [value](std::int64_t x) { return value < x; }) == 0 &&
           count_if(s.subspan(place), [value](std::int64_t x) { return x < value; }) == 0 && sum_of(s) == sum;
}

/* Merge the even numbers with the odd ones. */
bool merges(uat::span<std::int64_t> from, uat::span<std::int64_t> to)
{
    const std::size_t half = from.size() / 2;
    uat::tabulate(from,
                  [half](std::size_t i) { return static_cast<std::int64_t>(i < half ? 2 * i : 2 * (i - half) + 1); });
    uat::merge(from.first(half), from.subspan(half), to, before);
    return is_sorted(to) && sum_of(to) == sum_of(from);
}

/* Sorts and partitions, which exchange elements between hosts once. */
void run_sorts(judge &j, spans s)
{
    using span = uat::span<std::int64_t>;
    j.run("sort", [s] { return sorts(s.a, [](span x) { uat::sort(x, before); }); });
    j.run("uat_sort", [s] {
        return sorts(s.a, [](span x) { uat_sort(x.data(), x.size(), sizeof(std::int64_t), compare, nullptr, 0); });
    });
    j.run("stable_sort", [s] { return sorts(s.a, [](span x) { uat::stable_sort(x, before); }); });
    j.run("stable_sort with scratch", [s] { return sorts(s.a, [s](span x) { uat::stable_sort(x, s.b, before); }); });
    j.run("sort_by_key", [s] { return sorts_by_key(s.a, s.b); });
    j.run("nth_element", [s] { return selects(s.a, s.a.size() / 2); });
    j.run("partition", [s] {
        const std::size_t odd = (s.a.size() + 1) / 2;
        uat::tabulate(s.a, make);
        const std::uint64_t sum = sum_of(s.a);
        const std::size_t front = uat::partition(s.a, [](std::int64_t x) {
            uat_sim_work(work);
            return is_odd(x);
        });
        return front == odd && count_if(s.a.first(odd), is_odd) == static_cast<std::int64_t>(odd) && sum_of(s.a) == sum;
    });
    j.run("merge", [s] { return merges(s.a, s.b); });
}

/* The elements that have the wrong value. */
int count_wrong(uat::span<const std::int64_t> s)
{
    int wrong = 0;
    for (std::size_t i = 0; i < s.size(); i += 97)
        wrong += s.get(i) != make(i) + passes;
    return wrong;
}

UAT_REDUCE(std::int64_t, count, 0, UAT_PLUS, i)
{
    uat_sim_work(work);
    return i;
}

/* Reductions that name no array, elements of no bytes, or an array that is too short. Returns the number of faults. */
int run_without_homes(spans s)
{
    const auto n = static_cast<std::int64_t>(s.a.size()), sum = n * (n - 1) / 2 - 45;
    return (count_near(10, n, nullptr, 8) != sum) + (count_near(10, n, s.a.data(), 0) != sum) +
           (count_near(10, n, s.a.data(), 64) != sum) + (count_near(10, n, s.a.data(), 8) != sum) +
           (count_near(10, 10, s.a.data(), 8) != 0) + (count_near(10, n, &sum, 8) != sum);
}

/* Elements n / 3 and 2 * n / 3 throw their number as text. Returns whether another text arrives. */
int run_throwing(spans s)
{
    const std::size_t first = s.a.size() / 3, second = 2 * s.a.size() / 3;
    int faults = 1;
    try {
        uat::tabulate(s.b, [=](std::size_t i) {
            uat_sim_work(work);
            if (i == first || i == second)
                throw std::out_of_range(std::to_string(i));
            return std::int64_t{0};
        });
    } catch (const std::out_of_range &e) {
        faults = e.what() != std::to_string(first);
    }
    return faults;
}

} // namespace

int main(int argc, char **argv)
{
    uat::job job;
    const std::size_t n = each * static_cast<std::size_t>(uat_size());
    const auto elements = static_cast<std::int64_t>(n);
    const std::int64_t sum = 3 * elements * (elements - 1) / 2 + elements;
    uat::global_vector<std::int64_t> a(n), b(n), c(n);
    const spans s{a.span(), b.span(), c.span()};
    if (uat_global_temporary_open((n + 4096) * sizeof(std::int64_t) * 5, 0))
        return 1;
    judge j{argv + 1, argv + argc, elements, 0};
    run_loops(j, s);
    run_reductions(j, s, sum);
    run_scans(j, s, sum);
    run_sorts(j, s);
    const int wrong = uat::run([=] { return count_wrong(s.c); }), kept = uat::run([=] { return run_throwing(s); }),
              without = uat::run([=] { return run_without_homes(s); });
    if (uat_rank() == 0)
        std::printf("%zu elements: %d algorithms failed, %d wrong elements, %d wrong exceptions, %d wrong values\n", n,
                    j.failed, wrong, kept, without);
    return j.failed > 0 || wrong > 0 || kept > 0 || without > 0 || j.most < j.end;
}
