/* SPDX-License-Identifier: MIT */
/*
 * Description: a run whose root is its only task, so that the other workers have none. The root computes for the given
 * time, and rank 0 then prints a line. Usage: alone MILLISECONDS
 */
#include <stdio.h>
#include <stdlib.h>

#include "uat.h"

UAT_TASK(int, compute, int, ms)
{
    uint64_t end = uat_time_ns() + (uint64_t)ms * 1000000;
    while (uat_time_ns() < end)
        continue;
    return ms;
}

int main(int argc, char **argv)
{
    int ms = argc > 1 ? atoi(argv[1]) : 0;
    if (uat_init())
        return 1;
    int got = -1, rc = compute_run(&got, ms), rank = uat_rank(), end = uat_finalize();
    if (rank == 0 && got == ms)
        puts("alone");
    return rc || end || got != ms;
}
