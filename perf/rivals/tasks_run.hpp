/* SPDX-License-Identifier: MIT */
/* The common main part of the rivals in tasks.hpp: command line, input, check of the answer, times, report. */
#ifndef TASKS_RUN_HPP
#define TASKS_RUN_HPP

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "perf/rivals/rivals.hpp"
#include "perf/rivals/tasks.hpp"

namespace tasks
{

inline const char *const names[PROGRAMS] = {"fib", "skynet", "nqueens", "integrate", "tree", "T3",
                                            "T3L", "matmul", "primes",  "fold",      "scan"};
/* The greatest sizes: with these, answers have at most 53 bits, and arrays fit into 4 GiB. */
inline const std::int64_t most[PROGRAMS] = {70,   1000000000, QUEENS_MAX, 10000,     26,       2000,
                                            2000, 8192,       100000000,  100000000, 100000000};

/* The command line: PROGRAM SIZE WORKERS ROUNDS. */
struct arguments {
    program which = PROGRAMS;
    std::int64_t size = 0;
    int workers = 0, rounds = 0;
};

[[noreturn]] inline void refuse(const char *why)
{
    std::fprintf(stderr, "rival-tasks: %s\nusage: rival-tasks-SYSTEM PROGRAM SIZE WORKERS ROUNDS\n", why);
    std::exit(2);
}

/* Are there only factors `factor` in n, below a factor of at most `leaf`? */
inline bool divides_down(std::int64_t n, std::int64_t factor, std::int64_t leaf)
{
    while (n > leaf && n % factor == 0)
        n /= factor;
    return n <= leaf;
}

inline arguments read_arguments(int argc, char **argv)
{
    arguments a;
    if (argc != 5)
        refuse("four arguments are needed");
    for (int i = 0; i < PROGRAMS; i++)
        if (std::strcmp(argv[1], names[i]) == 0)
            a.which = program(i);
    if (a.which == PROGRAMS)
        refuse("unknown program");
    a.size = std::atoll(argv[2]);
    a.workers = std::atoi(argv[3]);
    a.rounds = std::atoi(argv[4]);
    if (a.size < 1 || a.size > most[a.which] || a.workers < 1 || a.rounds < 1)
        refuse("a number is out of range");
    if (a.which == SKYNET && !divides_down(a.size, SKYNET_CHILDREN, 1))
        refuse("skynet needs a power of 10");
    if (a.which == MATMUL && !divides_down(a.size, 2, MATRIX_LEAF))
        refuse("matmul needs a power of 2 times at most 32");
    return a;
}

/* The number of bytes of the input's arrays. */
inline std::size_t bytes_of(const arguments &a)
{
    std::size_t n = std::size_t(a.size);
    switch (a.which) {
    case TREE:
        return sizeof(node) << n;
    case MATMUL:
        return 3 * n * n * sizeof(std::uint32_t);
    case FOLD:
    case SCAN:
        return 2 * n * sizeof(std::uint64_t);
    default:
        return 1;
    }
}

/* Make the tree of `depth` levels in preorder from *next on. Returns its root. */
inline const node *plant(node *&next, std::int64_t depth)
{
    node *root = next++;
    root->value = std::int64_t(rival::random_word(std::uint64_t(depth)) % 1000);
    root->left = depth > 1 ? plant(next, depth - 1) : nullptr;
    root->right = depth > 1 ? plant(next, depth - 1) : nullptr;
    return root;
}

/* The input without the content of its arrays, which are in `memory`. All workers make the same one. */
inline input place_input(const arguments &a, void *memory)
{
    input in = {};
    in.size = a.size;
    in.uts = uat_uts_default;
    in.uts.type = UAT_UTS_BIN;
    in.uts.b = double(a.size);
    in.uts.seed = a.which == T3 ? 42 : 7;
    in.uts.q = a.which == T3 ? 0.124875 : 0.200014;
    in.uts.m = a.which == T3 ? 8 : 5;
    in.nodes = static_cast<node *>(memory);
    in.a = static_cast<std::uint32_t *>(memory);
    in.b = in.a + (a.which == MATMUL ? a.size * a.size : 0);
    in.c = in.b + (in.b - in.a);
    in.in = static_cast<std::uint64_t *>(memory);
    in.out = in.in + (a.which == FOLD || a.which == SCAN ? a.size : 0);
    return in;
}

/* Write the arrays' content. Called once for each run, because a run of matmul adds to c. */
inline void fill(const arguments &a, const input &in)
{
    node *next = in.nodes;
    if (a.which == TREE)
        plant(next, a.size);
    for (std::int64_t i = 0; a.which == MATMUL && i < a.size * a.size; i++) {
        in.a[i] = std::uint32_t(rival::random_word(std::uint64_t(i)));
        in.b[i] = std::uint32_t(rival::random_word(std::uint64_t(~i)));
        in.c[i] = 0;
    }
    for (std::int64_t i = 0; (a.which == FOLD || a.which == SCAN) && i < a.size; i++) {
        in.in[i] = std::uint64_t(i) + 1;
        in.out[i] = 0;
    }
}

/* Is c = a b? Compares c r and a (b r) for a vector r (Freivalds). The arithmetic modulo 2^32 is exact. */
inline bool is_product(const input &in)
{
    std::size_t n = std::size_t(in.size);
    std::vector<std::uint32_t> r(n), br(n), abr(n), cr(n);
    for (std::size_t i = 0; i < n; i++)
        r[i] = std::uint32_t(rival::random_word(i + 12345)) | 1;
    for (std::size_t i = 0; i < n * n; i++) {
        br[i / n] += in.b[i] * r[i % n];
        cr[i / n] += in.c[i] * r[i % n];
    }
    for (std::size_t i = 0; i < n * n; i++)
        abr[i / n] += in.a[i] * br[i % n];
    return abr == cr;
}

inline bool is_scan(const input &in)
{
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < in.size; i++)
        if (in.out[i] != (sum += std::uint64_t(i) + 1))
            return false;
    return true;
}

