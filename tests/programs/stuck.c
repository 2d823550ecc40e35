/* SPDX-License-Identifier: MIT */
/* Description: a task waits for a lock of the C library that another task holds over a join. The job says so. */
#include <pthread.h>

#include <uat.h>
#include <uat/semaphore.h>
#include <uat/sync.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The second task on the same worker waits forever. The first one holds the lock while it waits for a future that is
 * never set. */
UAT_TASK_VOID(holder, uat_latch_t, locked, uat_latch_t, never)
{
    pthread_mutex_lock(&lock);
    uat_latch_count_down(locked, 1);
    uat_latch_wait(never);
    pthread_mutex_unlock(&lock);
}

UAT_TASK_VOID(waiter, uat_latch_t, locked)
{
    uat_latch_wait(locked);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

UAT_TASK_VOID(root, int, unused)
{
    uat_latch_t locked = uat_latch_create(1), never = uat_latch_create(1);
    holder_task first;
    waiter_task second;
    (void)unused;
    holder_spawn_on(&first, 1, locked, never);
    uat_latch_wait(locked);
    waiter_spawn_on(&second, 1, locked);
    waiter_join(&second);
    holder_join(&first);
}

int main(void)
{
    if (uat_init() < 0)
        return 1;
    root_run(0);
    return uat_finalize() < 0;
}
