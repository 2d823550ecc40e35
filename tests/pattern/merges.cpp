/* SPDX-License-Identifier: MIT */
/*
 * Description: merge, stable_sort, sort_by_key, copy_if and stable_partition give what the standard library's
 * algorithms give, and keep the order of equal elements, for many sizes and orders of the elements. partition and
 * nth_element keep all elements, and divide them as they should. Spans that overlap, have the wrong size or are too
 * small are refused. No temporary array is left. usage: test-merges [SIZE [LARGE]]
 * LARGE: elements of a span whose parts malloc() cannot hold on the last worker
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>
#include <sys/resource.h>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

struct item {
    std::uint32_t key, place;
};
using items = std::vector<item>;

/* place tells equal elements apart */
bool operator==(const item &a, const item &b)
{
    return a.key == b.key && a.place == b.place;
}

struct by_key {
    bool operator()(const item &a, const item &b) const
    {
        return a.key < b.key;
    }
};

enum order { RANDOM, FEW, EQUAL, SORTED, REVERSED, ORDERS };

items make(std::size_t n, int order, std::uint64_t seed)
{
    items v(n);
    for (std::size_t i = 0; i < n; i++) {
        std::uint64_t x = mix(i + seed * 1000003);
        std::uint64_t keys[] = {x % (2 * n + 1), x % 5, 7, i, n - i};
        v[i] = {std::uint32_t(keys[order]), std::uint32_t(i)};
    }
    return v;
}

int check(bool right, const char *what, std::size_t n, int order)
{
    if (!right)
        std::fprintf(stderr, "test-merges: wrong: %s of %zu elements, order %d\n", what, n, order);
    return !right;
}

/* Fill s with the elements, and compare s with them. Both work in small parts, for a small cache. */
void put(uat::span<item> s, const items &v)
{
    for (std::size_t at = 0; at < s.size(); at += 512) {
        auto q = s.subspan(at, 512).write();
        std::copy_n(v.begin() + std::ptrdiff_t(at), q.size(), q.begin());
    }
}
bool same(uat::span<item> s, const items &v)
{
    bool yes = s.size() == v.size();
    for (std::size_t at = 0; at < s.size() && yes; at += 512) {
        auto q = s.subspan(at, 512).read();
        yes = std::equal(q.begin(), q.end(), v.begin() + std::ptrdiff_t(at));
    }
    return yes;
}

/* The elements of the vectors belong to the worker that made them, so no vector lives across a call of an algorithm. */
int check_sort(uat::span<item> s, uat::span<item> other, int order)
{
    auto sorted = [=] {
        items v = make(s.size(), order, 1);
        std::stable_sort(v.begin(), v.end(), by_key());
        return v;
    };
    std::size_t n = s.size();
    put(s, make(n, order, 1));
    uat::stable_sort(s, by_key());
    int errors = check(same(s, sorted()), "stable_sort", n, order);
    put(s, make(n, order, 1));
    uat::stable_sort(s, other, by_key());
    return errors + check(same(s, sorted()), "stable_sort with scratch", n, order);
}

int check_by_key(uat::span<std::uint32_t> keys, uat::span<item> values, int order)
{
    std::size_t n = values.size();
    put(values, make(n, order, 2));
    uat::transform(values, keys, [](const item &x) { return x.key; });
    uat::sort_by_key(keys, values);
    int wrong = uat::transform_reduce(
        keys, values, 0, [](int a, int b) { return a + b; },
        [](std::uint32_t k, const item &x) { return k == x.key ? 0 : 1; });
    items v = make(n, order, 2);
    std::stable_sort(v.begin(), v.end(), by_key());
    return check(wrong == 0 && same(values, v), "sort_by_key", n, order);
}

/* Merge the first `low` elements with the others. */
int check_merge(uat::span<item> s, uat::span<item> out, std::size_t low, int order)
{
    auto sorted = [=](std::size_t size, std::uint64_t seed) {
        items v = make(size, order, seed);
        std::stable_sort(v.begin(), v.end(), by_key());
        return v;
    };
    std::size_t n = s.size();
    put(s.first(low), sorted(low, 3));
    put(s.subspan(low), sorted(n - low, 4));
    uat::merge(uat::span<const item>(s.first(low)), s.subspan(low), out, by_key());
    items v(n), a = sorted(low, 3), b = sorted(n - low, 4);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), v.begin(), by_key());
    return check(same(out, v), "merge", n, order);
}

