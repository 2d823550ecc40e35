/* SPDX-License-Identifier: MIT */
/*
 * Description: a worker that gets work after an idle time offers this work, even if no worker has sent it a request in
 * the meantime. There are two workers. While one worker is busy, the other worker spawns tiny tasks whose continuations
 * it takes back itself. Then the other worker becomes idle and steals. In the stolen task it waits until its own
 * continuation has been taken. If the continuation is not offered, the wait never ends, and UAT_SIM_LIMIT reports it.
 * For the simulation, with two workers.
 * Usage: again ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>

#include "inspect/inspect.h"
#include "tests/mix.h"
#include "uat.h"
#include "uat/pattern.h"

enum { TINY = 3, STEP_NS = 200, BUSY_NS = 40000 };

UAT_TASK(uint64_t, tiny, uint64_t, i)
{
    uat_sim_work(STEP_NS);
    return mix(i);
}

/* Ends when all continuations above it have been taken. */
UAT_TASK(uint64_t, patient, uint64_t, n)
{
    while (uat_size() > 1 && !uat_deque_is_drained(uat_inspect_deque())) {
        uat_sim_work(STEP_NS);
        (void)uat_work_wanted(); /* answers requests, and offers nothing without a request */
    }
    return n;
}

/* The thief that took this task's spawner becomes idle while this task is busy. Then the thief steals this task, too.
 * So this worker becomes idle. */
UAT_TASK(uint64_t, busy, uint64_t, n)
{
    patient(0);
    uat_sim_work(BUSY_NS);
    patient_task here, there;
    patient_spawn(&here, n);
    patient_spawn(&there, n);
    return patient_join(&there) + patient_join(&here);
}

UAT_TASK(uint64_t, all, uint64_t, rounds)
{
    uint64_t sum = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        busy_task task;
        busy_spawn(&task, round);
        for (uint64_t i = 0; i < TINY; i++) {
            tiny_task before;
            tiny_spawn(&before, i);
            sum += tiny_join(&before) == mix(i);
        }
        sum += busy_join(&task);
    }
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, sum = 0;
    if (uat_init() || all_run(&sum, rounds))
        return 1;
    bool right = sum == rounds * (rounds - 1) + rounds * TINY;
    if (!right)
        fprintf(stderr, "again: rank %d: the sum is %lu\n", uat_rank(), (unsigned long)sum);
    return uat_finalize() != 0 || !right;
}
