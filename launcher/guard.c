/* SPDX-License-Identifier: MIT */
#include "launcher/guard.h"

#include "launcher/descendants.h"
#include "launcher/job.h"
#include "launcher/say.h"
#include "launcher/server.h"
#include "launcher/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_VERDICT = -1 };

/* Pass signals on until the job's process has ended; returns its status as from waitpid(). */
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
        if (signal > 0 && uat_signals_to_forward(info.si_code))
            kill(job, signal);
        if (signal == SIGTSTP)
            raise(SIGSTOP);
    }
}

/*
 * Shared memory for the job's status. The job's process stores the status before it ends the workers. Ending them
 * breaks all connections, and then libpmix's thread sometimes crashes (4.2.2, a use after free). The stored status
 * stays valid.
 */
static volatile int *make_verdict(void)
{
    void *p = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    volatile int *verdict = p;
    *verdict = NO_VERDICT;
    return verdict;
}

int uat_guard_run(const struct uat_arguments *arguments)
{
    int life[2]; /* the job's process sees the end of the guard as the end of this pipe */
    volatile int *verdict = make_verdict();
    pid_t job = -1;
    uat_descendants_adopt();
    if (uat_server_make_directory())
        return UAT_STATUS_FAILED;
    if (verdict && pipe2(life, O_CLOEXEC) == 0)
        job = fork();
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
    int status = watch(job);
    uat_server_remove_directory(); /* the job's process may have been killed while it started */
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (*verdict != NO_VERDICT) {
        uat_descendants_end();
        return *verdict;
    }
    uat_say("the process that ran the job was killed by signal %d (%s); all workers were ended", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    uat_descendants_end();
    return 128 + WTERMSIG(status);
}