int check_selection(uat::span<item> s, uat::span<item> out, std::uint32_t one_in, int order)
{
    auto f = [one_in](const item &x) { return mix(x.place) % one_in == 0; };
    std::size_t n = s.size();
    put(s, make(n, order, 5));
    std::size_t count = uat::copy_if(uat::span<const item>(s), out, f), front = uat::stable_partition(s, f);
    items v = make(n, order, 5), copied;
    std::copy_if(v.begin(), v.end(), std::back_inserter(copied), f);
    std::stable_partition(v.begin(), v.end(), f);
    int errors = check(count == copied.size() && same(out.first(count), copied), "copy_if", n, order);
    return errors + check(front == count && same(s, v), "stable_partition", n, order);
}

/* The places of the elements that fulfil f, mixed and added up. */
template <class F> std::uint64_t sum_of(uat::span<item> s, F f)
{
    return uat::transform_reduce(
        s, std::uint64_t{0}, [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [f](const item &x) { return f(x) ? mix(std::uint64_t(x.key) << 32 | x.place) : 0; });
}

template <class F> std::size_t count_of(uat::span<item> s, F f)
{
    return uat::transform_reduce(
        s, std::size_t{0}, [](std::size_t a, std::size_t b) { return a + b; },
        [f](const item &x) { return std::size_t(f(x) ? 1 : 0); });
}

int check_partition(uat::span<item> s, std::uint32_t one_in, int order)
{
    auto f = [one_in](const item &x) { return mix(x.place) % one_in == 0; };
    std::size_t n = s.size();
    put(s, make(n, order, 8));
    std::uint64_t chosen = sum_of(s, f), others = sum_of(s, [f](const item &x) { return !f(x); });
    std::size_t front = uat::partition(s, f);
    auto any = [](const item &) { return true; };
    return check(front == count_of(s, f) && sum_of(s.first(front), f) == chosen &&
                     sum_of(s.first(front), any) == chosen && sum_of(s.subspan(front), any) == others,
                 "partition", n, order);
}

int check_nth(uat::span<item> s, std::size_t nth, int order)
{
    auto any = [](const item &) { return true; };
    std::size_t n = s.size();
    put(s, make(n, order, 9));
    std::uint64_t before = sum_of(s, any);
    uat::nth_element(s, nth, by_key());
    bool right = sum_of(s, any) == before;
    if (nth < n) {
        auto expected = [=] {
            items v = make(n, order, 9);
            std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(nth), v.end(), by_key());
            return v[nth].key;
        };
        std::uint32_t key = s.get(nth).key;
        right = right && key == expected() &&
                uat::all_of(s.first(nth), [key](const item &x) { return x.key <= key; }) &&
                uat::all_of(s.subspan(nth), [key](const item &x) { return x.key >= key; });
    }
    return check(right, "nth_element", n, order);
}

/* Whether f throws an E with this text. */
template <class E, class F> bool refuses(F f, const char *text)
{
    try {
        f();
    } catch (const E &e) {
        return std::string(e.what()).find(text) != std::string::npos;
    }
    return false;
}

int check_refused(uat::span<item> s, uat::span<item> other)
{
    using bad = std::invalid_argument;
    auto all = [](const item &) { return true; };
    auto a = s.first(10), b = s.subspan(10, 10), out = other.first(20);
    int errors = !refuses<bad>([=] { uat::merge(a, b, out.first(19), by_key()); }, "spans of 20 and 19");
    errors += !refuses<bad>([=] { uat::merge(a, b, s.subspan(19, 20), by_key()); }, "overlap");
    errors += !refuses<bad>([=] { uat::merge(b, a, s.subspan(19, 20), by_key()); }, "overlap");
    errors += !refuses<bad>([=] { uat::stable_sort(a, out, by_key()); }, "spans of 10 and 20");
    errors += !refuses<bad>([=] { uat::stable_sort(a, a, by_key()); }, "uat::stable_sort(): spans that overlap");
    errors += !refuses<bad>([=] { uat::sort_by_key(a, out, by_key()); }, "spans of 10 and 20");
    errors += !refuses<bad>([=] { uat::copy_if(a, a, all); }, "uat::copy_if(): spans that overlap");
    errors += !refuses<std::out_of_range>([=] { uat::nth_element(a, 11, by_key()); }, "place 11 of a span of 10");
    errors +=
        !refuses<std::length_error>([=] { uat::copy_if(b, out.first(9), all); }, "10 elements to copy to a span of 9");
    return check(errors == 0, "what is refused", 20, 0);
}

