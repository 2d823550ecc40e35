/* SPDX-License-Identifier: MIT */
/* Description: with UAT_STACKS=iso a stack that overflows ends the job with a line. Argument `fill`: a leaf writes all
 * bytes below its stack. `jump`: a task's frame reaches into the stack below, and only its end is written. Without an
 * argument nothing is overwritten. */
#include <string.h>

#include "uat.h"

enum { STACK = 16384, DEEP = STACK, FAR = STACK - 3072, DEPTH = 3 };

static __attribute__((noinline)) long fill(long bytes)
{
    volatile char room[bytes];
    for (long i = bytes; i > 0; i--)
        room[i - 1] = (char)i;
    return room[bytes / 2];
}

UAT_TASK(long, leaf, long, bytes)
{
    return bytes + 0 * fill(bytes);
}

/* Spawn a leaf below a frame of `bytes` bytes. */
static __attribute__((noinline)) long spawn_below(long bytes)
{
    volatile char room[bytes];
    room[0] = 1;
    leaf_task child;
    leaf_spawn(&child, 64);
    return leaf_join(&child) + room[0] - 1;
}

/* A chain of tasks. All have stacks of their own, so the last one has a touched stack below it. */
UAT_TASK(long, chain, int, depth, long, fills, long, jumps)
{
    if (depth == 0) {
        long there = spawn_below(jumps);
        leaf_task child;
        leaf_spawn(&child, fills);
        return leaf_join(&child) - fills + there;
    }
    chain_task child;
    chain_spawn(&child, depth - 1, fills, jumps);
    return chain_join(&child);
}

int main(int argc, char **argv)
{
    long result = 0, fills = 64, jumps = 64;
    if (argc > 1 && strcmp(argv[1], "fill") == 0)
        fills = DEEP;
    else if (argc > 1)
        jumps = STACK + FAR;
    if (uat_init())
        return 2;
    int rc = chain_run(&result, DEPTH, fills, jumps);
    uat_finalize();
    return rc || result != 64;
}
