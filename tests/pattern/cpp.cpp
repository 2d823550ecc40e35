/* SPDX-License-Identifier: MIT */
/*
 * Description: uat.hpp: tasks of functions and lambdas, with results of every kind; loops, reductions and scans against
 * their sequential values; a handle that is not joined by hand.
 * usage: test-cpp [throw]
 */
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include <uat.hpp>

namespace
{

struct vector {
    double x, y, z;
};

struct alignas(64) line {
    std::int64_t words[8];
};

long fib(long n)
{
    if (n < 2)
        return n;
    auto left = uat::spawn(fib, n - 1);
    long right = fib(n - 2);
    return left.join() + right;
}

int check_tasks()
{
    int errors = fib(18) != 2584;
    double k = 0.5;
    auto scaled = uat::spawn(
        [k](vector v, int n) {
            return vector{v.x * k * n, v.y * k, v.z * k};
        },
        vector{2, 4, 6}, 3);
    auto aligned = uat::spawn(
        [](line l) {
            l.words[7] += reinterpret_cast<std::uintptr_t>(&l) % 64 == 0;
            return l;
        },
        line{{1, 2, 3, 4, 5, 6, 7, 8}});
    auto nothing = uat::spawn([] {});
    {
        auto left_alone = uat::spawn([] { return fib(10); }); /* its destructor joins */
    }
    nothing.join();
    vector v = scaled.join();
    errors += v.x != 3 || v.y != 2 || v.z != 3;
    errors += aligned.join().words[7] != 9;
    return errors;
}

std::int64_t square(std::int64_t i)
{
    return i * i;
}

int check_loops(std::int64_t n)
{
    auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
    std::int64_t expected = n > 0 ? (n - 1) * n * (2 * n - 1) / 6 : 0;
    int errors = uat::parallel_reduce(0, n, std::int64_t{0}, square, plus) != expected;
    errors += uat::parallel_scan(0, n, std::int64_t{0}, square, plus,
                                 [](std::int64_t i, std::int64_t before, std::int64_t with) {
                                     if (before != (i - 1) * i * (2 * i - 1) / 6 || with != before + i * i)
                                         throw std::logic_error("a wrong prefix");
                                 }) != expected;
    uat::parallel_for(0, n, [n](std::int64_t i) {
        if (i < 0 || i >= n)
            throw std::out_of_range("a wrong iteration");
    });
    return errors;
}

int root()
{
    int errors = check_tasks();
    for (std::int64_t n : {0, 1, 2, 100, 30000})
        errors += check_loops(n);
    return errors;
}

} // namespace

int main(int argc, char **)
{
    uat::job job;
    if (argc > 1)
        uat::run([] { uat::spawn([] { throw std::runtime_error("nine lives are enough"); }).join(); });
    int errors = uat::run(root);
    if (errors > 0)
        std::fprintf(stderr, "test-cpp: %d errors on rank %d\n", errors, uat_rank());
    return errors > 0;
}
