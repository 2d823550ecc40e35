/* SPDX-License-Identifier: MIT */
/*
 * Description: in uat.hpp, a reducer starts with the neutral value of its operation. Reductions and scans combine their
 * initial value once, as the first, also if the operation has no neutral value and does not commute.
 * usage: test-neutral [SIZE]
 */
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include <uat.hpp>

namespace
{

int check(bool right, const char *what)
{
    if (!right)
        std::fprintf(stderr, "test-neutral: wrong: %s\n", what);
    return !right;
}

/* A text of which only the length and two positions are stored. There is no empty text, and texts can be appended only
 * in their order. So their concatenation has no neutral value. */
class text
{
  public:
    text(std::int64_t from, std::int64_t to) : from_(from), to_(to)
    {
    }
    text append(const text &next) const
    {
        text whole(from_, next.to_);
        whole.torn_ = torn_ || next.torn_ || to_ != next.from_;
        return whole;
    }
    bool is(std::int64_t from, std::int64_t to) const
    {
        return !torn_ && from_ == from && to_ == to;
    }

  private:
    std::int64_t from_, to_;
    bool torn_ = false;
};

text letter(std::int64_t i)
{
    return text(i, i + 1);
}
text append(const text &a, const text &b)
{
    return a.append(b);
}

struct matrix {
    std::uint64_t a, b, c, d;
};
bool operator==(const matrix &x, const matrix &y)
{
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
}
matrix multiply(const matrix &x, const matrix &y)
{
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}
matrix matrix_of(std::int64_t i)
{
    auto u = std::uint64_t(i);
    return {u + 1, u * u, 3 * u + 2, u ^ 5};
}

struct least {
    static long identity()
    {
        return LONG_MAX;
    }
    long operator()(long a, long b) const
    {
        return a < b ? a : b;
    }
};

uat::reducer<long, least> lowest;
uat::reducer<bool, std::logical_and<>> all;

int check_reducers()
{
    uat::reducer<unsigned, std::bit_and<>> common;
    uat::reducer<unsigned char, std::bit_and<unsigned char>> narrow;
    uat::reducer<unsigned, std::bit_or<>> any_bit;
    uat::reducer<unsigned, std::bit_xor<unsigned>> odd;
    uat::reducer<bool, std::bit_and<>> both;
    uat::reducer<int, std::logical_or<>> some;
    uat::reducer<short, std::multiplies<int>> product;
    uat::reducer<std::uint64_t, std::multiplies<>> powers;
    uat::parallel_for(0, 20000, [=](std::int64_t i) {
        *lowest = least()(*lowest, 7 + long((i * 7919) % 20000));
        *all = *all && i >= 0;
        *common &= unsigned(i) | 0x10;
        *narrow = static_cast<unsigned char>(*narrow & 0xa0);
        *any_bit |= unsigned(i);
        *odd ^= 1u << (i % 5);
        *both = *both && true;
        *some = *some || i == 12345;
        *product = short(*product * (i < 12 ? 2 : 1));
        *powers *= 3;
    });
    std::uint64_t cubes = 1;
    for (int i = 0; i < 20000; i++)
        cubes *= 3;
    int errors = check(lowest.take() == 7, "minimum") + check(all.take(), "logical_and");
    errors += check(common.take() == 0x10, "bit_and") + check(narrow.take() == 0xa0, "bit_and of bytes");
    errors += check(any_bit.take() == 0x7fff, "bit_or") + check(odd.take() == 0, "bit_xor");
    errors += check(both.take(), "bit_and of bool") + check(some.take() == 1, "logical_or");
    errors += check(product.take() == 4096, "multiplies<int> of short") + check(powers.take() == cubes, "multiplies");
    errors += check(common.take() == ~0u && all.take() && product.take() == 1 && any_bit.take() == 0, "empty reducers");
    return errors;
}

int check_reductions(std::int64_t n, uat::span<std::int64_t> s, uat::span<int> large)
{
    text start(-3, 0);
    int errors = check(uat::parallel_reduce(0, n, start, append, letter).is(-3, n), "parallel_reduce of texts");
    errors += check(uat::transform_reduce(s, start, append, letter).is(-3, n), "transform_reduce of texts");
    errors += check(
        uat::transform_reduce(s, s, start, append, [](std::int64_t i, std::int64_t) { return letter(i); }).is(-3, n),
        "transform_reduce of two spans");
    matrix first = {2, 3, 5, 7}, want = first;
    for (std::int64_t i = 0; i < n; i++)
        want = multiply(want, matrix_of(i));
    errors += check(uat::parallel_reduce(0, n, first, multiply, matrix_of) == want, "parallel_reduce of matrices");
    errors += check(uat::transform_reduce(s, first, multiply, matrix_of) == want, "transform_reduce of matrices");
    errors += check(uat::parallel_reduce(0, n, 10L, std::plus<>(), [](std::int64_t) { return 1; }) == 10 + n, "sum");
    errors += check(uat::transform_reduce(large, 10L, std::plus<>(), [](int x) { return x; }) == 10 + n * INT_MAX,
                    "an initial value of a wider type");
    std::int64_t place = std::int64_t(uat::max_element(large));
    return errors + check(place == 0, "the first of equal elements");
}

int check_ranges(std::int64_t n)
{
    auto add = [](std::int64_t begin, std::int64_t end, long sum) { return sum + end - begin; };
    int errors = check(uat::parallel_reduce_ranges(0, n, 0L, std::plus<>(), add) == n, "parallel_reduce_ranges");
    try {
        uat::parallel_reduce_ranges(0, n, 10L, std::plus<>(), add);
        return errors + check(false, "an identity that is not neutral");
    } catch (const std::invalid_argument &) {
        return errors;
    }
}

int check_scans(std::int64_t n, uat::span<std::int64_t> s)
{
    text start(-3, 0);
    auto look = [](std::int64_t i, const text &before, const text &with) {
        if (!before.is(-3, i) || !with.is(-3, i + 1))
            throw std::logic_error("a wrong prefix");
    };
    int errors = check(uat::parallel_scan(0, n, start, letter, append, look).is(-3, n), "parallel_scan");
    uat::temporary_vector<text> in(std::size_t(n > 0 ? n : 1)), out(in.size());
    auto texts = in.span().first(std::size_t(n)), prefixes = out.span().first(std::size_t(n));
    uat::tabulate(texts, [](std::size_t i) { return letter(std::int64_t(i)); });
    auto wrong = [&](std::int64_t more) {
        return uat::parallel_reduce(0, n, 0, std::plus<>(), [prefixes, more](std::int64_t i) {
            return int(!prefixes.get(std::size_t(i)).is(-3, i + more));
        });
    };
    errors += check(uat::exclusive_scan(texts, prefixes, start, append).is(-3, n) && wrong(0) == 0, "exclusive_scan");
    errors += check(uat::inclusive_scan(texts, prefixes, start, append).is(-3, n) && wrong(1) == 0, "inclusive_scan");
    uat::temporary_vector<std::uint64_t> numbers(in.size());
    auto r = numbers.span().first(std::size_t(n));
    auto last = [&] { return n > 0 ? r.get(r.size() - 1) : 0; };
    errors += check(uat::inclusive_scan(s, r) == std::uint64_t(n * (n - 1) / 2), "a scan from 0");
    errors += check(uat::exclusive_scan(s, r, 10) == std::uint64_t(10 + n * (n - 1) / 2), "a scan from 10");
    uat::fill(s, 3);
    std::uint64_t power = 1;
    for (std::int64_t i = 0; i < n; i++)
        power *= 3;
    errors +=
        check(uat::inclusive_scan(s, r, std::multiplies<>()) == power && (n == 0 || last() == power), "a product");
    uat::fill(s, -4);
    errors += check(uat::exclusive_scan(s, r, std::bit_and<>()) == (n > 0 ? ~std::uint64_t{3} : ~std::uint64_t{0}) &&
                        (n == 0 || r.get(0) == ~std::uint64_t{0}),
                    "an exclusive scan by bit_and");
    return errors;
}

} // namespace

int main(int argc, char **argv)
{
    std::int64_t most = argc > 1 ? std::atol(argv[1]) : 30000;
    uat::job job;
    if (uat_global_temporary_open(std::size_t(1) << 24, 4096))
        return 1;
    uat::global_vector<std::int64_t> words(std::size_t(most), uat::distribution::cyclic);
    uat::global_vector<int> large(words.size());
    int errors = uat::run(check_reducers);
    for (std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{100}, most})
        errors += uat::run([n, s = words.span().first(std::size_t(n)), l = large.span().first(std::size_t(n))] {
            uat::tabulate(s, [](std::size_t i) { return std::int64_t(i); });
            uat::fill(l, INT_MAX);
            return check_reductions(n, s, l) + check_ranges(n) + check_scans(n, s);
        });
    return errors > 0;
}
