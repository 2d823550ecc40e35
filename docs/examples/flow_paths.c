/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#include <uat/dataflow.h>

enum { N = 20 }; /* crossings in a row of a town */

UAT_FLOW_TASK(start, out, long, here)
{
    *here = 1;
}

UAT_FLOW_TASK(step, in, long, above, in, long, left, out, long, here)
{
    *here = *above + *left;
}

UAT_TASK_VOID(count, long *, paths)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i == 0 || j == 0)
                start_flow(&f, &paths[i * N + j]);
            else
                step_flow(&f, &paths[(i - 1) * N + j], &paths[i * N + j - 1], &paths[i * N + j]);
    uat_flow_end(&f);
}

int main(void)
{
    long *paths;
    if (uat_init() < 0 || !(paths = uat_global_alloc(N * N * sizeof(*paths), UAT_BLOCKED, 0)) || count_run(paths) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("%ld shortest paths\n", UAT_GLOBAL_GET(&paths[N * N - 1]));
    return uat_finalize() < 0;
}
