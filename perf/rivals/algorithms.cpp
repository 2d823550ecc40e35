/* SPDX-License-Identifier: MIT */
/*
 * Compares searches, deterministic reductions, loops over tiles, stable sorts, merges and selections of uat with
 * oneTBB's, and with the parallel algorithms of the C++ library, which also run on oneTBB. Prints JSON: milliseconds,
 * the least of the rounds.
 * usage: uatrun -n WORKERS rival-algorithms ROUNDS, or rival-algorithms ROUNDS THREADS for the other libraries
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tbb/blocked_range2d.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <uat.hpp>

namespace
{

using word = std::uint64_t;
enum : std::int64_t { TERMS = 2000000, BLOCK = 2000, SIDE = 1024, TILE = 64, WORDS = 500000 };

std::vector<std::pair<std::string, double>> rows;

/* With one worker or thread the clock counts processor time, because other programs may preempt it. */
int workers = 1;

double now()
{
    timespec t;
    clock_gettime(workers > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
}

/* The time of f after prepare(), both of a library. */
template <class Prepare, class F> double milliseconds(Prepare prepare, F f)
{
    prepare();
    const double begin = now();
    f();
    return now() - begin;
}

/* The least time of all rounds counts. */
void note(const char *name, double ms)
{
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto &row) { return row.first == name; });
    if (found == rows.end())
        rows.emplace_back(name, ms);
    else
        found->second = std::min(found->second, ms);
}

double term(std::int64_t i)
{
    return 1.0 / (double(i) * double(i) + 1.0);
}

word random_word(std::uint64_t i)
{
    word x = (i + 1) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Elements with equal keys, so that a stable sort has something to keep. */
bool less_key(word a, word b)
{
    return a % 65536 < b % 65536;
}

/* Of the terms, which fall, is it the least? */
bool is_last(std::int64_t i)
{
    return term(i) <= term(TERMS - 1);
}

bool is_even(word x)
{
    return x % 2 == 0;
}

void blur(const float *from, float *to, std::int64_t i, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t j = begin; j < end; j++)
        to[i * SIDE + j] =
            from[(i - 1) * SIDE + j] + from[i * SIDE + j - 1] + from[i * SIDE + j + 1] + from[(i + 1) * SIDE + j];
}

[[noreturn]] void wrong(const char *what)
{
    std::fprintf(stderr, "rival-algorithms: wrong answer: %s\n", what);
    std::exit(1);
}

const char *const names[] = {
    "deterministic sum of 2 million terms", "search of 2 million iterations", "blur of 1024 x 1024 by tiles of 64 x 64",
    "stable_sort of 500,000 words",         "merge of 2 x 250,000 words",     "partition of 500,000 words",
    "nth_element of 500,000 words"};
enum { SUM, SEARCH, BLUR, STABLE, MERGE, PARTITION, NTH, ALL };

struct fields {
    uat::span<word> words, more;
    uat::span<float> from, to;
};

double of_uat(int which, fields f)
{
    const auto fill = [=] { uat::tabulate(f.words, [](std::size_t i) { return random_word(i); }); };
    const auto fill_sorted = [=] { uat::tabulate(f.words, [](std::size_t i) { return word(i % (WORDS / 2) * 2); }); };
    const auto nothing = [] {};
    switch (which) {
    case SUM:
        return milliseconds(nothing, [] {
            if (uat::parallel_deterministic_reduce(
                    0, TERMS, 0.0, std::plus<>(), [](std::int64_t i) { return term(i); }, BLOCK) < 2.0766)
                wrong("sum");
        });
    case SEARCH:
        return milliseconds(nothing, [] {
            if (uat::parallel_find_if(0, TERMS, is_last) != TERMS - 1)
                wrong("search");
        });
    case BLUR:
        return milliseconds(nothing, [=] {
            uat::parallel_for_tiles(uat::box<2>{{1, 1}, {SIDE - 1, SIDE - 1}}, {TILE, TILE}, [=](uat::box<2> t) {
                for (std::int64_t i = t.begin[0]; i < t.end[0]; i++)
                    blur(f.from.data(), f.to.data(), i, t.begin[1], t.end[1]);
            });
        });
    case STABLE:
        return milliseconds(fill, [=] { uat::stable_sort(f.words, f.more, less_key); });
    case MERGE:
        return milliseconds(fill_sorted,
                            [=] { uat::merge(f.words.first(WORDS / 2), f.words.last(WORDS / 2), f.more); });
    case PARTITION:
        return milliseconds(fill, [=] { uat::partition(f.words, is_even); });
    default:
        return milliseconds(fill, [=] { uat::nth_element(f.words, WORDS / 3); });
    }
}

