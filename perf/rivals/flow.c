/* SPDX-License-Identifier: MIT */
/* The main program of uat-flow's rivals. perf/measure flows runs them. usage: rival-flow-NAME WORKERS ROUNDS */
#include "perf/rivals/flow.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu.h"

static const char *const names[FLOW_KINDS] = {"no access", "1, own",   "1, chain",
                                              "3, own",    "3, chain", "3, checked out"};

/* The minimum of the rounds, in cycles per task; 0 if the rival does not have this sequence. */
static double least_of(enum flow_kind kind, int rounds)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < rounds; i++) {
        uint64_t begin = uat_cpu_counter();
        if (!rival_run(kind))
            return 0;
        uint64_t cycles = uat_cpu_counter() - begin;
        least = cycles < least ? cycles : least;
    }
    return (double)least / FLOW_TASKS;
}

int main(int argc, char **argv)
{
    static long data[3 * FLOW_TASKS];
    int workers = argc == 3 ? atoi(argv[1]) : 0, rounds = argc == 3 ? atoi(argv[2]) : 0;
    if (workers < 1 || workers > 1024 || rounds < 1 || rounds > 1000000) {
        fprintf(stderr, "usage: %s WORKERS ROUNDS\n", argv[0]);
        return 2;
    }
    if (!rival_begin(workers, data))
        return 1;
    for (int kind = 0; kind < FLOW_KINDS; kind++) {
        double least = least_of((enum flow_kind)kind, rounds);
        if (least > 0)
            printf("%s\"%s\": %.1f", kind ? ", " : "{", names[kind], least);
    }
    puts("}");
    rival_end();
    return 0;
}
