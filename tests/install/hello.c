/* SPDX-License-Identifier: MIT */
/* Description: a user's first program, built against an installed uat. It prints fib(20) on rank 0. */
#include <stdio.h>
#include <uat.h>

UAT_TASK(long, fib, int, n)
{
    fib_task a;
    long b;

    if (n < 2)
        return n;
    fib_spawn(&a, n - 1);
    b = fib(n - 2);
    return fib_join(&a) + b;
}

int main(void)
{
    long result;

    if (uat_init() != 0 || fib_run(&result, 20) != 0)
        return 1;
    if (uat_rank() == 0)
        printf("fib(20) = %ld on %d\n", result, uat_size());
    return uat_finalize() != 0;
}
