/* SPDX-License-Identifier: MIT */
/* Description: tasks in a shared library (-DPART), and a program that calls them, both with -fvisibility=hidden. */
#include <stdio.h>

#pragma GCC visibility push(hidden) /* hides declarations, too, as the option does not; the headers must undo it */
#include <uat/lock.h>
#pragma GCC visibility pop

__attribute__((visibility("default"))) long part(int n);

#ifdef PART
UAT_TASK(long, count, int, n)
{
    if (n == 0)
        return 1;
    count_task child;
    count_spawn(&child, n - 1);
    long right = count(n - 1);
    return right + count_join(&child);
}

UAT_TASK(long, hidden, int, n)
{
    long leaves = 0;
    UAT_CRITICAL(hidden)
    leaves = count(n);
    return leaves;
}

long part(int n)
{
    long leaves = 0;
    return hidden_run(&leaves, n) ? -1 : leaves;
}
#else
int main(void)
{
    if (uat_init())
        return 1;
    long leaves = part(10);
    if (uat_rank() == 0)
        printf("%ld leaves\n", leaves);
    return uat_finalize() ? 1 : 0;
}
#endif
