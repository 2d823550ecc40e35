/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#include <uat/global.h>
#include <uat/object.h>

enum { PART = 20000 };

/* Look for a divisor of n in [from, from + PART). */
UAT_TASK_VOID(divide, long, n, long, from, uat_cancel_t, cancel, uat_atomic_t *, found)
{
    for (long i = from; i < from + PART; i++) {
        if (i % 1024 == 0 && uat_cancelled(cancel)) /* another task has found a divisor */
            return;
        if (n % i == 0) {
            uat_atomic_store(found, (uint64_t)i);
            uat_group_cancel(cancel);
            return;
        }
    }
}

UAT_TASK(long, divisor, long, n)
{
    uat_group_t group;
    uat_atomic_t *found = UAT_GLOBAL_NEW(uat_atomic_t);
    uat_atomic_store(found, 0);
    uat_group_begin(&group);
    uat_cancel_t cancel = uat_group_make_cancellable(&group);
    for (long from = 2; from <= n / from; from += PART)
        divide_group_spawn(&group, n, from, cancel, found); /* starts no task once the group is cancelled */
    uat_group_wait(&group);
    long answer = (long)uat_atomic_load(found);
    uat_global_object_free(found);
    return answer;
}

int main(void)
{
    long n = 700001L * 1299709, answer;
    if (uat_init() < 0 || uat_global_open() < 0 || divisor_run(&answer, n) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("%ld divides %ld\n", answer, n);
    return uat_finalize() < 0;
}
