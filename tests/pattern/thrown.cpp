/* SPDX-License-Identifier: MIT */
/*
 * Description: an exception that a comparison or a predicate throws, at any point, arrives at the caller of the
 * algorithm with its what(). The elements that it sorts or moves are then still those of before. Nothing stays checked
 * out, and no temporary array is left. The next call of a sort or a partition gives the right result.
 * usage: test-thrown [SIZE]
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

/* Two sizes of elements: the sort moves small ones and large ones in different ways. */
struct small {
    std::uint32_t key, place;
};
struct large {
    std::uint32_t key, place;
    std::int64_t more[8];
};

int check(bool right, const char *what)
{
    if (!right)
        std::fprintf(stderr, "test-thrown: wrong: %s\n", what);
    return !right;
}

/* A comparison and a predicate that throw for one in `one_in` pairs or elements; 0: for none. */
struct thrower {
    std::uint64_t seed, one_in;

    void look(std::uint64_t x) const
    {
        if (one_in > 0 && mix(x + seed) % one_in == 0)
            throw std::out_of_range("compared");
    }
    template <class T> bool operator()(const T &a, const T &b) const
    {
        look(std::uint64_t(a.place) << 32 | b.place);
        return a.key < b.key;
    }
    template <class T> bool operator()(const T &a) const
    {
        look(a.place);
        return a.key % 2 == 0;
    }
};

template <class T> T make(std::size_t i)
{
    T t = T();
    t.key = std::uint32_t(mix(i) % 1000);
    t.place = std::uint32_t(i);
    return t;
}

