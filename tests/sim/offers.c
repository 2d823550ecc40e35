/* SPDX-License-Identifier: MIT */
/*
 * Description: every offered continuation is stolen, and the thief gets what was offered. A loop of tiny tasks
 * publishes one continuation after another at the same address, each with different stack contents. A thief must
 * continue with the right stack contents.
 * Then a chain of tasks descends, and the last task spawns until every continuation above it has been taken. If thieves
 * do not find one of these continuations, the last task never ends, and UAT_SIM_LIMIT reports it. For the simulation.
 * Usage: offers RUNS [LOOPS]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "inspect/inspect.h"
#include "tests/mix.h"
#include "uat.h"
#include "uat/pattern.h"

/* There are more levels than ring slots. QUIET_LEVELS is so small that the ring has room for all continuations that
 * remain once thieves have emptied it. */
enum {
    LEVELS = 40,
    QUIET_LEVELS = 24,
    LOOPS_MAX = 3,
    TREES = 8,
    TREE_LEVELS = 6,
    LEAVES = 1 << TREE_LEVELS,
    STEP_NS = 200,
    LATE_NS = 100000
};

UAT_TASK(uint64_t, tiny, uint64_t, i)
{
    uat_sim_work(STEP_NS);
    return mix(i);
}

/* Whether all continuations have been taken. The function does not call uat_work_wanted(), because that would offer
 * continuations that a spawn or the end of a task failed to offer. */
static bool is_drained(void)
{
    return uat_deque_is_drained(uat_inspect_deque());
}

UAT_TASK_DECLARE(uint64_t, patient, uint64_t, i, uint64_t, depth)

/* Spawns until all of this worker's continuations have been taken. A claim that arrives during a publication leaves an
 * entry, which must be offered again. */
static uint64_t patient(uint64_t i, uint64_t depth)
{
    for (uint64_t n = i; uat_size() > 1 && !is_drained(); n++) {
        tiny_task task;
        tiny_spawn(&task, n);
        tiny_join(&task);
        if (depth == 0 || mix(n) % 4 > 0)
            continue;
        patient_task inner;
        patient_spawn(&inner, n, depth - 1);
        patient_join(&inner);
    }
    return mix(i);
}

/* The task's locals are in its frame at every spawn, so an older copy of the stack would give a wrong sum. */
UAT_TASK(uint64_t, loop, uint64_t, n)
{
    volatile uint64_t sum = 0;
    for (volatile uint64_t i = 0; i < n; i++) {
        tiny_task task;
        tiny_spawn(&task, i);
        sum += tiny_join(&task) * (i + 1);
        if (i % 8 > 0)
            continue;
        patient_task slow;
        patient_spawn(&slow, i, 2);
        sum += patient_join(&slow) * (i + 1);
    }
    return sum;
}

static uint64_t loop_alone(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += mix(i) * (i + 1) * (i % 8 > 0 ? 1 : 2);
    return sum;
}

/* Whether all published entries have been claimed. Relaxed: only the number of claims counts. Pairs with the thieves'
 * claims. Under the message protocol nothing is published. */
static bool published_is_taken(void)
{
    const struct uat_deque *d = uat_inspect_deque();
    return d->giver || (int64_t)(__atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED) - d->bottom) >= 0;
}

/* Ends when all published entries have been taken and acknowledged. */
UAT_TASK(uint64_t, wait_for_thieves, uint64_t, n)
{
    for (; !published_is_taken(); n++)
        uat_sim_work(STEP_NS);
    uat_sim_work(LATE_NS);
    return n;
}

/* Work without a spawn after the last join. The remaining continuations must be offered when a child returns. Under the
 * message protocol, uat_work_wanted() itself must give them. */
static void work_quietly(void)
{
    wait_for_thieves_task task;
    wait_for_thieves_spawn(&task, 0);
    wait_for_thieves_join(&task);
    while (uat_inspect_deque()->giver ? !uat_work_wanted() : !is_drained())
        uat_sim_work(STEP_NS);
}

UAT_TASK_DECLARE(uint64_t, descend, uint64_t, level, uint64_t, loops)

/* At each level, some tiny spawns first publish and pop entries at one ring index. Then the continuation of
 * descend_spawn(), which is not popped at once, is published at the same index. So a thief's claim may find a different
 * entry than its peek did. */
static uint64_t descend(uint64_t level, uint64_t loops)
{
    if (level == 0 && loops == 0)
        work_quietly();
    if (level == 0) {
        patient(level, 0);
        return 1;
    }
    descend_task task;
    for (uint64_t i = 0; i < loops; i++) {
        tiny_task before;
        tiny_spawn(&before, i);
        tiny_join(&before);
    }
    descend_spawn(&task, level - 1, loops);
    return descend_join(&task) + level;
}

UAT_TASK_DECLARE(uint64_t, tree, uint64_t, level, uint64_t, place, uint64_t, chosen)

/* Workers run out of work, find some, and must offer continuations again. One leaf waits until its worker's
 * continuations have been taken. */
static uint64_t tree(uint64_t level, uint64_t place, uint64_t chosen)
{
    if (level == 0)
        return place == chosen ? patient(place, 0) : tiny(place);
    tree_task left, right;
    tree_spawn(&left, level - 1, 2 * place, chosen);
    tree_spawn(&right, level - 1, 2 * place + 1, chosen);
    return tree_join(&right) + tree_join(&left);
}

static int run_trees(uint64_t seed)
{
    for (uint64_t i = 0; i < TREES; i++) {
        uint64_t sum = 0, expected = 0, chosen = mix(seed + i) % LEAVES;
        for (uint64_t leaf = 0; leaf < LEAVES; leaf++)
            expected += mix(leaf);
        if (tree_run(&sum, TREE_LEVELS, 0, chosen))
            return 1;
        if (sum != expected) {
            fprintf(stderr, "offers: rank %d: the sum of the tree is %lu, not %lu\n", uat_rank(), (unsigned long)sum,
                    (unsigned long)expected);
            return 1;
        }
    }
    return 0;
}

static uint64_t descend_alone(uint64_t level)
{
    return level * (level + 1) / 2 + 1;
}

static int run(uint64_t loops, uint64_t seed)
{
    uint64_t sum = 0, count = 0;
    if (loop_run(&sum, loops))
        return 1;
    if (sum != loop_alone(loops)) {
        fprintf(stderr, "offers: rank %d: the sum of the loop is %lu, not %lu\n", uat_rank(), (unsigned long)sum,
                (unsigned long)loop_alone(loops));
        return 1;
    }
    if (run_trees(seed))
        return 1;
    for (uint64_t tiny_ones = 0; tiny_ones < LOOPS_MAX && uat_size() > 1; tiny_ones++) {
        if (descend_run(&count, tiny_ones ? LEVELS : QUIET_LEVELS, tiny_ones))
            return 1;
        if (count != descend_alone(tiny_ones ? LEVELS : QUIET_LEVELS)) {
            fprintf(stderr, "offers: rank %d: the chain's sum is %lu\n", uat_rank(), (unsigned long)count);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, loops = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
    if (uat_init())
        return 1;
    for (uint64_t i = 0; i < runs; i++)
        if (run(loops, i * TREES))
            return 1;
    uat_stats_detail_t s;
    if (uat_stats_detail_total(&s))
        return 1;
    if (uat_rank() == 0)
        printf("%lu tasks, %lu steals, aborted %lu, second looks %lu, withdrawn %lu\n", s.tasks, s.steals,
               s.entries_aborted, s.second_looks, s.requests_withdrawn);
    return uat_finalize() != 0;
}
