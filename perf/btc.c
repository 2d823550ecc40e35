/* SPDX-License-Identifier: MIT */
/*
 * Binary task creation. Tasks only spawn and join, so the time per task is the runtime's overhead.
 * A task above depth 0 does this `iterations` times: spawn two children one level lower, and join both. With
 * --call-last it spawns the first child and calls the second.
 */
#include "perf/bench.h"

static int64_t depth = 20;
static int64_t iterations = 1; /* the tasks read it; every rank sets it from the same command line */
static int64_t call_last, papers;

UAT_TASK_DECLARE(uint64_t, create, int64_t, level)

/* Half of all tasks have no children. This function is separate from create() and never inlined, so that these tasks
 * save no registers. */
__attribute__((noinline)) static uint64_t create_children(int64_t level)
{
    uint64_t tasks = 1;

    for (int64_t i = 0; i < iterations; i++) {
        create_task left, right;

        create_spawn(&left, level - 1);
        create_spawn(&right, level - 1);
        tasks += create_join(&right);
        tasks += create_join(&left);
    }
    return tasks;
}

/* Create the tree below a task of this level. Returns the number of tasks in the tree, this one included. */
static uint64_t create(int64_t level)
{
    return level == 0 ? 1 : create_children(level);
}

UAT_TASK_DECLARE(uint64_t, grow, int64_t, level)

__attribute__((noinline)) static uint64_t grow_children(int64_t level)
{
    uint64_t tasks = 1;

    for (int64_t i = 0; i < iterations; i++) {
        grow_task left;

        grow_spawn(&left, level - 1);
        tasks += grow(level - 1);
        tasks += grow_join(&left);
    }
    return tasks;
}

/* Like create(), but it calls the last child. This is a separate task type, so that it does not affect the code of
 * create(). */
static uint64_t grow(int64_t level)
{
    return level == 0 ? 1 : grow_children(level);
}

static int run(uint64_t *answer)
{
    return call_last ? grow_run(answer, depth) : create_run(answer, depth);
}

static uint64_t create_sequential(int64_t level)
{
    uint64_t tasks = 1;

    uat_bench_opaque();
    for (int64_t i = 0; level > 0 && i < iterations; i++) {
        tasks += create_sequential(level - 1);
        tasks += create_sequential(level - 1);
    }
    return tasks;
}

static int sequential(uint64_t *answer)
{
    *answer = create_sequential(depth);
    return 0;
}

/* *answer: the sum of (2 * iterations)^i for i from 0 to depth. Returns false if the sum does not fit. */
static bool known(uint64_t *answer)
{
    uint64_t level = 1;

    *answer = 1;
    for (int64_t i = 0; i < depth; i++) {
        if (__builtin_mul_overflow(level, 2 * (uint64_t)iterations, &level) ||
            __builtin_add_overflow(*answer, level, answer))
            return false;
    }
    return true;
}

static const char *refuse(void)
{
    uint64_t tasks;

    if (papers && call_last)
        return "--papers 1 spawns both children: leave --call-last out";
    return known(&tasks) ? NULL : "more than 2^64 tasks; give a smaller -d or -i";
}

static const struct uat_bench_option options[] = {
    {"-d", "DEPTH", "depth of the tree of tasks", &depth, NULL, 0, 1000},
    {"-i", "ITER", "how many times a task creates two children", &iterations, NULL, 0, 1000000},
    {"--call-last", "0|1", "1: the last child is called, not spawned; 0: as in the papers", &call_last, NULL, 0, 1},
    {"--papers", "0|1", "1: both children are spawned, as in HPDC'15; so do others without --call-last", &papers, NULL,
     0, 1},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-btc",
    .purpose = "Binary task creation: the cost of spawn and join alone.",
    .options = options,
    .results = {"result"},
    .refuse = refuse,
    .known = known,
    .run = run,
    .sequential = sequential,
};