inline answer primes_below(std::int64_t n)
{
    std::vector<bool> composite(std::size_t(n), false);
    answer count = 0;
    for (std::int64_t i = 2; i < n; i++) {
        if (composite[std::size_t(i)])
            continue;
        count++;
        for (std::int64_t j = i * i; j < n; j += i)
            composite[std::size_t(j)] = true;
    }
    return count;
}

/* The answer by another way than the program's: a formula, a published number, or another algorithm. */
inline answer expected(const arguments &a, const input &in)
{
    static const answer solutions[QUEENS_MAX + 1] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                                                     352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
    answer n = answer(a.size), before = 0, fib = 1;
    uat_uts_count count;
    switch (a.which) {
    case FIB:
        for (std::int64_t i = 1; i < a.size; i++) {
            answer sum = before + fib;
            before = fib;
            fib = sum;
        }
        return fib;
    case SKYNET:
        return n * (n - 1) / 2;
    case QUEENS:
        return solutions[a.size];
    case INTEGRATE:
        return n * n * (n * n + 2) / 4;
    case TREE: { /* level k from below has 2^(size - k) nodes */
        answer sum = 0;
        for (std::int64_t k = 1; k <= a.size; k++)
            sum += std::ldexp(answer(rival::random_word(std::uint64_t(k)) % 1000), int(a.size - k));
        return sum;
    }
    case T3:
    case T3L:
        if (!uat_uts_known(&in.uts, &count))
            uat_uts_search(&in.uts, &count);
        return answer(count.nodes);
    case PRIMES:
        return primes_below(a.size);
    case FOLD:
        return n * (n + 1) / 2;
    default:
        return 0;
    }
}

inline bool is_right(const arguments &a, const input &in, answer found)
{
    answer wanted = expected(a, in);
    if (a.which == MATMUL && !is_product(in))
        return false;
    if (a.which == SCAN && !is_scan(in))
        return false;
    return a.which == INTEGRATE ? std::fabs(found - wanted) <= 1e-6 * wanted : found == wanted;
}

/* With one worker the clock counts processor time, because other programs on the machine may preempt the worker. */
inline double seconds_now(int workers)
{
    return rival::seconds(workers > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID);
}

/* The greatest resident set of this process so far: KiB. */
inline long peak_kib()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Print the shortest time as a line of JSON. peak: KiB of all processes. forks: those of a run; 0: not counted. */
inline void print_report(const arguments &a, const std::vector<double> &seconds, long peak, long forks = 0)
{
    double least = *std::min_element(seconds.begin(), seconds.end());
    std::printf("{\"program\": \"%s\", \"size\": %ld, \"workers\": %d, \"seconds\": %.9f, \"peak_kib\": %ld, "
                "\"forks\": %ld}\n",
                names[a.which], long(a.size), a.workers, least, peak, forks);
}

inline long count_nothing(const input &)
{
    return 0;
}

/* The main function of a system that runs in one process: run() calls compute<S>() in S's parallel region. count()
 * returns the number of forks of a run. */
template <class Run> int run_here(const arguments &a, Run run, long (*count)(const input &) = count_nothing)
{
    std::vector<char> memory(bytes_of(a));
    input in = place_input(a, memory.data());
    std::vector<double> seconds;
    for (int i = 0; i < a.rounds; i++) {
        fill(a, in);
        double begin = seconds_now(a.workers);
        answer found = run(a.which, &in);
        seconds.push_back(seconds_now(a.workers) - begin);
        if (!is_right(a, in, found)) {
            std::fprintf(stderr, "rival-tasks: %s: wrong answer %.17g\n", names[a.which], found);
            return 1;
        }
    }
    long peak = peak_kib(); /* before count() runs the program again */
    print_report(a, seconds, peak, count(in));
    return 0;
}

} // namespace tasks

#endif
