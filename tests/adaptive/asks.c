/* SPDX-License-Identifier: MIT */
/* Description: tasks that explicitly post requests get parts and run them. No iteration is lost if a task cancels a
 * request. */
#include <errno.h>
#include <stdio.h>

#include "uat.h"
#include "uat/adaptive.h"

static void count(uat_context_t *c, const void *arg, void *result)
{
    long sum = 0, more;
    int64_t begin, end;
    (void)arg;
    while (uat_context_next(c, 5, &begin, &end)) {
        uat_sim_work(5000);
        sum += end - begin;
    }
    while (uat_context_merge(c, &more))
        sum += more;
    *(long *)result = sum;
}

/* Get the answer to request i. The task cancels a third of the requests, polls for the answers to another third, and
 * waits for the other answers. */
static int answer(int i)
{
    int rc = -EINPROGRESS;
    for (int looks = 0; i % 3 == 2 && looks < 20 && rc == -EINPROGRESS; looks++) {
        uat_sim_work(3000);
        rc = uat_request_test();
    }
    if (i % 3 == 1 && uat_request_cancel() == 0)
        return -EAGAIN;
    return rc == -EINPROGRESS ? uat_request_wait() : rc;
}

/* Ask the victim up to 50 times; the requests have the numbers from `first` on. Returns whether the task got a part. */
UAT_TASK(int, asks, int, victim, int, first)
{
    for (int i = first; i < first + 50 && uat_rank() != victim; i++) {
        int rc = uat_request_post(victim, &i, sizeof(i));
        if (rc == 0)
            rc = answer(i);
        if (rc == 0) {
            uat_request_run();
            return 1;
        }
        uat_sim_work(3000);
    }
    return 0;
}

UAT_TASK(long, whole, long, n)
{
    const uat_adaptive_t a = {.fn = count, .mode = UAT_COOPERATIVE, .result_size = sizeof(long)};
    asks_task thief[3];
    long sum;
    int home = uat_rank(), given = 0;
    for (int i = 0; i < 3; i++)
        asks_spawn_on(&thief[i], (home + 1 + i) % uat_size(), home, i);
    uat_adaptive_run(&a, NULL, 0, n, NULL, &sum);
    for (int i = 3; i-- > 0;)
        given += asks_join(&thief[i]);
    if (given == 0)
        printf("no part was given to a task\n");
    return given > 0 ? sum : -1;
}

int main(void)
{
    long sum = 0;
    if (uat_init() < 0 || whole_run(&sum, 3000) < 0)
        return 1;
    return uat_finalize() < 0 || sum != 3000;
}
