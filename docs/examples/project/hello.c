/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>

UAT_TASK(int, answer, int, half)
{
    return 2 * half;
}

int main(void)
{
    int result;
    if (uat_init() || answer_run(&result, 21))
        return 1;
    if (uat_rank() == 0)
        printf("%d from %d workers\n", result, uat_size());
    return uat_finalize() != 0;
}
