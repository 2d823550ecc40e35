/* SPDX-License-Identifier: MIT */
/*
 * Description: uat::atomic_ref on near and far words loses no change, and its operations return what those of
 * std::atomic_ref return. Prefix sums and extremes over spans equal the sequential values. parallel_invoke(), grains,
 * and a generator in a task give the right results. The program includes only uat.hpp.
 * usage: test-words [SIZE]
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include <uat.hpp>

namespace
{

struct two {
    std::int32_t a, b;
};

struct affine { /* x -> a x + b: a combination that does not commute */
    std::uint64_t a, b;
};

int check(bool right, const char *what)
{
    if (!right)
        std::fprintf(stderr, "test-words: wrong: %s\n", what);
    return !right;
}

/* The words of one worker's part. They cover all kinds of types. */
struct words {
    uat::atomic_ref<std::int64_t> sum, least, most;
    uat::atomic_ref<std::uint64_t> bits, odd, turns;
    uat::atomic_ref<double> real;
    uat::atomic_ref<two> both;
    uat::atomic_ref<std::int64_t *> pointer;
};

constexpr std::int64_t EACH = 400;

void change(const words &w, std::int64_t i)
{
    w.sum.fetch_add(i);
    w.sum.fetch_sub(1);
    w.sum.add(2);
    w.least.fetch_min(-i);
    w.most.fetch_max(i * 3);
    w.bits.fetch_or(std::uint64_t{1} << (i % 50));
    w.odd.fetch_xor(std::uint64_t(i));
    w.real.fetch_add(0.5);
    w.real.fetch_sub(0.25);
    w.pointer.fetch_add(2);
    w.pointer.fetch_sub(1);
    two seen = w.both.load();
    while (!w.both.compare_exchange_weak(seen, two{seen.a + 1, seen.b - 1}))
        ;
    if (seen.a != -seen.b)
        throw seen;
}

int check_sums(const words &w)
{
    uat::parallel_for(0, EACH, [w](std::int64_t i) { change(w, i); });
    uat_global_release();
    std::uint64_t odd = 0;
    for (std::int64_t i = 0; i < EACH; i++)
        odd ^= std::uint64_t(i);
    two both = w.both.load();
    int errors = check(w.sum.load() == EACH * (EACH - 1) / 2 + EACH, "fetch_add, fetch_sub, add");
    errors += check(w.least.load() == 1 - EACH && w.most.load() == 3 * (EACH - 1), "fetch_min, fetch_max");
    errors += check(w.bits.load() == (std::uint64_t{1} << 50) - 1 && w.odd.load() == odd, "fetch_or, fetch_xor");
    errors += check(w.real.load() == 0.25 * double(EACH), "additions to a double");
    errors += check(reinterpret_cast<std::uintptr_t>(w.pointer.load()) == EACH * sizeof(std::int64_t),
                    "additions to a pointer");
    return errors + check(both.a == EACH && both.b == -EACH, "compare_exchange_weak of a structure");
}

/* Check what the operations return, on words that no other task changes. */
int check_results(const words &w)
{
    std::int64_t expected = 6;
    w.sum.store(5);
    int errors = check(!w.sum.compare_exchange_strong(expected, 9) && expected == 5, "compare_exchange that fails");
    errors += check(w.sum.compare_exchange_strong(expected, 9) && w.sum.load() == 9, "compare_exchange");
    errors += check(w.sum.exchange(-2) == 9 && w.sum.fetch_add(4) == -2 && w.sum.fetch_sub(5) == 2, "old values");
    errors += check(w.sum.fetch_max(-3) == -3 && w.sum.fetch_max(7) == -3 && w.sum.fetch_min(8) == 7, "fetch_max");
    w.bits.store(12);
    errors += check(w.bits.fetch_and(10) == 12 && w.bits.fetch_or(3) == 8 && w.bits.load() == 11, "fetch_and");
    w.real.store(1.5);
    return errors + check(w.real.fetch_max(2.5) == 1.5 && w.real.exchange(0) == 2.5, "a double");
}

