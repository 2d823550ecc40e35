/* SPDX-License-Identifier: MIT */
/*
 * PFor and RecPFor of Shiina and Taura (Cluster'22), written anew from the description. PFor runs --loops parallel
 * loops of N iterations one after the other. RecPFor does this, and then runs two RecPFors of N / 2 in parallel, down
 * to N = 1. A loop halves its range down to single iterations. An iteration computes for --leaf nanoseconds and spawns
 * nothing.
 *
 * work: the iterations' time by the definition. span: the time with any number of workers, if forks and joins take
 * none. busy: work / (workers * seconds). The ideal time is the longer of work / workers and span.
 */
#include "perf/bench.h"
#include "perf/tsc.h"

enum { UNIT = 100, TRIALS = 200 };

static int64_t kernel, n = 1024, leaf_ns = 10000, loops = 5;
static int64_t leaf_units; /* compute(UNIT * leaf_units) takes leaf_ns; 0 in virtual time */
static double figures[UAT_BENCH_FIGURES];

/* A chain of dependent multiplications: a fixed amount of work, also if another program preempts this one. */
static __attribute__((noinline)) void compute(int64_t steps)
{
    uint64_t x = 1;

    for (int64_t i = 0; i < steps; i++) {
        x *= 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
    }
}

/* Find leaf_units. The shortest of several times counts. */
static int prepare(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < TRIALS; i++) {
        uint64_t begin = uat_time_ns();
        compute(UNIT * UNIT);
        uint64_t taken = uat_time_ns() - begin;
        least = taken < least ? taken : least;
    }
    leaf_units = uat_time_is_virtual() ? 0 : leaf_ns * UNIT / (int64_t)(least + !least);
    return 0;
}

/* Run iterations first to end - 1. Returns their number. */
UAT_TASK(uint64_t, iterate, int64_t, first, int64_t, end)
{
    iterate_task left;

    if (end - first == 1) {
        compute(leaf_units * UNIT);
        uat_sim_work((uint64_t)leaf_ns);
        return 1;
    }
    int64_t middle = first + (end - first) / 2;
    iterate_spawn(&left, first, middle);
    uint64_t right = iterate(middle, end);
    return iterate_join(&left) + right;
}

static uint64_t run_loops(int64_t iterations)
{
    uint64_t done = 0;

    for (int64_t i = 0; i < loops; i++)
        done += iterate(0, iterations);
    return done;
}

/* PFor, or with --kernel 1 RecPFor. Returns the number of iterations. */
UAT_TASK(uint64_t, work, int64_t, iterations)
{
    work_task left;

    if (kernel == 0)
        return run_loops(iterations);
    if (iterations == 1)
        return iterate(0, 1);
    uint64_t done = run_loops(iterations);
    work_spawn(&left, iterations / 2);
    done += work(iterations / 2);
    return work_join(&left) + done;
}

/* The number of iterations of a run, and those of its longest path. */
static uint64_t count(uint64_t *path)
{
    uint64_t all = 0;

    *path = 0;
    if (kernel == 0) {
        *path = (uint64_t)loops;
        return (uint64_t)(loops * n);
    }
    int64_t halves = 1, size = n;
    for (; size > 1; size /= 2, halves *= 2) {
        all += (uint64_t)(halves * loops * size);
        *path += (uint64_t)loops;
    }
    *path += 1;
    return all + (uint64_t)halves;
}

static bool known(uint64_t *answer)
{
    uint64_t path;

    *answer = count(&path);
    return true;
}

static int run(uint64_t *answer)
{
    uint64_t path;
    int rc = work_run(answer, n);
    double seconds = uat_bench_seconds(), leaf = 1e-9 * (double)leaf_ns;
    double all = (double)count(&path) * leaf, workers = uat_size(), span = (double)path * leaf;

    figures[0] = all;
    figures[1] = span;
    figures[2] = all / (workers * seconds);
    figures[3] = (all / workers > span ? all / workers : span) / seconds;
    return rc;
}

static const struct uat_bench_option options[] = {
    {"--kernel", "N", "0 PFor, 1 RecPFor", &kernel, NULL, 0, 1},
    {"-n", "N", "iterations of a loop; RecPFor: of the first loop", &n, NULL, 1, 1e9},
    {"--leaf", "NS", "time of an iteration", &leaf_ns, NULL, 1, 1e9},
    {"--loops", "N", "loops one after the other", &loops, NULL, 1, 1000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-pfor",
    .purpose = "Parallel loops one after the other (PFor), and recursively (RecPFor).",
    .options = options,
    .results = {"iterations"},
    .known = known,
    .prepare = prepare,
    .run = run,
    .figures = figures,
    .names = {{"work", "s"}, {"span", "s"}, {"busy", ""}, {"efficiency", ""}},
};
