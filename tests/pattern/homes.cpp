// SPDX-License-Identifier: MIT
/*
 * Description: the algorithms over spans run where their elements are. In virtual time on several hosts, passes over
 * arrays with one block for each worker move at most MOST bytes between hosts for each pass. Each pass gives the right
 * elements, adds to a reducer once for each element, and passes an exception of the first of two elements that throw.
 * Sorts put all elements in order, and move at most SORTED percent of their bytes.
 * usage: test-homes BYTES SORTED: most bytes that a pass may move between hosts, or -1 for any number; the same for
 * each sort, in percent of the elements' bytes
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <uat.hpp>

namespace
{

constexpr std::size_t each = 40000;  /* elements of a worker; its part ends within a block of global memory */
constexpr int passes = 4, kinds = 7; /* kinds: algorithms in a pass */
constexpr std::uint64_t work = 2;    /* nanoseconds of an element: less than a transfer of its bytes takes */

uat::reducer<std::int64_t> visits;

struct spans {
    uat::span<std::int64_t> a, b, c;
};

std::int64_t make(std::size_t i)
{
    return static_cast<std::int64_t>(3 * i + 1);
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

/* Run the algorithms `passes` times. Returns the number of faults. */
int run_passes(spans s)
{
    int faults = 0;
    const auto n = static_cast<std::int64_t>(s.a.size());
    for (std::int64_t pass = 0; pass < passes; pass++) {
        uat::tabulate(s.a, busy([pass](std::size_t i) { return make(i) + pass; }));
        uat::transform(s.a, s.b, busy([](std::int64_t x) { return 2 * x; }));
        uat::transform(s.a, s.b, s.c, busy([](std::int64_t x, std::int64_t y) { return y - x; }));
        uat::for_each(s.c, [pass](std::int64_t &x) {
            uat_sim_work(work);
            x -= pass;
            ++*visits;
        });
        const auto plus = [](std::int64_t x, std::int64_t y) { return x + y; };
        const auto sum = uat::transform_reduce(s.a, std::int64_t{0}, plus, busy([](std::int64_t x) { return x; }));
        faults += visits.take() != 5 * n;
        faults += sum != 3 * n * (n - 1) / 2 + (1 + pass) * n;
        faults += uat::max_element(s.a, busy([](auto x, auto y) { return x < y; })) != s.a.size() - 1;
        faults += uat::inclusive_scan(s.a, s.b, std::int64_t{0}, busy(plus)) != sum || s.b.get(s.b.size() - 1) != sum;
        visits.take();
    }
    return faults;
}

/* The elements that have the wrong value. */
int count_wrong(uat::span<const std::int64_t> s)
{
    int wrong = 0;
    for (std::size_t i = 0; i < s.size(); i += 97)
        wrong += s.get(i) != make(i);
    return wrong;
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

/* Sort the numbers 0 to size - 1, which are in another order, by sort(s.a). Returns how many are in the wrong place. */
template <class F> std::int64_t sort_by(spans s, F sort)
{
    const auto n = static_cast<std::int64_t>(s.a.size());
    uat::tabulate(s.a, [n](std::size_t i) { return static_cast<std::int64_t>(i) * 7919 % n; });
    uat::tabulate(s.b, [](std::size_t i) { return static_cast<std::int64_t>(i); });
    sort(s.a);
    return uat::transform_reduce(
        s.a, s.b, std::int64_t{0}, [](std::int64_t x, std::int64_t y) { return x + y; },
        [](std::int64_t x, std::int64_t y) { return std::int64_t{x != y}; });
}

/* A sort whose comparison throws at one number. Returns 1 unless the exception arrives and all elements are left. */
template <class F> int throw_in(spans s, F sort)
{
    const auto n = static_cast<std::int64_t>(s.a.size());
    bool thrown = false;
    uat::tabulate(s.a, [n](std::size_t i) { return static_cast<std::int64_t>(i) * 7919 % n; });
    try {
        sort(s.a, [n](std::int64_t x, std::int64_t y) {
            if (x == n / 3 || y == n / 3)
                throw std::domain_error("a third");
            return x < y;
        });
    } catch (const std::domain_error &) {
        thrown = true;
    }
    const auto plus = [](std::int64_t x, std::int64_t y) { return x + y; };
    const auto sum = uat::transform_reduce(s.a, std::int64_t{0}, plus, [](std::int64_t x) { return x; });
    return !thrown || sum != n * (n - 1) / 2;
}

/* The bytes that all workers have moved between hosts. */
std::int64_t bytes_moved()
{
    uat_stats_t now = {};
    if (uat_stats_total(&now))
        std::exit(1);
    return static_cast<std::int64_t>(now.global_bytes_fetched + now.global_bytes_written);
}

} // namespace

int main(int argc, char **argv)
{
    const std::int64_t most = argc > 1 ? std::atoll(argv[1]) : -1, most_sorted = argc > 2 ? std::atoll(argv[2]) : -1;
    uat::job job;
    const std::size_t n = each * static_cast<std::size_t>(uat_size());
    uat::global_vector<std::int64_t> a(n), b(n), c(n);
    const spans s{a.span(), b.span(), c.span()};
    const std::int64_t start = bytes_moved();
    const int faults = uat::run([=] { return run_passes(s); });
    const std::int64_t of_pass = (bytes_moved() - start) / (kinds * passes);
    const int wrong = uat::run([=] { return count_wrong(s.c); }), kept = uat::run([=] { return run_throwing(s); });
    const std::int64_t before = bytes_moved();
    const auto less = [](std::int64_t x, std::int64_t y) {
        uat_sim_work(work);
        return x < y;
    };
    std::int64_t unsorted = uat::run([=] { return sort_by(s, [=](auto x) { uat::sort(x, less); }); });
    const std::int64_t middle = bytes_moved();
    unsorted += uat::run([=] { return sort_by(s, [=](auto x) { uat::stable_sort(x, s.c, less); }); });
    const std::int64_t size = static_cast<std::int64_t>(n * sizeof(std::int64_t)),
                       sort = 100 * (middle - before) / size, stable = 100 * (bytes_moved() - middle) / size;
    const int lost = uat::run([=] {
        return throw_in(s, [](auto x, auto f) { uat::sort(x, f); }) +
               throw_in(s, [=](auto x, auto f) { uat::stable_sort(x, s.c, f); }) +
               throw_in(s, [=](auto x, auto f) { uat::nth_element(x, x.size() / 2, f); });
    });
    if (uat_rank() == 0)
        std::printf("%zu elements: %lld bytes moved per pass, %d passes with wrong views, %d wrong elements, %d wrong "
                    "exceptions; sort() moved %lld %% of its bytes, stable_sort() %lld %%, %lld elements unsorted, %d "
                    "wrong exceptions of "
                    "sorts\n",
                    n, static_cast<long long>(of_pass), faults, wrong, kept, static_cast<long long>(sort),
                    static_cast<long long>(stable), static_cast<long long>(unsorted), lost);
    return faults > 0 || wrong > 0 || kept > 0 || unsorted > 0 || lost > 0 || (most >= 0 && of_pass > most) ||
           (most_sorted >= 0 && (sort > most_sorted || stable > most_sorted));
}
