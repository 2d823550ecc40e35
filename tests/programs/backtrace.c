/* SPDX-License-Identifier: MIT */
/* Description: gdb must show a task's frames: leaf, middle and the task's start function. It must show no frame of the
 * task's spawner, except that of the spawn itself if the compiler has the spawn inline. */
#include "uat.h"

enum { DEPTH = 40 };

__attribute__((noinline)) void leaf(volatile int *n)
{
    ++*n; /* gdb sets a breakpoint here */
}

static __attribute__((noinline)) void middle(volatile int *n)
{
    leaf(n);
    ++*n;
}

static void child(void *arg, void *result)
{
    volatile int n = *(int *)arg;
    middle(&n);
    *(int *)result = n;
}

/* Only the outer spawns take the slow path, because a worker publishes a few entries. */
UAT_TASK(int, typed, int, depth)
{
    typed_task t;
    volatile int n = 2;
    if (depth > 0) {
        typed_spawn(&t, depth - 1);
        return typed_join(&t);
    }
    middle(&n);
    return n;
}

static void spawner(void *arg, void *result)
{
    uat_task_t t;
    int n = 1, m = 0;
    uat_spawn(&t, child, &n, sizeof(n), &m, sizeof(m));
    uat_join(&t);
    *(int *)result = m + typed(DEPTH);
}

int main(void)
{
    int result = 0;
    if (uat_init() || uat_run(spawner, NULL, 0, &result, sizeof(result)))
        return 1;
    return uat_finalize() || result != 7;
}
