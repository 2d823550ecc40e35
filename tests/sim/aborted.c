/* SPDX-License-Identifier: MIT */
/*
 * Description: entries that stay in the deque after an aborted claim must be offered again as soon as no younger entry
 * is offered. There is a chain of tasks. At each step a task spawns the next task. Before each step, some tiny tasks
 * are spawned and joined. Each tiny task's spawn publishes an entry at one index and takes it back. The step's own
 * continuation is published at this index afterwards. So a claim may find a different entry than its peek did. The last
 * task offers the remaining entries, and waits until every entry has been taken. If an entry is never offered again,
 * the wait does not end, and UAT_SIM_LIMIT reports it. For the simulation. Usage: aborted RUNS
 */
#include <stdio.h>
#include <stdlib.h>

#include "inspect/inspect.h"
#include "tests/mix.h"
#include "uat.h"
#include "uat/pattern.h"

enum {
    LEVELS = 10, /* must not exceed the number of ring slots */
    TINY_MAX = 3,
    FRAME_WORDS = 32,
    STEP_NS = 200,
    LATE_NS = 1000000 /* time after which acknowledgements have arrived */
};

static uint64_t stayed; /* number of this worker's entries that stayed after an aborted claim */

UAT_TASK(uint64_t, tiny, uint64_t, i)
{
    uat_sim_work(STEP_NS);
    return mix(i);
}

/* Spawns in a separate frame, so that its continuation and the step's have different addresses. */
static __attribute__((noinline)) uint64_t run_tiny(uint64_t i)
{
    volatile uint64_t frame[FRAME_WORDS] = {[0] = i};
    tiny_task task;
    tiny_spawn(&task, frame[0]);
    return tiny_join(&task) + frame[1];
}

/* The last task. A claim may also abort because of a new publication, and leave the entry in the deque again. So the
 * task offers each entry until the entry is taken. */
UAT_TASK(uint64_t, last, uint64_t, n)
{
    while (uat_size() > 1 && !uat_deque_is_drained(uat_inspect_deque())) {
        uat_sim_work(STEP_NS);
        (void)uat_work_wanted();
    }
    return n;
}

/* Whether all published entries have been claimed. Relaxed: only the number of claims counts. Pairs with the thieves'
 * claims. */
static bool published_is_taken(void)
{
    const struct uat_deque *d = uat_inspect_deque();
    return (int64_t)(__atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED) - d->bottom) >= 0;
}

UAT_TASK_DECLARE(uint64_t, step, uint64_t, level, uint64_t, seed)

static uint64_t step(uint64_t level, uint64_t seed)
{
    if (level == 0) {
        while (uat_size() > 1 && !published_is_taken())
            uat_sim_work(STEP_NS);
        uat_sim_work(LATE_NS);
        stayed += uat_inspect_deque()->aborted;
        last_task task;
        last_spawn(&task, uat_size() > 1 ? 1 : 0);
        return last_join(&task);
    }
    for (uint64_t i = 1 + mix(seed ^ level) % TINY_MAX; i > 0; i--)
        if (run_tiny(i) != mix(i))
            return 0;
    step_task task;
    step_spawn(&task, level - 1, seed);
    return step_join(&task) + level;
}

int main(int argc, char **argv)
{
    uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, sum = 0;
    if (uat_init())
        return 1;
    for (uint64_t i = 0; i < runs; i++) {
        if (step_run(&sum, LEVELS, mix(i)))
            return 1;
        if (sum != LEVELS * (LEVELS + 1) / 2 + (uat_size() > 1)) {
            fprintf(stderr, "aborted: rank %d: the chain's sum is %lu\n", uat_rank(), (unsigned long)sum);
            return 1;
        }
    }
    uat_stats_detail_t s;
    if (uat_stats_detail_total(&s))
        return 1;
    if (uat_rank() == 0)
        printf("%lu steals, %lu aborted\n", s.steals, s.entries_aborted);
    if (stayed > 0)
        printf("%lu entries stayed aborted on rank %d\n", (unsigned long)stayed, uat_rank());
    return uat_finalize() != 0;
}