/* A comparison that contradicts itself: the elements are kept. */
int check_contradiction(uat::span<item> s)
{
    auto sum = [=] {
        return uat::transform_reduce(
            s, std::uint64_t{0}, [](std::uint64_t a, std::uint64_t b) { return a + b; },
            [](const item &x) { return mix(x.place); });
    };
    put(s, make(s.size(), RANDOM, 6));
    std::uint64_t before = sum();
    uat::stable_sort(s, [](const item &a, const item &b) { return mix(a.place + 3 * b.place) % 2 == 0; });
    int errors = check(sum() == before, "stable_sort by chance", s.size(), 0);
    uat::nth_element(s, s.size() / 3, [](const item &a, const item &b) { return mix(a.place + 3 * b.place) % 2 == 0; });
    errors += check(sum() == before, "nth_element by chance", s.size(), 0);
    put(s, make(s.size(), RANDOM, 6));
    uat::stable_sort(s, [](const item &, const item &) {
        static std::uint64_t calls; /* each worker's own, so the answer also depends on the worker */
        return mix(calls++) % 2 == 0;
    });
    return errors + check(sum() == before, "stable_sort by another chance each time", s.size(), 0);
}

/* An array of this process. */
int check_own()
{
    item own[300];
    items v = make(300, FEW, 7);
    std::copy(v.begin(), v.end(), own);
    std::stable_sort(v.begin(), v.end(), by_key());
    uat::stable_sort(uat::span<item>(own, 300), by_key());
    int errors = check(std::equal(own, own + 300, v.begin()), "stable_sort of an own array", 300, FEW);
    for (std::size_t nth = 0; nth < 300; nth += 37) {
        items w = make(300, RANDOM, 7);
        std::copy(w.begin(), w.end(), own);
        uat::nth_element(uat::span<item>(own, 300), nth, by_key());
        std::nth_element(w.begin(), w.begin() + std::ptrdiff_t(nth), w.end(), by_key());
        errors += check(own[nth].key == w[nth].key, "nth_element of an own array", nth, RANDOM);
    }
    auto even = [](const item &x) { return x.place % 2 == 0; };
    errors += check(uat::partition(uat::span<item>(own, 300), even) == 150 && std::all_of(own, own + 150, even) &&
                        std::none_of(own + 150, own + 300, even),
                    "partition of an own array", 300, RANDOM);
    return errors;
}

/* The merge sort's own memory has the alignment of the elements, too. */
struct alignas(64) line {
    std::uint32_t key;
};

int check_alignment()
{
    line own[100];
    int misaligned = 0;
    for (std::uint32_t i = 0; i < 100; i++)
        own[i].key = std::uint32_t(mix(i));
    uat::stable_sort(uat::span<line>(own, 100), [&misaligned](const line &a, const line &b) {
        misaligned += (reinterpret_cast<std::uintptr_t>(&a) | reinterpret_cast<std::uintptr_t>(&b)) % 64 != 0;
        return a.key < b.key;
    });
    return check(misaligned == 0, "alignment of the merge sort", 100, 0);
}

/* Algorithms at the homes of the elements; sorts with a scratch array that has the same homes and with a temporary
 * array. The spans begin at the start of a block or within one. */
int check_homes(uat::span<item> s, uat::span<item> twin)
{
    int errors = 0;
    for (std::size_t n : {s.size(), 2 * s.size() / 3})
        for (int order : {RANDOM, FEW, SORTED}) {
            errors += check_sort(s.last(n), twin.last(n), order) + check_merge(s.last(n), twin.last(n), n / 3, order);
            errors += check_selection(s.last(n), twin.last(n), order == FEW ? 40 : 3, order);
        }
    return errors;
}

/* A stable partition while malloc() of one worker has no room for its part of a large span. The rest of this function
 * allocates nothing. */
int check_without_room(uat::span<item> s)
{
    auto f = [](const item &x) { return x.key % 3 == 0; };
    uat::tabulate(s, [](std::size_t i) { return item{std::uint32_t(mix(i)), std::uint32_t(i)}; });
    std::size_t front = uat::stable_partition(s, f), wrong = 0;
    for (std::size_t i = 0; i < s.size(); i++) {
        wrong += f(s.get(i)) != (i < front);
        wrong += i > 0 && i != front && s.get(i - 1).place >= s.get(i).place;
    }
    return check(wrong == 0, "stable_partition without room", s.size(), RANDOM);
}

/* Let this process map no more memory of its own, or as much as before. */
void limit(bool on)
{
    static rlimit before;
    rlimit none;
    if (on) {
        getrlimit(RLIMIT_DATA, &before);
        none = {4096, before.rlim_max};
    }
    setrlimit(RLIMIT_DATA, on ? &none : &before);
}

/* Every second worker ignores the low bits of the keys. So each worker finds splitters that are in order, but those of
 * two neighbours differ. A merge finds other edges. */
