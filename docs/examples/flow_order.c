/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#include <uat/dataflow.h>

UAT_FLOW_TASK(set, out, long, x, value, long, n)
{
    *x = n;
}

UAT_FLOW_TASK(add, in, long, x, in, long, y, out, long, sum)
{
    *sum = *x + *y;
}

UAT_TASK_VOID(calculate, long *, x)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    set_flow(&f, x, 40); /* the first two tasks may run at the same time */
    set_flow(&f, x + 1, 2);
    add_flow(&f, x, x + 1, x + 2); /* reads what both have written */
    set_flow(&f, x, 7);            /* waits until add has read x */
    uat_flow_end(&f);
}

int main(void)
{
    long *x;
    if (uat_init() < 0 || !(x = uat_global_alloc(3 * sizeof(*x), UAT_BLOCKED, 0)) || calculate_run(x) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("the sum is %ld, the first number %ld now\n", UAT_GLOBAL_GET(x + 2), UAT_GLOBAL_GET(x));
    return uat_finalize() < 0;
}
