/* SPDX-License-Identifier: MIT */
#include "base/flush.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { FLUSH_SECONDS = 1 };

void uat_flush(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    alarm(FLUSH_SECONDS);
    fflush(NULL);
    alarm(0);
}
