/* SPDX-License-Identifier: MIT */
/*
 * Description: under the message protocol, a victim that does not check for requests delays no other worker. Rank 0
 * offers a continuation, and then runs a task without spawns. During this task rank 0 is stopped (SIGSTOP). The other
 * workers send requests, withdraw them, and finish their own work. Afterwards rank 0 gives the continuation away or
 * keeps it. Either way the answer must be right. The program needs 2 or more workers on one host.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uat.h"

enum { RUNS = 3, MOST_RUNS = 50 /* until a thief waits in vain */, STOPPED_US = 200000 };

/* Stop this process for STOPPED_US. */
static void stop_for_a_while(void)
{
    pid_t self = getpid(), helper = fork();
    if (helper == 0) {
        while (getppid() == self) { /* repeated, because the first SIGCONT may arrive before the process has stopped */
            usleep(STOPPED_US);
            kill(self, SIGCONT);
        }
        _exit(0);
    }
    raise(SIGSTOP);
    kill(helper, SIGKILL);
    waitpid(helper, NULL, 0);
}

UAT_TASK(long, leaf, long, n)
{
    stop_for_a_while();
    return n;
}

UAT_TASK(long, tree, long, depth)
{
    if (depth == 0)
        return 1;
    tree_task left;
    tree_spawn(&left, depth - 1);
    long right = tree(depth - 1);
    return tree_join(&left) + right;
}

/* Two continuations are on offer while the leaf runs. */
UAT_TASK(long, middle, long, n)
{
    leaf_task child;
    leaf_spawn(&child, n);
    long more = tree(8);
    return leaf_join(&child) + more;
}

UAT_TASK(long, root, long, n)
{
    middle_task child;
    middle_spawn(&child, n);
    long more = tree(8);
    return middle_join(&child) + more;
}

int main(void)
{
    uat_stats_detail_t s = {0};
    int wrong = 0;
    if (uat_init())
        return 1;
    for (long run = 0; run < RUNS || (run < MOST_RUNS && s.requests_withdrawn == 0); run++) {
        long answer = 0;
        if (root_run(&answer, run) || uat_barrier() || uat_stats_detail_total(&s))
            return 1;
        wrong += uat_rank() == 0 && answer != run + 2 * 256;
    }
    if (uat_rank() == 0 && s.requests_withdrawn == 0) {
        fprintf(stderr, "deaf: nobody had to withdraw a request; %" PRIu64 " given, %" PRIu64 " refused\n", s.given,
                s.requests_refused);
        wrong++;
    }
    return uat_finalize() || wrong;
}