template <class T> uat::atomic_ref<T> word_of(uat::span<std::uint64_t> s, std::size_t i)
{
    return uat::atomic_ref<T>(reinterpret_cast<T *>(s.data() + i));
}

/* Check operations on s, which has 9 words, all 0. */
int check_words(uat::span<std::uint64_t> s)
{
    words w = {word_of<std::int64_t>(s, 0),
               word_of<std::int64_t>(s, 1),
               word_of<std::int64_t>(s, 2),
               s.atomic(3),
               s.atomic(4),
               s.atomic(5),
               word_of<double>(s, 6),
               word_of<two>(s, 7),
               word_of<std::int64_t *>(s, 8)};
    return check_sums(w) + check_results(w);
}

affine compose(const affine &f, const affine &g)
{
    return affine{g.a * f.a, g.a * f.b + g.b};
}

int check_scans(uat::span<affine> in, uat::span<affine> out)
{
    const affine identity = {1, 0};
    uat::tabulate(in, [](std::size_t i) { return affine{2 * i + 1, i * i}; });
    affine sum = identity, all = uat::exclusive_scan(in, out, identity, compose);
    bool right = true;
    for (std::size_t i = 0; i < out.size(); sum = compose(sum, in.get(i)), i++)
        right = right && out.get(i).a == sum.a && out.get(i).b == sum.b;
    int errors = check(right && all.a == sum.a && all.b == sum.b, "exclusive_scan");
    uat::inclusive_scan(uat::span<const affine>(in), in, identity, compose); /* in place */
    for (std::size_t i = 1; i < out.size(); i++)
        right = right && out.get(i).a == in.get(i - 1).a && out.get(i).b == in.get(i - 1).b;
    return errors + check(right && (in.empty() || in.get(in.size() - 1).b == all.b), "inclusive_scan in place");
}

/* A scan to another type, with addition by default; extremes that several elements share. */
int check_numbers(uat::span<std::uint8_t> in, uat::span<std::int64_t> out)
{
    std::size_t n = in.size();
    uat::tabulate(in, [](std::size_t i) { return std::uint8_t(i * 7 % 101); });
    std::int64_t all = uat::inclusive_scan(in, out), expected = 0;
    std::size_t least = n, most = n;
    for (std::size_t i = 0; i < n; i++) {
        std::uint8_t x = in.get(i);
        expected += x;
        least = least == n || x < in.get(least) ? i : least;
        most = most == n || x > in.get(most) ? i : most;
    }
    int errors = check(all == expected && (n == 0 || out.get(n - 1) == expected), "inclusive_scan to wider numbers");
    errors += check(uat::min_element(in) == least && uat::max_element(in) == most, "min_element, max_element");
    auto greater = [](std::uint8_t a, std::uint8_t b) { return a > b; };
    return errors +
           check(uat::max_element(uat::span<const std::uint8_t>(in), greater) == least, "max_element by an order");
}

/* An element with more bytes than a task's result may have. So min_element() must not return elements from tasks. */
struct wide {
    std::int64_t key;
    std::int64_t rest[160];
};

int check_wide(uat::span<wide> s)
{
    std::size_t n = s.size(), last = n - 1;
    uat::for_each(s, [](wide &w) { w.key = 1; });
    s.put(last, wide{0, {}});
    s.put(n / 2, wide{0, {}});
    s.put(n / 3, wide{2, {}});
    auto less = [](const wide &a, const wide &b) { return a.key < b.key; };
    return check(uat::min_element(s, less) == n / 2 && uat::max_element(s, less) == n / 3, "extremes of wide elements");
}

