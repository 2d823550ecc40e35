/* SPDX-License-Identifier: MIT */
/*
 * Description: vectors, spans, checkouts, sort, transform and reductions of uat.hpp give the sequential results in near
 * and far global memory. Partitions in steps keep their conditions after each step.
 * usage: test-algorithms [SIZE]
 */
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

struct pair {
    std::uint32_t key, place;
};

struct large {
    double key;
    std::int64_t bytes[8];
};

struct alignas(64) line {
    std::int64_t words[8];
};

int check(bool right, const char *what)
{
    if (!right)
        std::fprintf(stderr, "test-algorithms: wrong: %s\n", what);
    return !right;
}

/* Whether the span is sorted and contains the elements make(i) for all i below its size. */
template <class T, class Make, class Less, class Key>
bool is_sorted_of(uat::span<const T> s, Make make, Less less, Key key)
{
    auto plus = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    std::uint64_t found = uat::transform_reduce(s, std::uint64_t{0}, plus, [=](const T &x) { return mix(key(x)); }),
                  expected = 0;
    for (std::size_t i = 0; i < s.size(); i++)
        expected += mix(key(make(i)));
    bool ordered = true;
    for (std::size_t at = 0; at < s.size(); at += 100) {
        auto q = s.subspan(at, 101).read();
        for (std::size_t i = 1; i < q.size(); i++)
            ordered = ordered && !less(q[i], q[i - 1]);
    }
    return ordered && found == expected;
}

template <class T, class Make, class Less, class Key> bool sorts(uat::span<T> s, Make make, Less less, Key key)
{
    uat::tabulate(s, make);
    uat::sort(s, less);
    return is_sorted_of(uat::span<const T>(s), make, less, key);
}

int check_sorts(uat::span<std::int64_t> words, uat::span<pair> pairs, uat::span<large> larges, std::uint64_t seed)
{
    auto self = [](std::int64_t x) { return std::uint64_t(x); };
    auto whole = [](const pair &p) { return std::uint64_t(p.key) << 32 | p.place; };
    auto random = [seed](std::size_t i) { return std::int64_t(mix(i + seed)); };
    std::size_t n = words.size();
    int errors = check(sorts(words, random, std::less<>(), self), "sort of random words");
    errors += check(sorts(
                        words, [](std::size_t i) { return std::int64_t(i); }, std::greater<>(), self),
                    "sort downwards");
    errors += check(sorts(
                        words, [](std::size_t) { return std::int64_t{5}; }, std::less<>(), self),
                    "sort of equal words");
    errors += check(sorts(
                        words, [](std::size_t i) { return std::int64_t(mix(i) % 7); }, std::less<>(), self),
                    "sort of few values");
    errors += check(sorts(
                        words, [n](std::size_t i) { return std::int64_t(i < n / 2 ? i : n - i); }, std::less<>(), self),
                    "sort of a hill");
    errors += check(sorts(
                        pairs,
                        [seed](std::size_t i) {
                            return pair{std::uint32_t(mix(i ^ seed) % 1000), std::uint32_t(i)};
                        },
                        [](const pair &a, const pair &b) { return a.key < b.key; }, whole),
                    "sort of pairs");
    std::int64_t sign = -1;
    errors += check(sorts(
                        larges,
                        [](std::size_t i) {
                            return large{double(mix(i) % 5000), {std::int64_t(i)}};
                        },
                        [sign](const large &a, const large &b) { return double(sign) * a.key < double(sign) * b.key; },
                        [](const large &l) { return std::uint64_t(l.key) * 100000 + std::uint64_t(l.bytes[0]); }),
                    "sort of large elements");
    std::int64_t own[300];
    for (std::size_t i = 0; i < 300; i++)
        own[i] = random(i);
    uat::sort(uat::span<std::int64_t>(own, 300));
    for (std::size_t i = 1; i < 300; i++)
        errors += check(own[i - 1] <= own[i], "sort of a local array");
    return errors;
}

/* Sort by comparisons that contradict themselves. The span must keep its elements, no element outside of the span may
 * be compared, and the sort must end. */
template <class Less> bool keeps(uat::span<std::int64_t> s, std::int64_t values, Less less)
{
    auto make = [=](std::size_t i) { return std::int64_t(mix(i)) % values; };
    auto plus = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    auto sum = [=] {
        return uat::transform_reduce(s, std::uint64_t{0}, plus, [](std::int64_t x) { return mix(std::uint64_t(x)); });
    };
    constexpr std::int64_t outside = 1000000;
    std::int64_t own[402];
    own[0] = own[401] = outside;
    for (std::size_t i = 0; i < 400; i++)
        own[i + 1] = make(i);
    uat::sort(uat::span<std::int64_t>(own + 1, 400), [less](std::int64_t a, std::int64_t b) {
        if (a == outside || b == outside)
            throw std::logic_error("a sort compares what is outside of its span");
        return less(a, b);
    });
    uat::tabulate(s, make);
    std::uint64_t before = sum();
    uat::sort(s, less);
    return own[0] == outside && own[401] == outside && sum() == before;
}

