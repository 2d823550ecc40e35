/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>

UAT_TASK(long, fib, long, n)
{
    fib_task left;
    if (n < 2)
        return n;
    fib_spawn(&left, n - 1); /* a thief may take the rest of this task and run it on another worker */
    long right = fib(n - 2);
    return fib_join(&left) + right;
}

int main(void)
{
    long answer;
    if (uat_init() < 0 || fib_run(&answer, 30) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("fib(30) = %ld\n", answer);
    return uat_finalize() < 0;
}
