/* SPDX-License-Identifier: MIT */
#include "launcher/guard.h"

#include "launcher/descendants.h"
#include "launcher/job.h"
#include "launcher/recovery.h"
#include "launcher/say.h"
#include "launcher/server.h"
#include "launcher/signals.h"
#include "runtime/checkpoint/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_VERDICT = -1 };

static struct {
    bool to_end; /* a signal has asked the job to end: do not start it again */
    bool termed; /* a first SIGTERM has arrived: it asks for a checkpoint; the next one asks the job to end */
    int asked;   /* SIGUSR2 after a signal that asks for a checkpoint and then the end, or 0; a restarted job gets this
                  * signal, too */
} told;

static void note(int signal)
{
    bool spared = signal == SIGTERM && uat_checkpoint_settings.sigterm == UAT_SIGTERM_CHECKPOINT && !told.termed;
    told.termed |= spared;
    if (signal == SIGUSR2 || spared)
        told.asked = SIGUSR2;
    else if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT)
        told.to_end = true;
}

/* Pass signals on until the job's process has ended. Returns the status of this process as from waitpid(). */
static int watch(pid_t job)
{
    for (;;) {
        siginfo_t info;
        int signal = sigwaitinfo(uat_signals_set(), &info);
        if (signal == SIGCHLD) {
            int status;
            pid_t pid;
            while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
                if (pid == job)
                    return status;
            continue;
        }
        if (signal > 0)
            note(signal);
        if (signal > 0 && uat_signals_to_forward(info.si_code))
            kill(job, signal);
        if (signal == SIGTSTP)
            raise(SIGSTOP);
    }
}

/*
 * Shared memory for the job's verdict. The job's process stores the verdict before it ends the workers. Ending the
 * workers breaks all connections, and then libpmix's thread sometimes crashes (4.2.2, a use after free). Even then the
 * stored verdict stays valid.
 */
static struct uat_verdict *make_verdict(void)
{
    void *p = mmap(NULL, sizeof(struct uat_verdict), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Called if the job's process was killed. Returns uatrun's status. If the job was not over, sets *lost to -1. */
static int killed(int signal, const struct uat_verdict *verdict, int *lost)
{
    if (verdict->status == NO_VERDICT) {
        uat_say("the process that ran the job was killed by signal %d (%s); all workers were ended", signal,
                strsignal(signal));
        *lost = -1;
    }
    uat_descendants_end();
    return verdict->status == NO_VERDICT ? 128 + signal : verdict->status;
}

/* Start the job's process, and wait for its end. Returns uatrun's status. *lost: the number of lost workers; 0: the job
 * is over; -1: the job's process was lost. */
static int run(const struct uat_arguments *arguments, struct uat_verdict *verdict, int *lost)
{
    int life[2]; /* when the guard ends, the job's process reads the end of this pipe */
    pid_t job = -1;
    *lost = 0;
    if (uat_server_make_directory())
        return UAT_STATUS_FAILED;
    if (verdict && pipe2(life, O_CLOEXEC) == 0) {
        *verdict = (struct uat_verdict){.status = NO_VERDICT};
        job = fork();
    }
    if (job < 0) {
        uat_say("cannot start: %s", strerror(errno));
        uat_server_remove_directory();
        return UAT_STATUS_FAILED;
    }
    if (job == 0) {
        close(life[1]);
        _exit(uat_job_run(arguments, life[0], verdict)); /* libpmix's exit handlers could hang */
    }
    close(life[0]);
    if (told.asked)
        kill(job, told.asked);
    int status = watch(job);
    close(life[1]);
    uat_server_remove_directory(); /* the job's process may have been killed while it started */
    *lost = verdict->lost;
    return WIFEXITED(status) ? WEXITSTATUS(status) : killed(WTERMSIG(status), verdict, lost);
}

int uat_guard_run(const struct uat_arguments *arguments)
{
    struct uat_verdict *verdict = make_verdict();
    struct uat_recovery recovery;
    int status, lost;
    uat_descendants_adopt();
    uat_recovery_begin(&recovery, arguments);
    do
        status = run(&recovery.arguments, verdict, &lost);
    while (lost && !told.to_end && uat_recovery_next(&recovery, lost));
    return status;
}
