/* SPDX-License-Identifier: MIT */
/*
 * Description: entries whose claims were aborted, and that stay, are offered again once nothing younger is. A chain of
 * tasks descends; before each step some tiny tasks publish and take back at the place where the step's own continuation
 * will be published, so that claims meet what they did not expect. The last task waits until all that is offered was
 * taken, spawns once, and there waits until nothing is left: without an offer that never ends, and UAT_SIM_LIMIT says
 * so. For the simulation. Usage: aborted RUNS
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/inspect.h"
#include "tests/mix.h"
#include "uat.h"
#include "uat/pattern.h"

enum {
    LEVELS = 10, /* no more than the ring has slots */
    TINY_MAX = 4,
    STEP_NS = 200,
    LATE_NS = 1000000 /* until acknowledgements are here */
};

static uint64_t stayed; /* entries that stayed aborted, on this worker */

UAT_TASK(uint64_t, tiny, uint64_t, i)
{
    uat_sim_work(STEP_NS);
    return mix(i);
}

/* Its spawner's push has offered all that was left, and nobody pushes or pops any more, nor calls uat_work_wanted(),
 * which would offer it. */
UAT_TASK(uint64_t, last, uint64_t, n)
{
    while (uat_size() > 1 && !uat_deque_is_drained(uat_inspect_deque()))
        uat_sim_work(STEP_NS);
    return n;
}

/* Relaxed: only a count; the peers are the thieves' claims. */
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
    for (uint64_t i = mix(seed ^ level) % TINY_MAX; i > 0; i--) {
        tiny_task before;
        tiny_spawn(&before, i);
        tiny_join(&before);
    }
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
        if (step_run(&sum, 1 + mix(i) % LEVELS, mix(i)))
            return 1;
        uint64_t level = 1 + mix(i) % LEVELS;
        if (sum != level * (level + 1) / 2 + (uat_size() > 1)) {
            fprintf(stderr, "aborted: rank %d: the chain's sum is %lu\n", uat_rank(), (unsigned long)sum);
            return 1;
        }
    }
    uat_stats_t s;
    if (uat_stats_total(&s))
        return 1;
    if (uat_rank() == 0)
        printf("%lu steals, %lu aborted\n", s.steals, s.entries_aborted);
    if (stayed > 0)
        printf("%lu entries stayed aborted on rank %d\n", (unsigned long)stayed, uat_rank());
    return uat_finalize() != 0;
}
