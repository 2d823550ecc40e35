/* SPDX-License-Identifier: MIT */
/* A rival of uat-flow: GCC's OpenMP, with `depend`. */
#include <stddef.h>

#include "perf/rivals/flow.h"

static int threads;
static long *all;

bool rival_begin(int workers, long *data)
{
    threads = workers;
    all = data;
    return true;
}

/* The body of a task. It is not empty for the compiler: GCC leaves out a task whose body is empty. */
static inline void nothing(void)
{
    __asm__ volatile("");
}

static void spawn(enum flow_kind kind, long *data, long i)
{
    long *own = &data[3 * i];
    (void)own; /* used in clauses only */
    switch (kind) {
    case FLOW_NONE:
#pragma omp task
        nothing();
        break;
    case FLOW_ONE_OWN:
#pragma omp task depend(inout : own[0])
        nothing();
        break;
    case FLOW_ONE_CHAIN:
#pragma omp task depend(inout : data[0])
        nothing();
        break;
    case FLOW_THREE_OWN:
#pragma omp task depend(inout : own[0], own[1], own[2])
        nothing();
        break;
    default:
#pragma omp task depend(inout : data[0], data[1], data[2])
        nothing();
        break;
    }
}

bool rival_run(enum flow_kind kind)
{
    if (kind == FLOW_CHECKOUT)
        return false;
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (long i = 0; i < FLOW_TASKS; i++)
        spawn(kind, all, i);
    return true;
}

void rival_end(void)
{
    all = NULL;
}
