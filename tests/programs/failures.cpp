/* SPDX-License-Identifier: MIT */
/*
 * Description: an exception that a task throws is thrown again by its join, wherever child and spawner are. what() is
 * kept, and so is the type if it travels; otherwise the nearest base class that travels is thrown. Of several
 * exceptions the first in serial order is thrown. This holds for handles, invoke, loops, reductions, scans, loops over
 * blocks, and runs. When the exception arrives, all other children have ended. A later run works.
 * usage: failures [ROUNDS]
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>

#include <uat.hpp>

namespace
{

struct odd_error : std::out_of_range {
    odd_error() : std::out_of_range("not one of the standard's")
    {
    }
};

/* A standard class that is derived from a type that travels, and one of the program with a base that has the type's
 * name. */
struct odd_system_error : std::system_error {
    odd_system_error() : std::system_error(EIO, std::generic_category(), "fifteen")
    {
    }
};
struct odd_runtime_error : std::runtime_error {
    odd_runtime_error() : std::runtime_error("sixteen")
    {
    }
};

enum { KINDS = 18 };

void throw_kind(int kind)
{
    switch (kind) {
    case 0:
        throw std::runtime_error("zero");
    case 1:
        throw std::range_error("one");
    case 2:
        throw std::overflow_error("two");
    case 3:
        throw std::underflow_error("three");
    case 4:
        throw std::logic_error("four");
    case 5:
        throw std::domain_error("five");
    case 6:
        throw std::invalid_argument("six");
    case 7:
        throw std::length_error("seven");
    case 8:
        throw std::out_of_range(std::string(2000, '8'));
    case 9:
        throw std::bad_alloc();
    case 10:
        throw std::system_error(EBUSY, std::generic_category(), "ten");
    case 11:
        throw std::system_error(ENOENT, std::system_category(), "eleven");
    case 12:
        throw uat::error(EPERM, "twelve");
    case 13:
        throw odd_error();
    case 14:
        throw 14;
    case 15:
        throw odd_system_error();
    case 16:
        throw odd_runtime_error();
    default:
        throw std::bad_array_new_length();
    }
}

/* Whether the join threw what the task threw. */
bool same(int kind, const std::exception &got)
{
    try {
        throw_kind(kind);
    } catch (const odd_error &own) {
        return typeid(got) == typeid(std::out_of_range) && std::string(got.what()) == own.what();
    } catch (const odd_runtime_error &own) {
        auto *e = dynamic_cast<const uat::task_error *>(&got);
        return e && std::string(e->what()) == own.what() &&
               std::string(e->type()).find("odd_runtime_error") != std::string::npos;
    } catch (const std::bad_alloc &) {
        return typeid(got) == typeid(std::bad_alloc);
    } catch (const std::system_error &own) {
        auto *e = dynamic_cast<const std::system_error *>(&got);
        return e && (typeid(own) == typeid(got) || kind == 15) && e->code() == own.code() &&
               std::string(e->what()) == own.what();
    } catch (const std::exception &own) {
        return typeid(own) == typeid(got) && std::string(own.what()).substr(0, 895) == got.what();
    } catch (int) {
        auto *e = dynamic_cast<const uat::task_error *>(&got);
        return e && std::string(e->type()) == "int";
    }
    return false;
}

void linger(int n)
{
    for (volatile int i = 0; i < n; i = i + 1)
        ;
}

/* Throw through `depth` joins; each child has a result of another size. */
long pass_on(int depth, int kind)
{
    if (depth == 0) {
        linger(3000);
        throw_kind(kind);
    }
    if (depth % 3 == 0) {
        uat::spawn([depth, kind] { pass_on(depth - 1, kind); }).join();
        return 1;
    }
    auto child = uat::spawn(pass_on, depth - 1, kind);
    auto other = uat::spawn([] { linger(2000); });
    if (depth % 3 == 1)
        return child.join(); /* the other child is joined during unwinding */
    other.join();
    return child.join();
}

int check_kinds()
{
    int errors = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        bool caught = false;
        try {
            pass_on(kind % 7, kind);
        } catch (const std::exception &e) {
            caught = kind % 7 == 0 || same(kind, e);
        } catch (int) {
            caught = kind % 7 == 0;
        }
        errors += !caught;
    }
    return errors;
}

/* All children that add 1 must have ended before an exception leaves the scope of their handles. */
int check_unwinding(uat::span<std::int64_t> words)
{
    auto count = words.atomic(0);
    std::int64_t before = count.load();
    auto slow = [count] {
        linger(20000);
        count.fetch_add(1);
    };
    bool own = false, left = false;
    try {
        auto first = uat::spawn(slow);
        auto failing = uat::spawn([] { throw std::runtime_error("dropped"); });
        auto second = uat::spawn([slow] {
            auto inner = uat::spawn(slow);
            slow();
        });
        linger(1000);
        throw std::logic_error("the spawner's own");
    } catch (const std::logic_error &e) {
        own = std::string(e.what()) == "the spawner's own";
    }
    int errors = !own || count.load() != before + 3;
    try {
        auto first = uat::spawn(slow);
        auto failing = uat::spawn([] { throw std::runtime_error("left to the destructor"); });
    } catch (const std::runtime_error &e) {
        left = std::string(e.what()) == "left to the destructor";
    }
    return errors + (!left || count.load() != before + 4);
}

