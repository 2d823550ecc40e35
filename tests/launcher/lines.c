/* SPDX-License-Identifier: MIT */
/* Description: tasks on all workers print 20000 lines of 39 characters, under the locale of the environment. */
#include <locale.h>
#include <stdio.h>

#include <uat.h>
#include <uat/pattern.h>

UAT_FOR(lines, i)
{
    printf("line %08ld of the program, 39 chars.\n", (long)i);
    for (volatile int k = 0; k < 500; k++)
        ;
}

UAT_TASK_VOID(root, int, x)
{
    (void)x;
    lines(0, 20000);
}

int main(void)
{
    setlocale(LC_ALL, "");
    return uat_init() < 0 || root_run(1) < 0 || uat_finalize() < 0;
}
