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

bool rival_run(enum flow_kind kind)
{
    return flow_openmp(threads, kind, all);
}

void rival_end(void)
{
    all = NULL;
}
