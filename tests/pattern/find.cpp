/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_find() and the searches of uat.hpp return the first index for any number of workers, end early, and
 * throw what a sequential search would throw.
 * usage: test-find [refused | far]
 * far: each look at a cancellation takes long, because it READs a far word. This must not make the chunks shorter.
 */
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

enum : std::int64_t { HUGE_RANGE = std::int64_t{1} << 50 }; /* a search of all of it would take days */

int check(bool right, const char *what)
{
    if (!right)
        std::fprintf(stderr, "test-find: wrong: %s\n", what);
    return !right;
}

void linger(std::int64_t n)
{
    for (volatile std::int64_t i = 0; i < n;)
        i = i + 1;
}

/* Few or many iterations match, and later ones are found sooner. */
int check_first(std::int64_t begin, std::int64_t n, std::uint64_t seed)
{
    int errors = 0;
    for (std::uint64_t rare : {3u, 50u, 400u, 5000u}) {
        auto match = [=](std::int64_t i) { return mix(std::uint64_t(i) ^ seed) % rare == 0; };
        std::int64_t expected = begin;
        while (expected < begin + n && !match(expected))
            expected++;
        std::int64_t found = uat::parallel_find_if(begin, begin + n, [=](std::int64_t i) {
            linger((begin + n - i) / 4);
            return match(i);
        });
        errors += check(found == expected, "the first index");
    }
    return errors;
}

/* The iterations from `match` on match. One iteration throws. */
std::int64_t find_or_throw(std::int64_t n, std::int64_t match, std::int64_t bad)
{
    try {
        return uat::parallel_find_if(0, n, [=](std::int64_t i) {
            linger((n - i) / 4);
            if (i >= bad)
                throw std::out_of_range(std::to_string(i));
            return i >= match;
        });
    } catch (const std::out_of_range &e) {
        return -std::stol(e.what());
    }
}

int check_throws(std::int64_t n)
{
    int errors = 0;
    for (std::int64_t bad = 1; bad < n; bad += n / 7)
        for (std::int64_t match = 0; match < n; match += n / 5)
            errors += check(find_or_throw(n, match, bad) == (match < bad ? match : -bad), "a search that throws");
    return errors + check(find_or_throw(n, n, n) == n, "neither a match nor an exception");
}

/* In virtual time only this work takes time: about a chunk's time for 8192 iterations. */
void take_time(std::int64_t i)
{
    if (i % 8192 == 0)
        uat_sim_work(10000);
}

/* These searches must end although the iterations after the only match are too many to be searched. With one worker
 * none of them is looked at. */
int check_early()
{
    uat::reducer<std::int64_t> looked;
    int errors = 0;
    for (std::int64_t at : {std::int64_t{0}, std::int64_t{12345}, std::int64_t{3000000}}) {
        std::int64_t found = uat::parallel_find_if(-5, HUGE_RANGE, [=](std::int64_t i) {
            take_time(i);
            ++*looked;
            return i == at;
        });
        std::int64_t count = looked.take();
        errors += check(found == at, "a search in a huge range");
        errors += check(count >= at + 6 && (uat_size() > 1 || count == at + 6), "the number of calls");
    }
    bool caught = false;
    try {
        (void)uat::parallel_find_if(0, HUGE_RANGE, [](std::int64_t i) {
            take_time(i);
            if (i == 5000000)
                throw std::to_string(i);
            return false;
        });
    } catch (const uat::task_error &) {
        caught = true;
    }
    return errors + check(caught, "an exception in a huge range");
}

/* Searches in bodies of searches and of loops. */
int check_nested()
{
    std::int64_t found = uat::parallel_find_if(0, 300, [](std::int64_t i) {
        return uat::parallel_find_if(0, 40, [i](std::int64_t k) { return i * k == 7 * 31; }) < 40;
    });
    int errors = check(found == 7, "a search in a search");
    uat::reducer<std::int64_t> sum;
    uat::parallel_for(0, 60, [=](std::int64_t i) {
        *sum += uat::parallel_find_if(0, 200, [i](std::int64_t k) { return k >= 2 * i; });
    });
    return errors + check(sum.take() == 60 * 59, "a search in a loop");
}

int check_spans(uat::span<std::int64_t> s)
{
    std::size_t n = s.size();
    int errors = 0;
    uat::tabulate(s, [](std::size_t i) { return std::int64_t(i); });
    for (std::size_t at : {std::size_t{0}, n / 3, n - 1, n}) {
        std::int64_t from = std::int64_t(at);
        auto match = [from](std::int64_t x) { return x >= from; };
        errors += check(uat::find_if(s, match) == at, "find_if");
        errors += check(uat::any_of(s, match) == (at < n), "any_of");
        errors += check(uat::none_of(s, match) == (at == n), "none_of");
        errors += check(uat::all_of(s, match) == (at == 0), "all_of");
    }
    auto never = [](std::int64_t) -> bool { throw std::logic_error("of an empty span"); };
    auto none = s.first(0);
    errors += check(uat::find_if(none, never) == 0 && !uat::any_of(none, never), "find_if and any_of of nothing");
    errors += check(uat::all_of(none, never) && uat::none_of(none, never), "all_of and none_of of nothing");
    errors += check(uat::parallel_find_if(9, 3, [](std::int64_t) { return true; }) == 3, "an empty range");
    try {
        (void)uat::any_of(uat::span<const std::int64_t>(s), never);
        errors++;
    } catch (const std::logic_error &) {
        auto again = s.update(); /* the search has checked its elements in */
        again[0] = -1;
    }
    return errors + check(s.get(0) == -1, "a span after an exception");
}

int root(uat::span<std::int64_t> s)
{
    int errors = check_early() + check_throws(300) + check_nested() + check_spans(s);
    for (std::uint64_t seed = 0; seed < 6; seed++)
        errors += check_first(-20, 900, seed);
    return errors;
}

/* A body that returns -1 for "none", as a beginner might write it. */
void wrong(void *, void *)
{
    uat_find(
        0, 100, [](std::int64_t, std::int64_t, const void *) { return std::int64_t{-1}; }, nullptr, 0);
}

long chunks; /* of this process */

std::int64_t chunk(std::int64_t begin, std::int64_t end, const void *)
{
    volatile double sum = 0;
    for (std::int64_t i = begin; i < end; i++)
        sum = sum + 1 / double(i + 1);
    chunks++;
    return end;
}

/* If the looks counted as work, each process would run more than 200,000 chunks instead of some 500. A process without
 * chunks has stolen nothing, and looks at no far word. */
int check_chunks()
{
    uat::run([] { uat_find(0, 2000000, chunk, nullptr, 0); });
    bool wrong = chunks == 0 || chunks > 10000;
    if (wrong)
        std::fprintf(stderr, "test-find: %ld chunks\n", chunks);
    return wrong;
}

} // namespace

int main(int argc, char **argv)
{
    uat::job job;
    if (argc > 1 && std::string(argv[1]) == "far")
        return check_chunks();
    uat::global_vector<std::int64_t> v(50000);
    if (argc > 1)
        return uat_run(wrong, nullptr, 0, nullptr, 0) == 0;
    return uat::run(root, v.span()) > 0;
}
