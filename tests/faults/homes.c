/* SPDX-License-Identifier: MIT */
/*
 * Description: a program for tests of checkpoints. Rank 3 of 4 makes a biased mutex. Each checkpoint ends the job. At
 * that time the mutex's home is busy, and TURNS tasks that want to lock the mutex are in the home's inbox. Each of
 * these tasks takes its turn after the restart, at the mutex's new home.
 *
 * usage: homes CHECKPOINTS     (start it with 4 workers, and then with any number)
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/faults/fib.h"
#include "uat.h"
#include "uat/adaptive.h"
#include "uat/checkpoint.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

enum { TURNS = 5, HOME = 3, BEFORE = 200 };

static long stay_until_restart(int restarts)
{
    long wrong = 0;
    while (uat_restarted() == restarts)
        wrong += fib(10) == 55 ? 0 : 1;
    return wrong;
}

/* The mutex lies after BEFORE other objects of its rank, and is the only object that stays. So rank 3 uses more of its
 * heap than any other rank. After a restart with fewer workers rank 3 is a ghost. */
UAT_TASK(uat_mutex_t, make)
{
    uat_semaphore_t before[BEFORE];
    for (int i = 0; i < BEFORE; i++)
        before[i] = uat_semaphore_create(0);
    uat_mutex_t mutex = uat_mutex_create_biased();
    for (int i = 0; i < BEFORE; i++)
        uat_semaphore_destroy(before[i]);
    return mutex;
}

UAT_TASK(long, busy, int, restarts, uat_semaphore_t, begun)
{
    uat_semaphore_release(begun, 1);
    return stay_until_restart(restarts);
}

UAT_TASK(long, turn, uat_mutex_t, mutex)
{
    uat_mutex_lock(mutex);
    uat_mutex_unlock(mutex);
    return 1;
}

/*
 * Make a checkpoint while tasks are on their way to the mutex. Returns the number of tasks that have had their turns.
 * This task stays on rank 0, which is never idle. No other worker takes work, so the home stays busy.
 */
UAT_TASK(long, generation, int, restarts, uat_mutex_t, mutex)
{
    busy_task keeping;
    turn_task turns[TURNS];
    long taken = 0;
    uat_concurrency_set(1);
    uat_migrate(0);
    uat_semaphore_t begun = uat_semaphore_create(0);
    busy_spawn_on(&keeping, HOME % uat_size(), restarts, begun);
    while (uat_semaphore_try_acquire(begun))
        taken += fib(10) == 55 ? 0 : 1;
    for (int i = 0; i < TURNS; i++)
        turn_spawn(&turns[i], mutex);
    uat_checkpoint(UAT_CHECKPOINT_END);
    taken += stay_until_restart(restarts);
    for (int i = 0; i < TURNS; i++)
        taken += turn_join(&turns[i]);
    taken += busy_join(&keeping);
    uat_semaphore_destroy(begun);
    return taken;
}

UAT_TASK(long, root, int, checkpoints)
{
    make_task made;
    make_spawn_on(&made, HOME % uat_size());
    uat_mutex_t mutex = make_join(&made);
    long taken = 0;
    for (int restarts = 0; restarts < checkpoints; restarts++)
        taken += generation(restarts, mutex);
    uat_mutex_destroy(mutex);
    return taken;
}

int main(int argc, char **argv)
{
    long taken;
    if (argc != 2 || uat_init() < 0 || root_run(&taken, atoi(argv[1])) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("%ld turns\n", taken);
    return uat_finalize() < 0;
}
