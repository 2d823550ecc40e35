/* SPDX-License-Identifier: MIT */
/*
 * Description: a program for tests of refused checkpoints. Its run cannot be saved while an interval of
 * uat_adaptive_run() is open. When the interval is open, the program prints a line. The interval stays open for SECONDS
 * after this line. The run ends a minute after its start.
 *
 * usage: obstacle SECONDS
 *        obstacle name      (main() names a channel; no checkpoint is ever possible)
 *        obstacle sleep     (no obstacle: some tasks sleep until the job has restarted)
 *        obstacle fork      (on each worker, forked children of a task ask for a checkpoint, and the job ends)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/fib.h"
#include "uat.h"
#include "uat/adaptive.h"
#include "uat/channel.h"
#include "uat/checkpoint.h"
#include "uat/limit.h"
#include "uat/sync.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void linger(uat_context_t *c, const void *arg, void *result)
{
    double until;
    int64_t begin, end;
    (void)result;
    memcpy(&until, arg, sizeof(until));
    fprintf(stderr, "the obstacle is there\n");
    while (now() < until)
        fib(10);
    while (uat_context_next(c, 1, &begin, &end))
        continue;
}

UAT_TASK(long, root, double, seconds)
{
    double begin = now();
    static const uat_adaptive_t lingering = {.fn = linger, .arg_size = sizeof(double), .mode = UAT_COOPERATIVE};
    double until = begin + seconds;
    uat_adaptive_run(&lingering, NULL, 0, 1, &until, NULL);
    fprintf(stderr, "the obstacle is gone\n");
    while (now() < begin + 60)
        fib(10);
    return 0;
}

enum { SLEEPERS = 3, SLEEP_NS = 1500000000 };

UAT_TASK(long, sleeper, long, number)
{
    uat_sleep_for(SLEEP_NS);
    return number;
}

/* Returns the sum of the sleepers' numbers. */
UAT_TASK(long, sleepers, int, workers)
{
    sleeper_task task[SLEEPERS];
    long sum = 0;
    for (int i = 0; i < SLEEPERS; i++)
        sleeper_spawn_on(&task[i], i % workers, i + 1);
    fprintf(stderr, "the obstacle is there\n");
    for (int i = 0; i < SLEEPERS; i++)
        sum += sleeper_join(&task[i]);
    return sum;
}

/* Returns the number of children whose request was not refused. */
UAT_TASK(long, ask_in_children, int, workers)
{
    long wrong = 0;
    for (int rank = 0; rank < workers; rank++) {
        int status = -1;
        uat_migrate(rank);
        pid_t child = fork();
        if (child == 0)
            _exit(uat_checkpoint(UAT_CHECKPOINT_END) != -ENOTSUP);
        if (child > 0)
            waitpid(child, &status, 0);
        wrong += status != 0;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    long result;
    if (argc != 2 || uat_init() < 0)
        return 1;
    if (strcmp(argv[1], "fork") == 0)
        return ask_in_children_run(&result, uat_size()) < 0 || result != 0 || uat_finalize() < 0;
    if (strcmp(argv[1], "sleep") == 0) {
        if (sleepers_run(&result, uat_size()) < 0)
            return 1;
        if (uat_rank() == 0)
            printf("the sleepers' sum is %ld\n", result);
        return uat_finalize() < 0;
    }
    if (strcmp(argv[1], "name") == 0)
        uat_channel_named("obstacle", 8, 1);
    if (root_run(&result, atof(argv[1])) < 0)
        return 1;
    return uat_finalize() < 0;
}
