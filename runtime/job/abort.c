/* SPDX-License-Identifier: MIT */
#include "runtime/job/bootstrap.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 2 };

static struct {
    int status;
    void (*unanswered)(void);
} bound;

static void end(int number)
{
    (void)number;
    if (bound.unanswered)
        bound.unanswered();
    _exit(bound.status);
}

void uat_abort_bound(int status, void (*unanswered)(void))
{
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_ONSTACK};
    sigset_t set;
    bound.status = status;
    bound.unanswered = unanswered;
    sigemptyset(&action.sa_mask);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    if (sigaction(SIGALRM, &action, NULL) == 0 && pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0)
        alarm(PATIENCE_SECONDS);
}

void uat_abort_answered(void)
{
    alarm(0);
}
