/* SPDX-License-Identifier: MIT */
/*
 * Description: the public interface as a program uses it, on any number of workers and in any torture mode.
 * usage: test-api WORKERS FOLDER; FOLDER is empty and common to all workers.
 */
#include "tests/programs/api.h"
#include "tests/programs/pools.h"

#include <stdlib.h>

int api_wrong(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: rank %d: not so: %s\n", file, line, uat_rank(), condition);
    return 1;
}

void api_work(void)
{
    for (volatile int i = 0; i < 2000; i++)
        ;
}

int main(int argc, char **argv)
{
    static int (*const tests[])(void) = {
        api_join_orders,    api_nested, api_reused_handle,      api_big_blocks, api_odd_sizes,  api_deep,
        api_kept_registers, api_typed,  api_results_everywhere, api_refusals,   api_replicated, api_statistics,
    };
    int errors = 0;

    if (uat_init() != 0)
        return 1;
    if (argc != 3) {
        fprintf(stderr, "usage: test-api WORKERS FOLDER\n");
        return 2;
    }
    errors += WRONG(uat_size() == atoi(argv[1]));
    errors += WRONG(uat_rank() >= 0 && uat_rank() < uat_size());
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        errors += tests[i]() + pools_check();
    errors += api_barrier(argv[2]);
    errors += WRONG(uat_finalize() == 0);
    return errors != 0;
}
