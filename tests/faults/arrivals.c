/* SPDX-License-Identifier: MIT */
/*
 * Description: a program for tests of checkpoints, started with two workers. It sends TASKS tasks to worker 1
 * (uat_spawn_on()). Worker 1 is busy, so these tasks are in its inbox when the job ends after the checkpoint. After a
 * restart with any number of workers, no task may be lost. The restarted program ends soon.
 *
 * usage: arrivals [wait]     (wait: the program does not ask for the checkpoint)
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/faults/fib.h"
#include "uat.h"
#include "uat/checkpoint.h"
#include "uat/sync.h"

enum { TASKS = 5 };

/* Keeps its worker busy until the job has been restarted. */
UAT_TASK(long, busy, uat_future_t, begun)
{
    long sum = 0, one = 1;
    uat_future_set(begun, &one);
    while (uat_restarted() == 0)
        sum += fib(10) == 55 ? 0 : 1;
    return sum;
}

UAT_TASK(long, arrive, long, number)
{
    return fib(number);
}

UAT_TASK(long, root, long, first, bool, asks)
{
    busy_task keeping;
    arrive_task task[TASKS];
    long sum = 0, one;
    uat_future_t begun = uat_future_create(sizeof(long));
    busy_spawn_on(&keeping, 1 % uat_size(), begun);
    uat_future_get(begun, &one);
    for (int i = 0; i < TASKS; i++)
        arrive_spawn_on(&task[i], 1 % uat_size(), first + i);
    if (asks)
        uat_checkpoint(UAT_CHECKPOINT_END);
    while (uat_restarted() == 0)
        sum += fib(10) == 55 ? 0 : 1;
    for (int i = 0; i < TASKS; i++)
        sum += arrive_join(&task[i]);
    sum += busy_join(&keeping);
    uat_future_destroy(begun);
    return sum;
}

int main(int argc, char **argv)
{
    long sum;
    if (uat_init() < 0 || root_run(&sum, 10, argc < 2 || strcmp(argv[1], "wait") != 0) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("sum %ld\n", sum);
    return uat_finalize() < 0;
}
