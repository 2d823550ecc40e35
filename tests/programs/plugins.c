/* SPDX-License-Identifier: MIT */
/*
 * Description: a library that is loaded after uat_init() has tasks. It has other addresses on rank 0, so the job ends
 * with a line about it. usage: plugins LIBRARY
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "uat.h"

enum { MAPPED = 64 << 20 };
static const uint64_t LIMIT = UINT64_C(20000000000); /* ns; thieves are slow on a busy machine */

/* Under UAT_TORTURE=steal another worker takes the loop after a spawn, and so calls rank 0's function. */
UAT_TASK(long, sum, uat_fn *, function)
{
    long all = 0;
    uint64_t end = uat_time_ns() + LIMIT;
    for (long i = 0; uat_time_ns() < end; i++) { /* ends by the fault */
        uat_task_t task;
        long result;
        uat_spawn(&task, function, &i, sizeof(i), &result, sizeof(result));
        uat_join(&task);
        all += result;
    }
    return all;
}

int main(int argc, char **argv)
{
    if (argc != 2 || uat_init())
        return 2;
    if (uat_rank() == 0 &&
        mmap(NULL, MAPPED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        return 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "plugins: %s\n", dlerror());
        return 2;
    }
    void *symbol = dlsym(library, "twice");
    uat_fn *function;
    memcpy(&function, &symbol, sizeof(function));
    long all = 0;
    if (sum_run(&all, function) || uat_finalize())
        return 1;
    return 0;
}