int check_contradictions(uat::span<std::int64_t> s)
{
    int errors = 0;
    for (std::int64_t values : {1, 7, 100000}) {
        errors += check(keeps(s, values, std::less_equal<>()), "sort by <=");
        errors += check(keeps(s, values, std::greater_equal<>()), "sort by >=");
        errors += check(keeps(s, values, [](std::int64_t, std::int64_t) { return true; }), "sort by \"always less\"");
        errors += check(keeps(s, values, [](std::int64_t, std::int64_t) { return false; }), "sort by \"never less\"");
        errors +=
            check(keeps(s, values, [](std::int64_t a, std::int64_t b) { return mix(std::uint64_t(a - 2 * b)) % 2; }),
                  "sort by chance");
    }
    return errors;
}

/* Whether a partition in steps of at most `most` elements fulfils the conditions of a pass after each step. Elements
 * before pass.less must be less than the pivot. Elements in [pass.less, pass.from), and elements from pass.to on, must
 * not be less. The partition starts after `gap` elements that are already known not to be less. */
template <class T, class Make, class Key> bool partitions(std::size_t gap, std::size_t most, Make make, Key key)
{
    using quicksort = uat::detail::quicksort<T, bool (*)(const T &, const T &)>;
    constexpr std::size_t N = 500;
    T elements[N], value = make(50);
    bool (*less)(const T &, const T &) = [](const T &a, const T &b) { return Key()(a) < Key()(b); };
    const uat_sort_pivot pivot = {&value, 0, &less};
    uat_sort_pass pass = {0, gap, N};
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < N; i++) {
        elements[i] = make(i < gap ? 99 : mix(i + most) % 100);
        sum += mix(std::uint64_t(key(elements[i])));
    }
    for (std::size_t steps = N; pass.from < pass.to && steps > 0; steps--) {
        std::size_t left = pass.to - pass.from, low = pass.from + most / 2, high = pass.to - most / 2;
        quicksort::partition(elements, &pass, most, &pivot);
        if (left > most && (pass.from > low || pass.to < high)) /* a step must not touch the middle */
            return false;
        if (pass.less > pass.from || pass.from > pass.to || pass.to > N || left - (pass.to - pass.from) > most)
            return false;
        for (std::size_t i = 0; i < N; i++)
            if ((i < pass.less && !less(elements[i], value)) ||
                (((i >= pass.less && i < pass.from) || i >= pass.to) && less(elements[i], value)))
                return false;
    }
    for (const T &x : elements)
        sum -= mix(std::uint64_t(key(x)));
    return pass.from == pass.to && sum == 0;
}

int check_partitions()
{
    struct key {
        double operator()(const pair &p) const
        {
            return p.key;
        }
        double operator()(const large &l) const
        {
            return l.key;
        }
    };
    int errors = 0;
    for (std::size_t gap : {0u, 1u, 100u, 300u, 500u})
        for (std::size_t most : {2u, 3u, 64u, 499u, 1000u}) {
            errors += check(partitions<pair, pair (*)(std::uint64_t), key>(
                                gap, most,
                                [](std::uint64_t i) {
                                    return pair{std::uint32_t(i), 0};
                                },
                                key()),
                            "partition of small elements");
            errors += check(partitions<large, large (*)(std::uint64_t), key>(
                                gap, most,
                                [](std::uint64_t i) {
                                    return large{double(i), {}};
                                },
                                key()),
                            "partition of large elements");
        }
    return errors;
}

int check_transforms(uat::span<std::int64_t> x, uat::span<std::int64_t> y, uat::span<char> bits)
{
    auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
    auto n = std::int64_t(x.size());
    line twelve{{1, 2, 3, 4, 5, 6, 7, 12}};
    uat::tabulate(x, [](std::size_t i) { return std::int64_t(i); });
    uat::transform(x, y, [twelve](std::int64_t v) {
        if (reinterpret_cast<std::uintptr_t>(&twelve) % 64 != 0)
            throw std::logic_error("an argument is not aligned");
        return twelve.words[7] * v;
    });
    uat::transform(x, y, y, [](std::int64_t a, std::int64_t b) { return b - 10 * a; }); /* 2 i */
    uat::transform(y, y, [](std::int64_t v) { return v + 1; });
    uat::transform(uat::span<const std::int64_t>(y), bits, [](std::int64_t v) { return char(v & 1); });
    std::int64_t sum =
        uat::transform_reduce(x, y, std::int64_t{0}, plus, [](std::int64_t a, std::int64_t b) { return b - 2 * a; });
    int errors = check(sum == n, "transform, transform_reduce of two spans");
    errors += check(uat::transform_reduce(bits, std::int64_t{0}, plus, [](char c) { return std::int64_t{c}; }) == n,
                    "transform to bytes");
    uat::for_each(y, [](std::int64_t &v) { v *= 2; });
    uat::for_each(uat::span<const std::int64_t>(y), [](const std::int64_t &v) {
        if (v % 4 != 2)
            throw std::logic_error("for_each");
    });
    uat::for_each_block(y, [](uat::block<std::int64_t> b) {
        for (std::size_t i = 0; i < b.size(); i++)
            b[i] -= 4 * std::int64_t(b.first() + i);
    });
    errors += check(uat::transform_reduce(y, std::int64_t{0}, plus, [](std::int64_t v) { return v; }) == 2 * n,
                    "for_each_block");
    uat::fill(y, 3);
    errors += check(n == 0 || (y.get(0) == 3 && y.get(x.size() - 1) == 3), "fill");
    return errors;
}