struct vectors {
    std::vector<word> words = std::vector<word>(WORDS), more = words;
    std::vector<float> from = std::vector<float>(SIDE * SIDE), to = from;
    std::vector<std::int64_t> index = std::vector<std::int64_t>(TERMS);
};

void sum_by_tbb()
{
    using range = tbb::blocked_range<std::int64_t>;
    const auto add = [](const range &r, double sum) {
        for (std::int64_t i = r.begin(); i < r.end(); i++)
            sum += term(i);
        return sum;
    };
    if (tbb::parallel_deterministic_reduce(range(0, TERMS, BLOCK), 0.0, add, std::plus<>()) < 2.0766)
        wrong("sum");
}

void blur_by_tbb(vectors &v)
{
    using range = tbb::blocked_range2d<std::int64_t>;
    tbb::parallel_for(range(1, SIDE - 1, TILE, 1, SIDE - 1, TILE), [&](const range &t) {
        for (std::int64_t i = t.rows().begin(); i < t.rows().end(); i++)
            blur(v.from.data(), v.to.data(), i, t.cols().begin(), t.cols().end());
    });
}

double of_others(int which, vectors &v)
{
    constexpr auto par = std::execution::par;
    const auto begin = v.words.begin(), end = v.words.end();
    const auto fill = [&] {
        for (std::size_t i = 0; i < v.words.size(); i++)
            v.words[i] = random_word(i);
    };
    const auto fill_sorted = [&] {
        for (std::size_t i = 0; i < v.words.size(); i++)
            v.words[i] = word(i % (WORDS / 2) * 2);
    };
    const auto count = [&] { std::iota(v.index.begin(), v.index.end(), std::int64_t(0)); };
    switch (which) {
    case SUM:
        return milliseconds([] {}, sum_by_tbb);
    case SEARCH:
        return milliseconds(count, [&] {
            if (std::find_if(par, v.index.begin(), v.index.end(), is_last) != v.index.end() - 1)
                wrong("search");
        });
    case BLUR:
        return milliseconds([] {}, [&] { blur_by_tbb(v); });
    case STABLE:
        return milliseconds(fill, [=] { std::stable_sort(par, begin, end, less_key); });
    case MERGE:
        return milliseconds(fill_sorted,
                            [&] { std::merge(par, begin, begin + WORDS / 2, begin + WORDS / 2, end, v.more.begin()); });
    case PARTITION:
        return milliseconds(fill, [=] { std::partition(par, begin, end, is_even); });
    default:
        return milliseconds(fill, [=] { std::nth_element(par, begin, begin + WORDS / 3, end); });
    }
}

void print_rows()
{
    for (const auto &[name, ms] : rows)
        std::printf("%s\"%s\": %.4f%s", &name == &rows[0].first ? "{" : ", ", name.c_str(), ms,
                    &name == &rows.back().first ? "}\n" : "");
}

} // namespace

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    if (argc > 2) {
        workers = std::atoi(argv[2]);
        tbb::global_control most(tbb::global_control::max_allowed_parallelism, std::size_t(workers));
        vectors v;
        for (int i = 0; i < rounds * ALL; i++)
            note(names[i % ALL], of_others(i % ALL, v));
        print_rows();
        return 0;
    }
    uat::job job;
    workers = uat_size();
    uat::global_vector<word> words(WORDS), more(WORDS);
    uat::global_vector<float> from(SIDE * SIDE), to(SIDE * SIDE);
    const fields f{words.span(), more.span(), from.span(), to.span()};
    for (int i = 0; i < rounds * ALL; i++)
        note(names[i % ALL], uat::run(of_uat, i % ALL, f));
    if (uat_rank() == 0)
        print_rows();
    return job.finish() != 0;
}
