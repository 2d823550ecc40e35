/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/request.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/virtual.h"
#include "include/uat/checkpoint.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/checkpoint/survive.h"
#include "runtime/job/lost.h"
#include "runtime/job/self.h"
#include "runtime/task/fork.h"
#include "runtime/sched/stop.h"

enum { AGAIN_SECONDS = 1 /* time until a refused request to end the job is made again */ };

static bool caught, clocked;
static bool theirs;                  /* the program itself catches SIGUSR2 */
static volatile sig_atomic_t termed; /* a first SIGTERM has arrived */
static volatile sig_atomic_t ends;   /* a request to end the job was refused; the clock repeats the request */
static timer_t clock_timer;
static struct timespec due; /* when the clock asks next, in CLOCK_MONOTONIC; 0: never */
static bool runs;           /* a run is open; outside of runs the clock is stopped, because it would cut a sleep() */

/* Note a signal. Only rank 0 does, because uatrun and srun send the signal to all workers. */
static void take_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if (!uat_survive_signal(info) && uat_self.rank == 0 && uat_checkpoint_settings.folder[0])
        uat_stop_note(ends || info->si_code != SI_TIMER);
}

/* The first SIGTERM asks for a checkpoint; the second SIGTERM ends this worker. Every rank treats the signal as a
 * request, because the sender may have chosen any process of the job. With sigterm=leave, the signal asks only this
 * worker to end, which rank 0 refuses, and uatrun itself asks the whole job by SIGUSR2. */
static bool spare_first(void)
{
    if (termed)
        return false;
    termed = 1;
    if (uat_checkpoint_settings.sigterm == UAT_SIGTERM_LEAVE && uat_self.rank == 0) {
        uat_warn("SIGTERM: rank 0 cannot leave the job; send it to uatrun to end the job, or to another worker");
        return true;
    }
    uat_stop_note(true);
    return true;
}

bool uat_request_leaves(void)
{
    return termed && uat_checkpoint_settings.sigterm == UAT_SIGTERM_LEAVE && uat_self.rank > 0 && !UAT_IS_VIRTUAL();
}

int uat_request_catch(void)
{
    struct sigaction previous, action = {.sa_sigaction = take_signal, .sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK};
    if (uat_checkpoint_settings.folder[0] == 0 && uat_checkpoint_settings.survive == 0)
        return 0;
    sigaction(SIGUSR2, NULL, &previous);
    theirs = (previous.sa_flags & SA_SIGINFO) || (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
    if (theirs)
        return 0;
    sigset_t held; /* the signals that uatrun blocks */
    sigemptyset(&held);
    sigaddset(&held, SIGUSR2);
    sigemptyset(&action.sa_mask);
    caught = sigaction(SIGUSR2, &action, NULL) == 0;
    pthread_sigmask(SIG_UNBLOCK, &held, NULL);
    return 0;
}

bool uat_request_is_caught(void)
{
    return caught;
}

void uat_request_release(void)
{
    if (caught) /* a late signal must not end the process */
        signal(SIGUSR2, SIG_IGN);
    caught = false;
}

int uat_request_spare(void)
{
    if (uat_checkpoint_settings.sigterm != UAT_SIGTERM_END && !uat_checkpoint_settings.folder[0]) {
        if (uat_self.rank == 0)
            uat_warn(
                "checkpoint: sigterm= does nothing without a folder: set UAT_CHECKPOINT=FOLDER,sigterm=..., or use "
                "uatrun --resizable");
        return 0;
    }
    bool spares = uat_checkpoint_settings.sigterm == UAT_SIGTERM_END || uat_lost_spare(spare_first);
    if (!spares && uat_self.rank == 0)
        uat_warn("checkpoint: the program itself catches SIGTERM, so UAT_CHECKPOINT=...,sigterm= does nothing");
    return 0;
}

/* Let the clock ask when it is due, or at once if it was due outside of runs. */
static void set_clock(void)
{
    const struct itimerspec at = {.it_value = runs ? due : (struct timespec){0}};
    if (clocked)
        timer_settime(clock_timer, TIMER_ABSTIME, &at, NULL);
}

static void start_clock(void)
{
    int seconds = ends ? AGAIN_SECONDS : (int)uat_checkpoint_settings.every;
    due = (struct timespec){0};
    if (seconds > 0) {
        clock_gettime(CLOCK_MONOTONIC, &due);
        due.tv_sec += seconds;
    }
    set_clock();
}

void uat_request_in_run(bool on)
{
    runs = on;
    set_clock();
}

int uat_request_open(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
    event._sigev_un._tid = gettid();
    if (uat_self.rank > 0)
        return 0;
    if (theirs)
        uat_warn("checkpoint: the program itself catches SIGUSR2, so neither SIGUSR2 nor every= asks for a checkpoint, "
                 "nor SIGTERM "
                 "to uatrun with sigterm=leave");
    if (!caught || (uat_checkpoint_settings.every == 0 && UAT_IS_VIRTUAL()))
        return 0;
    if (timer_create(CLOCK_MONOTONIC, &event, &clock_timer)) {
        uat_error("checkpoint: no timer: %s", strerror(errno));
        return -errno;
    }
    clocked = true;
    start_clock();
    return 0;
}

void uat_request_close(void)
{
    if (clocked)
        timer_delete(clock_timer);
    clocked = false;
    ends = 0;
}

void uat_request_done(bool end)
{
    if (end)
        ends = 0;
    start_clock();
}

bool uat_request_refused(bool end)
{
    if (end && clocked && !UAT_IS_VIRTUAL())
        ends = 1;
    start_clock();
    return ends;
}

int uat_checkpoint(int flags)
{
    if (flags & ~UAT_CHECKPOINT_END) {
        uat_error("uat_checkpoint() was given unknown flags: 0x%x", (unsigned)flags);
        return -EINVAL;
    }
    if (!uat_stop_on || !uat_checkpoint_settings.folder[0])
        return -ENOTSUP;
    if (uat_fork_is_child) {
        uat_error("uat_checkpoint() was called in a process made by fork(), which is no worker; call it in the parent");
        return -ENOTSUP;
    }
    uat_stop_ask(flags & UAT_CHECKPOINT_END);
    return 0;
}
