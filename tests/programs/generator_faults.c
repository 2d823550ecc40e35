/* SPDX-License-Identifier: MIT */
/* Description: a generator that overflows its stack, a spawn inside a generator, and a running generator to inspect
 * with gdb. */
#define UAT_DEBUG
#include <string.h>

#include "uat/generator.h"

UAT_TASK(int, nothing, int, unused)
{
    return unused;
}

UAT_GENERATOR_SIZED(1024, int, spawner, int, n)
{
    nothing_task t;
    nothing_spawn(&t, n);
    uat_generator_yield(nothing_join(&t));
}

/* Writes slightly more than 1024 bytes, downwards and without gaps. */
UAT_GENERATOR_SIZED(1024, int, greedy, int, bytes)
{
    volatile char room[bytes];
    for (int i = bytes; i-- > 0;)
        room[i] = 1;
    uat_generator_yield(room[0]);
}

__attribute__((noinline)) void leaf(volatile int *n)
{
    ++*n; /* gdb sets a breakpoint here */
}

UAT_GENERATOR(int, modest, int, n)
{
    volatile int m = n;
    leaf(&m);
    uat_generator_yield(m);
}

static void root(void *arg, void *result)
{
    const char *what = *(const char **)arg;
    spawner_generator s;
    greedy_generator g;
    modest_generator m;
    int value = 0;
    if (strcmp(what, "spawn") == 0) {
        spawner_begin(&s, 1);
        uat_generator_next(&s, &value);
    } else if (strcmp(what, "overflow") == 0) {
        greedy_begin(&g, 1100);
        uat_generator_next(&g, &value);
    } else {
        modest_begin(&m, 1);
        uat_generator_next(&m, &value);
    }
    *(int *)result = value;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int result = 0;
    if (uat_init() || uat_run(root, &what, sizeof(what), &result, sizeof(result)))
        return 1;
    return uat_finalize() || result != 2;
}
