/* SPDX-License-Identifier: MIT */
/* Description: with UAT_STACKS=iso, a leaf that writes beyond its stack ends the job with a line. Without an argument
 * nothing is overwritten. */
#include "uat.h"

enum { DEEP = 16384 };

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

UAT_TASK(long, parent, long, bytes)
{
    leaf_task child;
    leaf_spawn(&child, bytes);
    return leaf_join(&child);
}

UAT_TASK(long, root, long, bytes)
{
    parent_task child;
    parent_spawn(&child, bytes);
    return parent_join(&child);
}

int main(int argc, char **argv)
{
    long result = 0, bytes = argc > 1 ? DEEP : 64;
    (void)argv;
    if (uat_init())
        return 2;
    int rc = root_run(&result, bytes);
    uat_finalize();
    return rc || result != bytes;
}
