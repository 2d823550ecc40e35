/* SPDX-License-Identifier: MIT */
/*
 * Description: stealing is one-sided. Rank 0 stops itself (SIGSTOP) in a task before any other worker starts to steal.
 * The spawner's continuation must be stolen nevertheless. On its new worker the continuation sees that rank 0 is
 * stopped, and sends SIGCONT. The answer must be right. If a thief comes before rank 0 has stopped itself, the test
 * tries again. The program needs 2 workers on one host.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/host.h"
#include "uat.h"

enum { THIEF_COMES_US = 500000, TRIES = 20, CHILD_ANSWER = 42, NOT_STOLEN = -1, NOT_STOPPED = -2 };

static char state_of(pid_t pid)
{
    struct uat_process process;
    return uat_process_look(pid, &process) ? process.state : '?';
}

UAT_TASK(long, stop_itself, long, answer)
{
    kill(getpid(), SIGSTOP); /* until the spawner, on another worker, sends SIGCONT */
    return answer;
}

/* The root. Returns the child's answer, NOT_STOLEN, or NOT_STOPPED if the thief came before the victim had stopped. */
UAT_TASK(long, root, long, victim)
{
    stop_itself_task child;
    stop_itself_spawn(&child, CHILD_ANSWER);
    char state = state_of((pid_t)victim);
    int rank = uat_rank();
    while (rank != 0 && state_of((pid_t)victim) != 'T') /* a signal before the victim has stopped would be lost */
        usleep(1000);
    kill((pid_t)victim, SIGCONT);
    long answer = stop_itself_join(&child);
    if (rank == 0)
        return NOT_STOLEN;
    return state == 'T' ? answer : NOT_STOPPED;
}

int main(void)
{
    long answer = NOT_STOPPED;
    if (uat_init())
        return 1;
    for (int i = 0; i < TRIES && answer == NOT_STOPPED; i++) {
        if (uat_rank() != 0)
            usleep(THIEF_COMES_US);
        if (root_run(&answer, getpid())) /* only rank 0's argument is used */
            return 1;
    }
    if (uat_rank() == 0 && answer != CHILD_ANSWER)
        fprintf(stderr, "frozen: %s\n",
                answer == NOT_STOLEN    ? "the continuation was not stolen"
                : answer == NOT_STOPPED ? "the victim was not stopped when the continuation ran"
                                        : "wrong answer");
    return uat_finalize() || answer != CHILD_ANSWER;
}
