/* SPDX-License-Identifier: MIT */
/* The sequences of uat-flow with OpenMP's `depend`. Without OpenMP this file measures nothing. */
#include "perf/flow.h"

#ifdef _OPENMP
/* The body of a task. GCC leaves out a task whose body is empty. */
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

bool flow_openmp(int threads, enum flow_kind kind, long *data)
{
    if (kind == FLOW_CHECKOUT)
        return false;
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (long i = 0; i < FLOW_TASKS; i++)
        spawn(kind, data, i);
    return true;
}
#else
bool flow_openmp(int threads, enum flow_kind kind, long *data)
{
    (void)threads;
    (void)kind;
    (void)data;
    return false;
}
#endif