template <class T> std::uint64_t sum_of(uat::span<T> s)
{
    return uat::transform_reduce(
        s, std::uint64_t{0}, [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [](const T &t) { return mix(std::uint64_t(t.key) << 32 | t.place); });
}

/* Whether f threw what a thrower throws; any other exception is an error. */
template <class F> bool throws(F f, int *errors)
{
    try {
        f();
    } catch (const std::out_of_range &e) {
        *errors += check(std::string(e.what()) == "compared", "what()");
        return true;
    }
    return false;
}

/* Call f(s, thrower) with throwers of all kinds. right(s): did it give the right result? */
template <class T, class F, class Right> int try_all(uat::span<T> s, const char *what, F f, Right right)
{
    int errors = 0, thrown = 0;
    for (std::uint64_t seed = 0, one_in = 1; one_in < 200 * s.size(); seed++, one_in = 3 * one_in + seed % 2) {
        uat::tabulate(s, make<T>);
        std::uint64_t before = sum_of(s);
        bool yes = throws([=] { f(s, thrower{seed, one_in}); }, &errors);
        thrown += yes;
        errors += check(sum_of(s) == before, what) + check(yes || right(s), what);
        uat::tabulate(s, make<T>);
        f(s, thrower{0, 0});
        errors += check(right(s), what);
    }
    return errors + check(thrown > 3, "no exception was thrown");
}

template <class T> bool is_sorted(uat::span<T> s)
{
    bool yes = true;
    for (std::size_t at = 0; at < s.size(); at += 100) {
        auto q = s.subspan(at, 101).read();
        yes = yes && std::is_sorted(q.begin(), q.end(), thrower{0, 0});
    }
    return yes;
}

template <class T> int check_sorts(uat::span<T> s)
{
    auto sort = [](uat::span<T> x, thrower t) { uat::sort(x, t); };
    auto stable_sort = [](uat::span<T> x, thrower t) { uat::stable_sort(x, t); };
    auto nth_element = [](uat::span<T> x, thrower t) { uat::nth_element(x, x.size() / 2, t); };
    auto is_divided = [](uat::span<T> x) {
        std::uint32_t key = x.get(x.size() / 2).key;
        return uat::all_of(x.first(x.size() / 2), [key](const T &e) { return e.key <= key; }) &&
               uat::all_of(x.subspan(x.size() / 2), [key](const T &e) { return e.key >= key; });
    };
    return try_all(s, "nth_element", nth_element, is_divided) + try_all(s, "sort", sort, is_sorted<T>) +
           try_all(s, "stable_sort", stable_sort, is_sorted<T>);
}

/* A merge and copy_if to a temporary array, of which an exception leaves nothing, and a partition, which an exception
 * leaves undone. */
int check_others(uat::span<small> s)
{
    auto yes = [](uat::span<small>) { return true; };
    auto merge = [](uat::span<small> x, thrower t) {
        uat::temporary_vector<small> out(x.size());
        uat::merge(x.first(x.size() / 2), x.subspan(x.size() / 2), out.span(), t);
    };
    auto copy_if = [](uat::span<small> x, thrower t) {
        uat::temporary_vector<small> out(x.size());
        uat::copy_if(x, out.span(), t);
    };
    auto stable_partition = [](uat::span<small> x, thrower t) { uat::stable_partition(x, t); };
    auto partition = [](uat::span<small> x, thrower t) { uat::partition(x, t); };
    auto divided = [](uat::span<small> x) {
        std::size_t front = uat::find_if(x, [](const small &e) { return e.key % 2 == 1; });
        return uat::all_of(x.subspan(front), [](const small &e) { return e.key % 2 == 1; });
    };
    return try_all(s, "merge", merge, yes) + try_all(s, "copy_if", copy_if, yes) +
           try_all(s, "stable_partition", stable_partition, divided) + try_all(s, "partition", partition, divided);
}

/* An exception of a type of the program arrives as a task_error, whether an algorithm has split or not. */
int check_own_type(uat::span<small> s)
{
    struct own {
    };
    auto fail = [](const small &, const small &) -> bool { throw own(); };
    auto arrives = [](auto f) {
        try {
            f();
        } catch (const uat::task_error &) {
            return true;
        }
        return false;
    };
    int errors = 0;
    for (std::size_t n : {std::size_t{20}, s.size()}) {
        auto x = s.first(n);
        errors += check(arrives([=] { uat::sort(x, fail); }), "sort, own type");
        errors += check(arrives([=] { uat::stable_sort(x, fail); }), "stable_sort, own type");
        errors += check(arrives([=] { uat::nth_element(x, n / 2, fail); }), "nth_element, own type");
        errors += check(arrives([=] {
                            uat::temporary_vector<small> out(x.size());
                            uat::merge(x.first(n / 2), x.subspan(n / 2), out.span(), fail);
                        }),
                        "merge, own type");
    }
    return errors;
}

/* The kernel of the sort alone, also its heapsort (depth 0), on memory of this process. */
template <class T> int check_kernel(int depth)
{
    constexpr std::size_t n = 100;
    int errors = 0, thrown = 0;
    for (std::uint64_t seed = 0; seed < 400; seed++) {
        T own[n];
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < n; i++) {
            own[i] = make<T>(i);
            sum += mix(own[i].place);
        }
        bool yes = throws(
            [&] {
                thrower t{seed, 1 + seed * 5};
                uat::detail::quicksort<T, thrower>::run(own, n, t, depth);
            },
            &errors);
        thrown += yes;
        for (const T &t : own)
            sum -= mix(t.place);
        errors += check(sum == 0, "elements after an exception in the kernel");
        errors += check(yes || std::is_sorted(own, own + n, thrower{0, 0}), "kernel");
    }
    return errors + check(thrown > 50 && thrown < 400, "exceptions in the kernel");
}

} // namespace

int main(int argc, char **argv)
{
    std::size_t n = argc > 1 ? std::size_t(std::atol(argv[1])) : 20000;
    uat::job job;
    uat::global_vector<small> smalls(n, uat::distribution::cyclic);
    uat::global_vector<large> larges(n / 8);
    if (uat_global_temporary_open(64 * n + (8 << 20), 0))
        return 1;
    int errors = uat::run([s = smalls.span(), l = larges.span()] {
        int wrong = check_kernel<small>(9) + check_kernel<small>(0) + check_kernel<large>(9) + check_kernel<large>(0);
        for (std::size_t size : {s.size(), std::size_t{17}})
            wrong += check_sorts(s.first(size)) + check_sorts(l.last(size));
        return wrong + check_others(s) + check_own_type(s);
    });
    int left = uat_global_temporary_open(0, 0); /* -EBUSY if a temporary array is left */
    return errors > 0 || left != 0;
}
