/* SPDX-License-Identifier: MIT */
/*
 * The common part of the rivals. The rivals compute the same loops, reductions, scans and sorts: with uat, with oneTBB,
 * with GCC's OpenMP, and without a runtime. This file defines what the rivals compute, how their time is taken, and
 * what they print. Each program defines the functions of namespace rival. perf/measure rivals runs all programs in
 * turn.
 */
#ifndef RIVALS_HPP
#define RIVALS_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace rival
{

/* Numbers of iterations of the loops, and of elements of the arrays. */
struct sizes {
    std::int64_t empty = 20000000, pieces = 1000, series = 2000000, axpy = 2000000, scan = 2000000, sort = 500000;
};

inline double seconds(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/* A range of iterations that do nothing. Never inlined, and aligned, so that all programs run the same code. */
__attribute__((noinline, aligned(64))) inline void run_empty(std::int64_t begin, std::int64_t end)
{
    for (std::int64_t i = begin; i < end; i++)
        __asm__ volatile("");
}

/* An iteration of about a microsecond: a chain of `steps` dependent multiplications. The work of an iteration is fixed;
 * its time is not. */
__attribute__((noinline)) inline void run_piece(std::int64_t steps)
{
    std::uint64_t x = 1;
    for (std::int64_t i = 0; i < steps; i++) {
        x *= 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
    }
}

/* The kernels of STREAM (McCalpin) on a part of three arrays. All programs run this same code. */
enum { COPY, SCALE, ADD, TRIAD, STREAMS };

__attribute__((noinline, aligned(64))) inline void run_stream(int kernel, double *__restrict__ a,
                                                              const double *__restrict__ b,
                                                              const double *__restrict__ c, std::int64_t begin,
                                                              std::int64_t end)
{
    for (std::int64_t i = begin; kernel == COPY && i < end; i++)
        a[i] = b[i];
    for (std::int64_t i = begin; kernel == SCALE && i < end; i++)
        a[i] = 3 * b[i];
    for (std::int64_t i = begin; kernel == ADD && i < end; i++)
        a[i] = b[i] + c[i];
    for (std::int64_t i = begin; kernel == TRIAD && i < end; i++)
        a[i] = b[i] + 3 * c[i];
}

inline double term(std::int64_t i)
{
    return 1.0 / (double(i) * double(i) + 1.0);
}

inline std::uint64_t random_word(std::uint64_t i)
{
    std::uint64_t x = (i + 1) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The number of steps of run_piece() that take a microsecond on this host. All programs get this number, so they do the
 * same work. */
inline std::int64_t steps_of_microsecond()
{
    double best = 1e9;
    for (int i = 0; i < 200; i++) {
        double begin = seconds(CLOCK_MONOTONIC);
        run_piece(20000);
        double taken = seconds(CLOCK_MONOTONIC) - begin;
        best = taken < best ? taken : best;
    }
    return std::int64_t(20000 * 1e-6 / best);
}

/* The number of runs of a kernel, and the clock for the time of a run. With one worker the clock counts processor time,
 * because other programs on the machine may preempt the worker. */
struct timing {
    int rounds;
    clockid_t clock;
};

/* Run f() `how.rounds` times. Call prepare() before each run. Returns the shortest time of f(). */
template <class Prepare, class F> double least(const timing &how, Prepare prepare, F f)
{
    double best = 1e9;
    for (int i = 0; i < how.rounds; i++) {
        prepare();
        double begin = seconds(how.clock);
        f();
        double taken = seconds(how.clock) - begin;
        best = taken < best ? taken : best;
    }
    return best;
}

[[noreturn]] inline void wrong(const char *what)
{
    std::fprintf(stderr, "wrong answer: %s\n", what);
    std::exit(1);
}

/* The exercises. Each program implements them in its own way. x, y: arrays in memory that all workers can access. */
void loop_empty(std::int64_t n);
void loop_pieces(std::int64_t n, std::int64_t steps);
void loop_axpy(double *x, double *y, double a, std::int64_t n);
void loop_stream(int kernel, double *a, const double *b, const double *c, std::int64_t n);
double reduce_series(std::int64_t n);
void scan_sums(const std::int64_t *in, std::int64_t *out, std::int64_t n);
void sort_words(std::uint64_t *words, std::int64_t n);

struct arrays {
    double *x, *y, *z;
    std::int64_t *in, *out;
    std::uint64_t *words;
};

inline void check_sorted(const std::uint64_t *words, std::int64_t n)
{
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < n; i++) {
        sum += words[i] - random_word(std::uint64_t(i));
        if (i > 0 && words[i] < words[i - 1])
            wrong("sort");
    }
    if (sum != 0)
        wrong("sort, other elements");
}

/* Check y. y[i] started at 1 and grew by i / 2 in each round. These numbers are exact in a double. */
inline void check_axpy(const double *y, std::int64_t n, int rounds)
{
    for (std::int64_t i = 0; i < n; i++)
        if (y[i] != 1 + 0.5 * double(i) * rounds)
            wrong("axpy");
}

/* Check that z is 3 x + y, the triad's result. */
inline void check_triad(const arrays &a, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; i++)
        if (a.z[i] != a.y[i] + 3 * a.x[i])
            wrong("triad");
}

/* The command line: WORKERS ROUNDS STEPS [curve WORK...]. work: microseconds of each worker in a loop of the curve; 0
 * ends the list. All values are copies, because with uat the task that uses them may run on any worker. */
struct arguments {
    int workers, rounds;
    std::int64_t steps;
    int work[9];
};

/* Read the arguments. If arguments are missing, print a line and exit. */
inline arguments read_arguments(int argc, char **argv)
{
    arguments a = {};
    if (argc == 4 || (argc > 5 && argc < 14 && std::strcmp(argv[4], "curve") == 0))
        a = {std::atoi(argv[1]), std::atoi(argv[2]), std::atol(argv[3]), {}};
    for (int i = 5; i < argc && a.workers > 0; i++)
        a.work[i - 5] = std::atoi(argv[i]);
    if (a.workers < 1 || a.rounds < 1 || a.steps < 1) {
        std::fprintf(stderr, "usage: %s WORKERS ROUNDS STEPS [curve WORK...]\n", argv[0]);
        std::exit(2);
    }
    return a;
}

/* Print the time of a loop for each work, in microseconds, as one line of JSON. A worker's work is 16 equal pieces.
 * Each time is the shortest of `rounds` averages over 10 loops, one after another. */
inline void run_curve(const arguments &given)
{
    const int loops = 10, pieces = 16;
    char line[400]; /* printed at once, because with uat each loop may leave the task on another worker */
    int length = 0;
    for (int k = 0; given.work[k] > 0; k++) {
        std::int64_t steps = given.steps * given.work[k] / pieces;
        double taken = least(
            {given.rounds, CLOCK_MONOTONIC}, [] {},
            [&] {
                for (int i = 0; i < loops; i++)
                    loop_pieces(pieces * given.workers, steps);
            });
        length += std::snprintf(line + length, sizeof(line) - std::size_t(length), "%s\"%d\": %.3f", k ? ", " : "{",
                                given.work[k], 1e6 * taken / loops);
    }
    std::printf("%s}\n", line);
}

/* Run all exercises, or the curve, and print one line of JSON. */
inline void run_all(const arrays &a, const arguments &given)
{
    if (given.work[0] > 0)
        return run_curve(given);
    const int rounds = given.rounds;
    const std::int64_t steps = given.steps;
    const timing how = {rounds, given.workers > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID};
    const sizes n;
    auto nothing = [] {};
    double sum = 0;
    for (std::int64_t i = 0; i < n.axpy; i++) {
        a.x[i] = double(i);
        a.y[i] = 1;
        a.z[i] = 0;
    }
    for (std::int64_t i = 0; i < n.scan; i++) {
        a.in[i] = i % 7;
        a.out[i] = 0;
    }
    double pieces = least(how, nothing, [&] { loop_pieces(n.pieces, steps); });
    double empty = least(how, nothing, [&] { loop_empty(n.empty); });
    double axpy = least(how, nothing, [&] { loop_axpy(a.x, a.y, 0.5, n.axpy); });
    double series = least(how, nothing, [&] { sum = reduce_series(n.series); });
    double scan = least(how, nothing, [&] { scan_sums(a.in, a.out, n.scan); });
    double sort = least(
        how,
        [&] {
            for (std::int64_t i = 0; i < n.sort; i++)
                a.words[i] = random_word(std::uint64_t(i));
        },
        [&] { sort_words(a.words, n.sort); });
    double stream[STREAMS];
    for (int kernel = 0; kernel < STREAMS; kernel++)
        stream[kernel] = least(how, nothing, [&] { loop_stream(kernel, a.z, a.y, a.x, n.axpy); });
    check_triad(a, n.axpy);
    check_axpy(a.y, n.axpy, rounds);
    if (sum < 2.0766 || sum > 2.0767) /* (pi coth pi + 1) / 2 = 2.07667 */
        wrong("reduce");
    for (std::int64_t i = 0, s = 0; i < n.scan; i++)
        if (a.out[i] != (s += i % 7))
            wrong("scan");
    check_sorted(a.words, n.sort);
    std::printf("{\"for, empty\": %.9f, \"for, 1 us\": %.9f, \"for, axpy\": %.9f, \"reduce\": %.9f, \"scan\": %.9f, "
                "\"sort\": %.9f, \"copy\": %.9f, \"scale\": %.9f, \"add\": %.9f, \"triad\": %.9f}\n",
                empty, pieces, axpy, series, scan, sort, stream[COPY], stream[SCALE], stream[ADD], stream[TRIAD]);
}

/* run_all() on arrays in this process's memory. */
inline void run_all_here(const arguments &given)
{
    const sizes n;
    std::vector<double> x(std::size_t(n.axpy)), y(x), z(x);
    std::vector<std::int64_t> in(std::size_t(n.scan)), out(in);
    std::vector<std::uint64_t> words(std::size_t(n.sort));
    run_all({x.data(), y.data(), z.data(), in.data(), out.data(), words.data()}, given);
}

} // namespace rival

#endif
