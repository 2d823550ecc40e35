/* SPDX-License-Identifier: MIT */
/*
 * Description: in uat.hpp, tasks of functions and lambdas return results of every kind. Loops, reductions, scans,
 * adaptive intervals and reducers give the sequential results. One handle is not joined explicitly.
 * usage: test-cpp [root | task | thief | loop | reduce | sort | other | pending | main | refused | terminate]
 *   a word makes the program fail at that place or in that way
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <uat.hpp>

namespace
{

struct vector {
    double x, y, z;
    double sum() const
    {
        return x + y + z;
    }
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

/* An affine map x -> factor x + term: composition does not commute. */
struct affine {
    std::uint64_t factor = 1, term = 0;
};
struct compose {
    static affine identity()
    {
        return {};
    }
    affine operator()(affine a, affine b) const
    {
        return {a.factor * b.factor, a.term * b.factor + b.term};
    }
};
affine affine_of(std::int64_t i)
{
    affine a;
    a.factor = 3 + 2 * std::uint64_t(i);
    a.term = std::uint64_t(i * i);
    return a;
}
struct greatest {
    static long identity()
    {
        return -1000;
    }
    long operator()(long a, long b) const
    {
        return a < b ? b : a;
    }
};

uat::reducer<affine, compose> composed;
uat::reducer<long, greatest> most;

int check_reducers()
{
    const std::int64_t n = 5000;
    uat::reducer<long> sum;
    uat::reducer<std::uint64_t, std::multiplies<>> product;
    uat::parallel_for(0, n, [sum, product](std::int64_t i) {
        *composed = compose()(*composed, affine_of(i));
        *most = greatest()(*most, long(i * 7919 % n) - 20000);
        *sum += long(i);
        product.view() *= 2 * std::uint64_t(i) + 1;
    });
    affine want;
    std::uint64_t factors = 1;
    long highest = greatest::identity();
    for (std::int64_t i = 0; i < n; i++) {
        want = compose()(want, affine_of(i));
        factors *= 2 * std::uint64_t(i) + 1;
        highest = greatest()(highest, long(i * 7919 % n) - 20000);
    }
    affine got = composed.take();
    int errors = got.factor != want.factor || got.term != want.term;
    errors += most.take() != highest || sum.take() != long(n * (n - 1) / 2) || product.take() != factors;
    return errors + (most.take() != -1000);
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
    errors +=
        uat::spawn(&vector::sum, vector{2, 4, 6}).join() != 12 || uat::spawn(&vector::y, vector{2, 4, 6}).join() != 4;
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
    int errors = uat::parallel_reduce(0, n, std::int64_t{0}, plus, square) != expected;
    errors += uat::parallel_deterministic_reduce(0, n, std::int64_t{7}, plus, square, 50) != expected + 7;
    errors += uat::adaptive<std::int64_t>(0, n, [](uat::context<std::int64_t> &c) {
                  std::int64_t sum = 0;
                  while (auto range = c.next(100))
                      for (std::int64_t i = range->first; i < range->second; i++)
                          sum += i;
                  while (auto more = c.merge())
                      sum += *more;
                  return sum;
              }) != (n > 0 ? n * (n - 1) / 2 : 0);
    errors += uat::adaptive<std::int64_t>(0, n, [](uat::context<std::int64_t> &c) {
                  std::int64_t sum = 0, at = 0;
                  for (;;) {
                      while (auto range = c.next(7)) {
                          for (std::int64_t i = range->first; i < range->second; i++)
                              sum += i;
                          at = range->second;
                      }
                      auto more = c.take_back();
                      if (!more)
                          return sum;
                      sum += more->second >= at ? more->first : INT64_MIN; /* the part's iterations follow those counted
                                                                            * so far; a part may be empty */
                      at = more->second;
                  }
              }) != (n > 0 ? n * (n - 1) / 2 : 0);
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
    int errors = check_tasks() + check_reducers();
    for (std::int64_t n : {0, 1, 2, 100, 30000})
        errors += check_loops(n);
    return errors;
}

[[noreturn]] void fail()
{
    throw std::runtime_error("nine lives are enough");
}

/* An exception leaves a task whose children may still run elsewhere. */
void fail_with_children()
{
    auto slow = uat::spawn(fib, 12L);
    auto slower = uat::spawn(fib, 13L);
    fail();
}

/* An exception that the task itself catches does no harm. */
int catches()
{
    try {
        fail();
    } catch (const std::runtime_error &e) {
        return std::string(e.what()) == "nine lives are enough" ? 0 : 1;
    }
    return 1;
}

void throw_at(const std::string &where)
{
    if (where == "task")
        uat::run([] { uat::spawn(fail).join(); });
    if (where == "root")
        uat::run(fail);
    if (where == "thief")
        uat::run([] {
            auto child = uat::spawn([] {
                for (std::uint64_t end = uat_time_ns() + 300000000; uat_time_ns() < end;)
                    uat_work_wanted(); /* meanwhile another worker takes the continuation, and fails */
            });
            fail();
        });
    if (where == "reduce")
        uat::run([] {
            return uat::parallel_reduce(
                0, 100000, std::int64_t{0}, [](std::int64_t a, std::int64_t b) { return a + b; },
                [](std::int64_t i) {
                    if (i == 77777)
                        fail();
                    return i;
                });
        });
    if (where == "loop")
        uat::run([] {
            uat::parallel_for(0, 100000, [](std::int64_t i) {
                if (i == 77777)
                    fail();
            });
        });
    if (where == "sort")
        uat::run([] {
            int numbers[9] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
            uat::sort(uat::span<int>(numbers, 9), [](int a, int b) {
                if (a == 9 || b == 9)
                    fail();
                return a < b;
            });
        });
    if (where == "other")
        uat::run([] { throw 9; });
    if (where == "main")
        fail();
    if (where == "refused")
        uat::global_vector<char> huge(std::size_t(1) << 46);
    if (where == "terminate")
        std::terminate();
    if (where == "pending")
        uat::run(fail_with_children);
    std::fprintf(stderr, "test-cpp: no exception at %s\n", where.c_str()); /* known words never get here */
    std::exit(2);
}

} // namespace

int main(int argc, char **argv)
{
    uat::job job;
    if (argc > 1)
        throw_at(argv[1]);
    int errors = uat::run(root) + uat::run(catches);
    if (errors > 0)
        std::fprintf(stderr, "test-cpp: %d errors on rank %d\n", errors, uat_rank());
    return errors > 0;
}
