/* SPDX-License-Identifier: MIT */
/* A slow task, and a task that waits for its answer no longer than a millisecond at a time. Both write to one log. */
#include <errno.h>
#include <stdio.h>
#include <uat.h>
#include <uat/channel.h>
#include <uat/limit.h>
#include <uat/lock.h>
#include <uat/sync.h>

UAT_CHANNEL(long, answers);

UAT_TASK_VOID(slow, answers_channel, out)
{
    uat_sleep_for(5000000); /* 5 ms, in which the worker runs other tasks */
    UAT_CRITICAL(log)
    {
        fprintf(stderr, "the answer is on its way\n");
    }
    answers_send(out, 42);
}

UAT_TASK(long, patient, int, tries)
{
    answers_channel in = answers_create(1);
    slow_task t;
    long answer = 0;
    slow_spawn(&t, in);
    while (uat_channel_receive_for(in.channel, &answer, 1000000) == -ETIMEDOUT) {
        UAT_CRITICAL(log)
        {
            fprintf(stderr, "no answer after wait %d\n", ++tries);
        }
    }
    slow_join(&t);
    answers_destroy(in);
    return answer;
}

int main(void)
{
    long answer;
    if (uat_init() < 0 || patient_run(&answer, 0) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("the answer is %ld\n", answer);
    return uat_finalize() < 0;
}
