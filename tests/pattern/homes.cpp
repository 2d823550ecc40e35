// SPDX-License-Identifier: MIT
/*
 * Description: the algorithms over spans run where their elements are. In virtual time on several hosts, passes over
 * arrays with one block for each worker move at most MOST bytes between hosts for each pass. Each pass gives the right
 * elements, adds to a reducer once for each element, and passes an exception of the first of two elements that throw.
 * usage: test-homes BYTES: most bytes that a pass may move between hosts, or -1 for any number
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <uat.hpp>

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
        faults += visits.take() != 4 * n;
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

} // namespace

int main(int argc, char **argv)
{
    const std::int64_t most = argc > 1 ? std::atoll(argv[1]) : -1;
    uat_stats_t before, after;
    uat::job job;
    const std::size_t n = each * static_cast<std::size_t>(uat_size());
    uat::global_vector<std::int64_t> a(n), b(n), c(n);
    const spans s{a.span(), b.span(), c.span()};
    if (uat_stats_total(&before))
        return 1;
    int faults = uat::run([=] { return run_passes(s); });
    if (uat_stats_total(&after))
        return 1;
    const std::uint64_t moved = after.global_bytes_fetched - before.global_bytes_fetched + after.global_bytes_written -
                                before.global_bytes_written;
    const auto of_pass = static_cast<std::int64_t>(moved / (4 * passes));
    const int wrong = uat::run([=] { return count_wrong(s.c); }), kept = uat::run([=] { return run_throwing(s); });
    if (uat_rank() == 0)
        std::printf("%zu elements: %lld bytes moved per pass, %d passes with wrong views, %d wrong elements, %d wrong "
                    "exceptions\n",
                    n, static_cast<long long>(of_pass), faults, wrong, kept);
    return faults > 0 || wrong > 0 || kept > 0 || (most >= 0 && of_pass > most);
}
