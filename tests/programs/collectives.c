/* SPDX-License-Identifier: MIT */
/*
 * Description: collective calls in direct succession, in every order, with workers that arrive at different times. Sums
 * must be exact, equal on all workers, and belong to the same call. Copies must equal rank 0's data.
 * Usage: collectives ROUNDS [SEED]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/global.h"

enum {
    DEPTH = 3,
    TASKS_PER_RUN = (1 << (DEPTH + 1)) - 1, /* the root, and two tasks per inner node */
    DELAYS = 4,
    DELAY_US = 200,
    WORDS = 64
};

UAT_TASK_DECLARE(uint64_t, tree, uint64_t, depth)

static uint64_t tree(uint64_t depth)
{
    tree_task left, right;
    if (depth == 0)
        return 1;
    tree_spawn(&left, depth - 1);
    tree_spawn(&right, depth - 1);
    uint64_t sum = tree_join(&right);
    return sum + tree_join(&left);
}

static uint64_t seed;
static uint64_t runs; /* number of runs */

static int wrong(const char *what, uint64_t round, uint64_t is, uint64_t should)
{
    if (is == should)
        return 0;
    fprintf(stderr, "collectives: rank %d, round %llu: %s is %llu and should be %llu\n", uat_rank(),
            (unsigned long long)round, what, (unsigned long long)is, (unsigned long long)should);
    return 1;
}

/* Delay some workers, different ones each time. */
static void come_late(uint64_t moment)
{
    uint64_t delay = mix(seed ^ mix(moment << 16 ^ (uint64_t)uat_rank())) % DELAYS;
    uat_sim_work(delay * DELAY_US * 1000);
    if (delay > 0 && strcmp(uat_setting("time"), "real") == 0)
        usleep((useconds_t)(delay * DELAY_US));
}

static int run(uint64_t round)
{
    uint64_t leaves = 0;
    runs++;
    return tree_run(&leaves, DEPTH) ? 1 : wrong("the number of leaves", round, leaves, 1 << DEPTH);
}

/* Without a run between two sums, the calls themselves increase some counters, but not the number of tasks. */
static int sum(uint64_t round)
{
    uat_stats_t total = {0};
    return uat_stats_total(&total) ? 1 : wrong("the number of tasks", round, total.tasks, runs * TASKS_PER_RUN);
}

static int copy(uint64_t round)
{
    uint64_t source[WORDS];
    int failures = 0;
    for (uint64_t i = 0; i < WORDS; i++)
        source[i] = uat_rank() == 0 ? mix(round ^ i) : 0;
    uint64_t words = 1 + mix(seed ^ round) % WORDS;
    /* The size is rank 0's; the other ranks' sizes are ignored. */
    const uint64_t *all = uat_replicate(source, (uat_rank() == 0 ? words : 1) * sizeof(*source));
    if (!all)
        return 1;
    for (uint64_t i = 0; i < words && !failures; i++)
        failures = wrong("a word that was copied", round, all[i], mix(round ^ i));
    come_late(round);
    return failures + !!uat_replicate_free((void *)all);
}

/* Allocate and free an array. Directly after a sum, rank 0 sends its table of arrays down the same tree, without first
 * waiting for another worker. */
static int allocate(void)
{
    void *array = uat_global_alloc(1, UAT_BLOCKED, 0);
    return !array || uat_global_free(array);
}

/* All workers make the same call. `kind` determines which one. */
static int call(uint64_t round, uint64_t kind)
{
    switch (kind % 4) {
    case 0:
        return run(round);
    case 1:
        return copy(round);
    case 2:
        return !!uat_barrier();
    default:
        return sum(round);
    }
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    int failures = 0;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (rounds == 0) {
        fprintf(stderr, "usage: collectives ROUNDS [SEED]\n");
        return 2;
    }
    if (uat_init())
        return 1;
    for (uint64_t round = 0; round < rounds && !failures; round++) {
        uint64_t kinds = mix(seed + round);
        for (int i = 0; i < 4 && !failures; i++) {
            come_late(round * 4 + (uint64_t)i);
            failures += call(round * 4 + (uint64_t)i, kinds >> (2 * i));
            failures += sum(round) || allocate();
        }
    }
    if (failures) /* the other workers wait for this one */
        return 1;
    return !!uat_finalize();
}
