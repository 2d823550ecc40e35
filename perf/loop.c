/* SPDX-License-Identifier: MIT */
/* Parallel reductions over iterations that are empty or take a fixed time, one after another. The benchmark shows what
 * a loop costs, and the gain of teams and of splitting on demand. */
#include "base/virtual.h"
#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/samples.h"
#include "uat/pattern.h"
#include "uat/reducer.h"

static int64_t n = 1000000000, work; /* number of iterations; nanoseconds of work per iteration, 0 for none */
static int64_t loops = 1;            /* loops that run one after another */
static int64_t reducer;              /* if not 0, iterations count in a reducer instead of a passed value */

static int64_t skew;   /* if not 0, iteration i of n works 2 * i / n of `work` */
static int64_t nested; /* if not 0, each iteration of a plain loop is a loop of this number of iterations */

static int64_t plain; /* if not 0, the loop has no value: each worker counts for itself */
static uint64_t counted_here;

static uint64_t cycles_of_work; /* `work` in cycles of this host's counter; every worker measures this number */

static void pass(uint64_t cycles)
{
    uint64_t begin = uat_counter();
    uat_sim_work(cycles);
    while (uat_counter() - begin < cycles)
        ;
}

/* Never inlined, so that the plain loop and the chunks of the parallel loop run the same code. */
static __attribute__((noinline)) uint64_t count(int64_t begin, int64_t end)
{
    uint64_t counted = 0;
    if (cycles_of_work > 0) {
        for (int64_t i = begin; i < end; i++, counted++)
            pass(skew ? cycles_of_work * 2 * (uint64_t)i / (uint64_t)n : cycles_of_work);
    } else {
        for (int64_t i = begin; i < end; i++, counted++)
            uat_bench_opaque();
    }
    return counted;
}

static void body(int64_t begin, int64_t end, void *partial, const void *arg)
{
    *(uint64_t *)partial += count(begin, end);
}

UAT_REDUCER(uint64_t, counter, 0, UAT_PLUS)

static void count_in_reducer(int64_t begin, int64_t end, const void *arg)
{
    for (int64_t i = begin; i < end; i++) {
        if (cycles_of_work > 0)
            pass(cycles_of_work);
        else
            uat_bench_opaque();
        ++*counter_view();
    }
}

static void count_here(int64_t begin, int64_t end, const void *arg)
{
    counted_here += count(begin, end);
}

static void count_nested(int64_t begin, int64_t end, const void *arg)
{
    for (int64_t i = begin; i < end; i++)
        uat_for(i * nested, (i + 1) * nested < n ? (i + 1) * nested : n, 0, count_here, NULL, 0);
}

static void combine(void *left, const void *right, const void *arg)
{
    *(uint64_t *)left += *(const uint64_t *)right;
}

struct ran {
    uint64_t count, ns; /* ns: the time of all loops but the first, which may find the workers asleep */
};

UAT_TASK(struct ran, all, int64_t, iterations)
{
    static const uint64_t zero;
    const uat_reduction_t reduction = {body, combine, &zero, sizeof(zero)};
    uint64_t all = 0, result = 0, begin = 0;
    for (int64_t k = 0; k < loops; k++) {
        if (k == 1)
            begin = uat_time_ns();
        if (nested) {
            uat_for(0, (iterations + nested - 1) / nested, 0, count_nested, NULL, 0);
        } else if (plain) {
            uat_for(0, iterations, 0, count_here, NULL, 0);
        } else if (reducer) {
            uat_for(0, iterations, 0, count_in_reducer, NULL, 0);
            result = counter_take();
        } else {
            uat_reduce(0, iterations, 0, &reduction, NULL, 0, &result);
        }
        all += result;
    }
    return (struct ran){all, loops > 1 ? uat_time_ns() - begin : 0};
}

static double figures[UAT_BENCH_FIGURES];

/* Convert the work to cycles of this host's counter. Called after uat_init(), because only then it is known whether the
 * time is virtual. */
static int calibrate(void)
{
    if (work > 0)
        cycles_of_work = (uint64_t)((double)work * uat_samples_tsc_hz() * 1e-9 + 0.5);
    return 0;
}

static int run(uint64_t *answer)
{
    struct uat_gathered counted;

    counted_here = 0;
    struct ran ran = {0, 0};
    int status = all_run(&ran, n);
    *answer = ran.count;
    figures[0] = loops > 1 ? 1e-3 * (double)ran.ns / (double)(loops - 1) : 1e6 * uat_bench_seconds();
    if (status || !(plain || nested))
        return status;
    uat_bench_pause();
    status = uat_gather(counted_here, &counted);
    if (!status)
        *answer = counted.sum;
    return status;
}

static int sequential(uint64_t *answer)
{
    for (int64_t k = 0; k < loops; k++)
        *answer += count(0, n);
    return 0;
}

static bool known(uint64_t *answer)
{
    *answer = (uint64_t)(n * loops);
    return true;
}

static const struct uat_bench_option options[] = {
    {"-n", "ITERATIONS", "iterations of the loop", &n, NULL, 0, 1e12},
    {"-w", "NS", "nanoseconds that each of them works, 0: an empty one", &work, NULL, 0, 1e9},
    {"-l", "LOOPS", "loops, one after another", &loops, NULL, 1, 1e6},
    {"--reducer", "0|1", "1: count in a reducer, by a call in each iteration", &reducer, NULL, 0, 1},
    {"--plain", "0|1", "1: a loop without a value, in which each worker counts for itself", &plain, NULL, 0, 1},
    {"--skew", "0|1", "1: iteration i works 2 * i / ITERATIONS of -w", &skew, NULL, 0, 1},
    {"--nested", "N", "loops of N iterations each within a plain loop, 0: one loop", &nested, NULL, 0, 1e9},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-loop",
    .purpose = "Run parallel loops without a grain size, and count their iterations.",
    .options = options,
    .results = {"iterations"},
    .prepare = calibrate,
    .known = known,
    .run = run,
    .sequential = sequential,
    .figures = figures,
    .names = {{"loop_us", "us for a loop"}},
};