/* If a task reads another host's elements one by one, most reads are answered by the cache. */
int check_single(uat::span<std::int64_t> s)
{
    uat_stats_detail_t before, after;
    std::int64_t sum = 0, expected = 0;
    uat::tabulate(s, [](std::size_t i) { return std::int64_t(i); });
    uat_stats_detail(&before);
    for (std::size_t i = 0; i < s.size(); i++)
        sum += s.get(i), expected += std::int64_t(i);
    uat_stats_detail(&after);
    return check(sum == expected && after.ops_read - before.ops_read <= s.size() / 8 + 8, "single elements");
}

long fib(long n)
{
    if (n < 2)
        return n;
    auto [a, b] = uat::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}

int check_invoke(uat::span<std::int64_t> s)
{
    uat::parallel_invoke([s] { s.put(0, 1); }, [s] { s.put(1, 2); }, [s] { s.put(2, 3); });
    auto one = uat::parallel_invoke([] { return 'x'; });
    auto [c, d, i] = uat::parallel_invoke([] { return 'c'; }, [] { return 1.5; }, [] { return two{3, 4}; });
    int errors = check(s.get(0) == 1 && s.get(1) == 2 && s.get(2) == 3 && std::get<0>(one) == 'x', "parallel_invoke");
    return errors + check(c == 'c' && d == 1.5 && i.b == 4 && fib(15) == 610, "results of parallel_invoke");
}

/* If the grain covers all iterations, there is one call. */
int check_grain(std::int64_t n)
{
    auto calls = [](std::int64_t, std::int64_t, std::int64_t value) { return value + 1; };
    auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
    int errors = check(uat::parallel_reduce_ranges(0, n, std::int64_t{0}, plus, calls, n) == (n > 0), "grain");
    uat::parallel_for_ranges(
        0, n,
        [n](std::int64_t begin, std::int64_t end) {
            if (end - begin != n)
                throw "a grain that is not kept";
        },
        n);
    auto one = [](std::int64_t) { return std::int64_t{1}; };
    auto look = [](std::int64_t i, std::int64_t before, std::int64_t with) {
        if (before != i || with != i + 1)
            throw "a wrong prefix";
    };
    errors += check(uat::parallel_scan(0, n, std::int64_t{0}, one, plus, look, 10) == n, "scan with a grain");
    return errors + check(uat::parallel_reduce(0, n, std::int64_t{0}, plus, one, 7) == n, "reduction with a grain");
}

int check_generator()
{
    uat::generator<int> count([](auto &give) {
        for (int i = 0; i < 10; i++)
            give(i);
    });
    int sum = 0;
    for (int i : count)
        sum += i + (uat::spawn([] { return 1; }).join() - 1);
    return check(sum == 45, "a generator");
}

} // namespace

int main(int argc, char **argv)
{
    std::size_t n = argc > 1 ? std::size_t(std::atol(argv[1])) : 9000;
    uat::job job;
    uat::global_vector<affine> in(n, uat::distribution::cyclic), out(n);
    uat::global_vector<std::uint8_t> bytes(n);
    uat::global_vector<std::int64_t> numbers(n, uat::distribution::cyclic);
    uat::global_vector<wide> large(1000);
    uat::global_vector<std::uint64_t> spread(65536 / 8 * std::size_t(uat_size()), uat::distribution::cyclic);
    int errors = 0;
    for (std::size_t part : {n, n / 10, std::size_t{1}, std::size_t{0}})
        errors += uat::run([=, a = in.span(), b = out.span(), c = bytes.span(), d = numbers.span()] {
            return check_scans(a.first(part), b.last(part)) + check_numbers(c.last(part), d.first(part)) +
                   check_grain(std::int64_t(part));
        });
    errors += uat::run([s = spread.span(), d = numbers.span(), w = large.span()] {
        int wrong = check_single(d) + check_invoke(d) + check_generator() + check_wide(w);
        for (std::size_t home = 0; home < s.size(); home += 65536 / 8)
            wrong += check_words(s.subspan(home, 9));
        return wrong;
    });
    if (errors == 0 && uat_rank() == 0)
        std::printf("%zu elements, 0 errors\n", n);
    return errors > 0;
}