/* The leaves [begin, end) of a tree. Those in `marks` throw their numbers; the lowest number must be caught. */
int tree(int begin, int end, unsigned marks)
{
    if (end - begin == 1) {
        linger(500);
        if (marks >> begin & 1)
            throw std::out_of_range(std::to_string(begin));
        return 1;
    }
    int middle = begin + (end - begin) / 2;
    auto [low, high] =
        uat::parallel_invoke([=] { return tree(begin, middle, marks); }, [=] { return tree(middle, end, marks); });
    return low + high;
}

/* The number that f throws; -1: none. */
template <class F> std::int64_t thrown(F f)
{
    try {
        f();
    } catch (const std::out_of_range &e) {
        return std::atoll(e.what());
    }
    return -1;
}

void throw_at(std::int64_t i)
{
    throw std::out_of_range(std::to_string(i));
}

int check_trees()
{
    int errors = 0;
    for (unsigned marks : {0x80000000u, 0xff00u, 0x90010u, 0x5u, 0xffffffffu}) {
        std::int64_t first = thrown([marks] { tree(0, 32, marks); });
        errors += first < 0 || first != __builtin_ctz(marks);
    }
    errors += thrown([] { tree(0, 32, 0); }) != -1;
    return errors + (thrown([] {
                         uat::parallel_invoke([] { linger(5000); }, [] { throw_at(2); }, [] { throw_at(3); },
                                              [] { throw_at(4); });
                     }) != 2);
}

int check_loops(uat::span<std::int64_t> elements, std::int64_t first, std::int64_t every)
{
    const std::int64_t n = std::int64_t(elements.size());
    auto bad = [=](std::int64_t i) {
        if (i >= first && (i - first) % every == 0)
            throw_at(i);
        return i;
    };
    auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
    std::int64_t loop = thrown([=] { uat::parallel_for(0, n, bad); });
    std::int64_t sum = thrown([=] { uat::parallel_reduce(0, n, std::int64_t{0}, plus, bad); });
    std::int64_t tree =
        thrown([=] { uat::parallel_deterministic_reduce(0, n, std::int64_t{0}, plus, bad, n / 8 + 1); });
    std::int64_t scan = thrown(
        [=] { uat::parallel_scan(0, n, std::int64_t{0}, bad, plus, [](std::int64_t, std::int64_t, std::int64_t) {}); });
    std::int64_t written = thrown([=] {
        uat::parallel_scan(
            0, n, std::int64_t{0}, [](std::int64_t) { return std::int64_t{0}; }, plus,
            [=](std::int64_t i, std::int64_t, std::int64_t) { bad(i); });
    });
    std::int64_t filled = thrown([=] { uat::tabulate(elements, bad); });
    std::int64_t combined = thrown([=] {
        uat::parallel_reduce(
            0, n, std::int64_t{-1}, [=](std::int64_t a, std::int64_t b) { return std::max(bad(a), bad(b)); },
            [](std::int64_t i) { return i; });
    });
    if (loop == first && sum == first && tree == first && scan == first && written == first && filled == first &&
        combined >= first)
        return 0;
    std::fprintf(stderr, "failures: %lld, not %lld %lld %lld %lld %lld %lld %lld\n", static_cast<long long>(first),
                 static_cast<long long>(loop), static_cast<long long>(sum), static_cast<long long>(tree),
                 static_cast<long long>(scan), static_cast<long long>(written), static_cast<long long>(filled),
                 static_cast<long long>(combined));
    return 1;
}

/* Records must be given back, because there are fewer of them than children. */
int check_many()
{
    int caught = 0;
    for (int i = 0; i < 300; i++)
        try {
            auto child = uat::spawn([i] { throw_at(i); });
            linger(i % 3 * 100);
            child.join();
        } catch (const std::out_of_range &e) {
            caught += std::atoi(e.what()) == i;
        }
    return caught != 300;
}

int root(uat::span<std::int64_t> words, uat::span<std::int64_t> elements)
{
    int kinds = check_kinds(), unwinding = check_unwinding(words), trees = check_trees(), many = check_many(),
        loops = 0;
    std::int64_t n = std::int64_t(elements.size());
    for (std::int64_t first : {std::int64_t{0}, std::int64_t{1}, n / 7, std::int64_t{8192}, n - 1})
        for (std::int64_t every : {std::int64_t{1}, n / 9, n})
            loops += check_loops(elements, first, every);
    if (kinds + unwinding + trees + many > 0)
        std::fprintf(stderr, "failures: kinds %d, unwinding %d, trees %d, many %d\n", kinds, unwinding, trees, many);
    return kinds + unwinding + trees + many + loops;
}

/* An exception that leaves a run is thrown on every rank. */
int check_run()
{
    int errors = 0;
    for (int kind = 0; kind < KINDS; kind++)
        try {
            errors++;
            uat::run([](int k) { pass_on(3, k); }, kind);
        } catch (const std::exception &e) {
            errors -= same(kind, e);
        }
    return errors;
}

} // namespace

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? std::atoi(argv[1]) : 1, errors = 0;
    uat::job job;
    uat::global_vector<std::int64_t> words(1), elements(40000, uat::distribution::cyclic);
    for (int i = 0; i < rounds; i++)
        errors += uat::run(root, words.span(), elements.span()) + check_run();
    if (errors > 0)
        std::fprintf(stderr, "failures: %d errors on rank %d\n", errors, uat_rank());
    return errors > 0;
}