/* Whether f throws std::invalid_argument with both sizes in its text. */
template <class F> bool refuses(F f, std::size_t one, std::size_t other)
{
    try {
        f();
    } catch (const std::invalid_argument &e) {
        std::string text = e.what(), first = std::to_string(one), second = std::to_string(other);
        return text.find("spans of " + first + " and " + second + " elements") != std::string::npos ||
               text.find("spans of " + second + " and " + first + " elements") != std::string::npos;
    }
    return false;
}

/* Each algorithm with two or three spans refuses spans of different sizes, before it touches any element. */
int check_sizes(uat::span<std::int64_t> x, uat::span<std::int64_t> y)
{
    auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
    auto same = [](std::int64_t v) { return v; };
    std::size_t n = x.size(), few = n / 2;
    int errors = 0;
    if (n == 0)
        return 0;
    for (bool swapped : {false, true}) {
        auto a = swapped ? x.first(few) : x, b = swapped ? y : y.first(few);
        uat::fill(x, 1);
        uat::fill(y, 1);
        errors += check(refuses([=] { uat::transform(a, b, [](std::int64_t) { return 5; }); }, n, few), "transform");
        errors += check(refuses([=] { uat::transform(a, a, b, plus); }, n, few), "transform of two");
        errors += check(refuses([=] { uat::transform(a, b, a, plus); }, n, few), "transform, second input");
        errors += check(refuses([=] { uat::transform(b, a, a, plus); }, n, few), "transform, first input");
        errors += check(refuses([=] { uat::transform_reduce(a, b, std::int64_t{0}, plus, plus); }, n, few), "reduce");
        errors += check(refuses([=] { uat::inclusive_scan(a, b, std::int64_t{0}, plus); }, n, few), "inclusive_scan");
        errors += check(refuses([=] { uat::exclusive_scan(a, b, std::int64_t{0}, plus); }, n, few), "exclusive_scan");
        errors += check(uat::transform_reduce(x, std::int64_t{0}, plus, same) == std::int64_t(n) &&
                            uat::transform_reduce(y, std::int64_t{0}, plus, same) == std::int64_t(n),
                        "what a refused algorithm leaves");
    }
    return errors;
}

int check_spans(uat::span<std::int64_t> s)
{
    uat::tabulate(s, [](std::size_t i) { return std::int64_t(i); });
    int errors = check(s.first(3).size() == (s.size() < 3 ? s.size() : 3) && s.subspan(s.size() + 5).empty(), "sizes");
    if (s.size() < 20)
        return errors;
    {
        auto q = s.last(10).update();
        for (auto &v : q)
            v = -v;
    }
    {
        auto q = s.subspan(4, 6).write();
        for (std::size_t i = 0; i < q.size(); i++)
            q[i] = 100;
    }
    s.put(0, 77);
    auto q = s.read();
    errors += check(q[0] == 77 && q[3] == 3 && q[4] == 100 && q[9] == 100, "checkouts");
    errors +=
        check(q[s.size() - 1] == -std::int64_t(s.size() - 1) && s.get(s.size() - 1) == q[s.size() - 1], "the end");
    return errors;
}

} // namespace

int main(int argc, char **argv)
{
    std::size_t n = argc > 1 ? std::size_t(std::atol(argv[1])) : 40000;
    uat::job job;
    uat::global_vector<std::int64_t> words(n), others(n, uat::distribution::cyclic);
    uat::global_vector<pair> pairs(n, uat::distribution::cyclic, 10000);
    uat::global_vector<large> larges(n / 4);
    uat::global_vector<char> bits(n), empty(0);
    int errors = check_partitions();
    for (std::uint64_t seed = 0; seed < 2; seed++)
        errors += uat::run([=, w = words.span(), p = pairs.span(), l = larges.span(), o = others.span(),
                            b = bits.span(), e = empty.span()] {
            std::size_t part = seed ? w.size() / 1000 : w.size();
            uat::fill(e, 'x');
            return check_spans(o.first(30)) + check_sorts(w.first(part), p.last(part), l.first(part / 4), seed) +
                   check_transforms(w.first(part), o.first(part), b.last(part)) +
                   check_sizes(w.first(part), o.first(part)) + check_contradictions(w.first(part));
        });
    auto moved = std::move(words);
    errors +=
        check(moved.size() == n && words.size() == 0, "a vector that has moved"); // NOLINT: looks at what was moved
    if (errors == 0 && uat_rank() == 0)
        std::printf("%zu elements, 0 errors\n", n);
    return errors > 0;
}
