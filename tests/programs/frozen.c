/* SPDX-License-Identifier: MIT */
/*
 * Description: stealing is one-sided. Rank 0 stops itself (SIGSTOP) in a task before any other worker starts to steal.
 * Its continuation must be stolen nevertheless. On its new worker the continuation sees that rank 0 is stopped, and
 * sends SIGCONT. The answer must be right. For 2 workers on one host.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/process.h"
#include "uat.h"

enum { THIEF_COMES_US = 500000, CHILD_ANSWER = 42 };

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

/* The root. Returns the child's answer, or a negative error number. */
UAT_TASK(long, root, long, victim)
{
    stop_itself_task child;
    stop_itself_spawn(&child, CHILD_ANSWER);
    char state = state_of((pid_t)victim);
    int rank = uat_rank();
    kill((pid_t)victim, SIGCONT);
    long answer = stop_itself_join(&child);
    if (rank == 0)
        return -1;
    return state == 'T' ? answer : -2;
}

int main(void)
{
    long answer = 0;
    if (uat_init())
        return 1;
    if (uat_rank() != 0)
        usleep(THIEF_COMES_US);
    if (root_run(&answer, getpid())) /* only rank 0's argument is used */
        return 1;
    if (uat_rank() == 0 && answer != CHILD_ANSWER)
        fprintf(stderr, "frozen: %s\n",
                answer == -1   ? "the continuation was not stolen"
                : answer == -2 ? "the victim was not stopped when the continuation ran"
                               : "wrong answer");
    return uat_finalize() || answer != CHILD_ANSWER;
}
