/* SPDX-License-Identifier: MIT */
#include "launcher/signals.h"

#include <stddef.h>

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

static struct {
    sigset_t taken, original_mask;
    struct sigaction pipe, child;
} signals;

void uat_signals_take(void)
{
    sigemptyset(&signals.taken);
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++) {
        struct sigaction now;
        sigaction(forwarded[i], NULL, &now);
        if (now.sa_handler != SIG_IGN) /* nohup, for example, makes SIGHUP ignored */
            sigaddset(&signals.taken, forwarded[i]);
    }
    sigaddset(&signals.taken, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals.taken, &signals.original_mask);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &ignore, &signals.pipe);  /* the reader of a line may have ended */
    sigaction(SIGCHLD, &normal, &signals.child); /* if SIGCHLD were ignored, the workers' statuses would be lost */
}

const sigset_t *uat_signals_set(void)
{
    return &signals.taken;
}

void uat_signals_restore(void)
{
    sigaction(SIGPIPE, &signals.pipe, NULL);
    sigaction(SIGCHLD, &signals.child, NULL);
    sigprocmask(SIG_SETMASK, &signals.original_mask, NULL);
}

void uat_signals_hold(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

bool uat_signals_to_forward(int si_code)
{
    return si_code != SI_KERNEL;
}

bool uat_signals_ends(int signal)
{
    return signal != SIGTSTP && signal != SIGCONT && signal != SIGCHLD;
}
