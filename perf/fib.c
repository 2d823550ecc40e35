/* SPDX-License-Identifier: MIT */
/* Fibonacci numbers by their definition: one task per addition. */
#include "perf/bench.h"

#define N_MOST 93 /* fib(94) has more than 64 bits */

static int64_t n;

UAT_TASK(uint64_t, fib, int64_t, i)
{
    fib_task before;

    if (i < 2)
        return (uint64_t)i;
    fib_spawn(&before, i - 1);
    uint64_t second = fib(i - 2);
    return fib_join(&before) + second;
}

static int run(uint64_t *answer)
{
    return fib_run(answer, n);
}

static uint64_t fib_sequential(int64_t i)
{
    uat_bench_opaque();
    return i < 2 ? (uint64_t)i : fib_sequential(i - 1) + fib_sequential(i - 2);
}

static int sequential(uint64_t *answer)
{
    *answer = fib_sequential(n);
    return 0;
}

/* Computes the answer by a loop, independently of the tasks. */
static bool known(uint64_t *answer)
{
    uint64_t next = 1;

    *answer = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t sum = *answer + next;

        *answer = next;
        next = sum;
    }
    return true;
}

static const struct uat_bench_option options[] = {
    {NULL, "N", "which Fibonacci number", &n, NULL, 0, N_MOST},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-fib",
    .purpose = "Compute the N-th Fibonacci number by the definition, with a task for every addition.",
    .options = options,
    .results = {"result"},
    .known = known,
    .run = run,
    .sequential = sequential,
};
