/* SPDX-License-Identifier: MIT */
/* Description: gdb must show a task's frames: leaf, middle and the task's start function. It must show no frame of the
 * task's spawner. */
#include "uat.h"

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

static void spawner(void *arg, void *result)
{
    uat_task_t t;
    int n = 1, m = 0;
    uat_spawn(&t, child, &n, sizeof(n), &m, sizeof(m));
    uat_join(&t);
    *(int *)result = m;
}

int main(void)
{
    int result = 0;
    if (uat_init() || uat_run(spawner, NULL, 0, &result, sizeof(result)))
        return 1;
    return uat_finalize() || result != 3;
}