int check_neighbours(uat::span<item> s, uat::span<item> out)
{
    auto any = [](const item &) { return true; };
    auto less = [](const item &a, const item &b) {
        int shift = uat_rank() % 2 * 12;
        return a.key >> shift < b.key >> shift;
    };
    put(s, make(s.size(), RANDOM, 10));
    std::uint64_t before = sum_of(s, any);
    uat::merge(s.first(s.size() / 3), s.subspan(s.size() / 3), out, less);
    int errors = check(sum_of(out, any) == before, "merge by another order on each worker", s.size(), RANDOM);
    uat::stable_sort(s, less);
    return errors + check(sum_of(s, any) == before, "stable_sort by another order on each worker", s.size(), RANDOM);
}

/* Elements of which some lie on two hosts, so that a worker sorts a copy of its part. It has their alignment. */
struct alignas(32) wide {
    std::uint32_t key, more[16];
};
static_assert(sizeof(wide) == 96, "a block has no whole number of them");

int check_wide(uat::span<wide> s)
{
    auto less = [](const wide &a, const wide &b) {
        if ((reinterpret_cast<std::uintptr_t>(&a) | reinterpret_cast<std::uintptr_t>(&b)) % alignof(wide) != 0)
            throw std::runtime_error("misaligned");
        return a.key < b.key;
    };
    auto plus = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    auto value = [](const wide &x) { return mix(x.key); };
    uat::tabulate(s, [](std::size_t i) {
        wide x = {};
        x.key = std::uint32_t(mix(i));
        return x;
    });
    std::uint64_t before = uat::transform_reduce(s, std::uint64_t{0}, plus, value);
    if (refuses<std::runtime_error>([=] { uat::stable_sort(s, less); }, "misaligned"))
        return check(false, "alignment of a part", s.size(), RANDOM);
    std::uint64_t wrong =
        uat::transform_reduce(s.first(s.size() - 1), s.subspan(1), std::uint64_t{0}, plus,
                              [](const wide &a, const wide &b) { return std::uint64_t(b.key < a.key); });
    return check(wrong == 0 && uat::transform_reduce(s, std::uint64_t{0}, plus, value) == before, "stable_sort",
                 s.size(), RANDOM);
}

int check_all(uat::span<item> s, uat::span<item> other, uat::span<std::uint32_t> keys)
{
    int errors = check_own() + check_alignment() + check_refused(s, other) + check_contradiction(s);
    const std::size_t sizes[] = {0, 1, 2, 3, 16, 17, 509, 512, 4096, 4097, 8191, s.size()};
    for (std::size_t n : sizes)
        for (int order = 0; order < ORDERS; order++) {
            if (n > s.size() || (n > 8000 && order % 2 == 1))
                continue;
            auto x = s.last(n), y = other.first(n);
            errors += check_sort(x, y, order) + check_by_key(keys.first(n), x, order);
            errors += check_merge(x, y, n / 2, order) + check_merge(x, y, n - n / 9, order);
            errors += check_selection(x, y, order == EQUAL ? 1 : 3, order);
            errors += check_partition(x, order == EQUAL ? 1 : 3, order) + check_partition(y, 50, order);
            errors += check_nth(x, n / 2, order) + check_nth(y, order == EQUAL ? n : n - n / 50 - (n > 0), order);
        }
    return errors;
}

} // namespace

int main(int argc, char **argv)
{
    std::size_t n = argc > 1 ? std::size_t(std::atol(argv[1])) : 40000;
    uat::job job;
    uat::global_vector<item> items_of_job(n), others(n, uat::distribution::cyclic), twins(n);
    uat::global_vector<wide> wides(n / 8);
    uat::global_vector<std::uint32_t> keys(n);
    if (uat_global_temporary_open(64 * n + (8 << 20), 0))
        return 1;
    int errors = uat::run([s = items_of_job.span(), o = others.span(), k = keys.span()] { return check_all(s, o, k); });
    errors += uat::run([s = items_of_job.span(), t = twins.span(), w = wides.span()] {
        return check_homes(s, t) + check_neighbours(s, t) + check_wide(w);
    });
    if (argc > 2) {
        uat::global_vector<item> large(std::size_t(std::atol(argv[2])));
        bool last = uat_rank() == uat_size() - 1;
        if (last)
            limit(true);
        errors += uat::run([s = large.span()] { return check_without_room(s); });
        if (last)
            limit(false);
    }
    int left = uat_global_temporary_open(0, 0); /* -EBUSY if a temporary array is left */
    return errors > 0 || left != 0;
}
