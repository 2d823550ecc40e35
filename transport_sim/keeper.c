/* SPDX-License-Identifier: MIT */
#include "transport_sim/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "transport_sim/cost.h"
#include "transport_sim/progress.h"
#include "transport_sim/world.h"

static struct {
    struct sim_world *world;
    int forked, living;
    int status; /* status of the job: that of the first worker that did not end with 0 */
    sigset_t original;
    bool failed; /* the executor is ending the job */
} keeper;

/* The signals that the keeper handles. */
static const int signals[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static void send_all(int signal)
{
    for (int i = 0; i < keeper.forked; i++)
        if (keeper.world->worker[i].pid > 0)
            kill(keeper.world->worker[i].pid, signal);
}

/* Kill all workers, wait for them, and exit. Without this, the workers would die only after the keeper. */
static _Noreturn void end(int status)
{
    uat_sim_progress_erase(keeper.world);
    send_all(SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
    _exit(status);
}

static int find(pid_t pid)
{
    for (int i = 0; i < keeper.forked; i++)
        if (keeper.world->worker[i].pid == pid)
            return i;
    return -1;
}

static void tell_replay(char *text, size_t size)
{
    const struct sim_settings *s = &keeper.world->settings;
    text[0] = '\0';
    if (s->seed)
        snprintf(text, size, "; UAT_SIM_SEED=%" PRIu64 " with the same settings repeats it", s->seed);
}

/* Handle the end of a worker. A worker may exit with a status other than 0 even after leaving the simulation. */
static void note_end(int rank, int status)
{
    struct sim_worker *worker = &keeper.world->worker[rank];
    bool in_order = worker->state == SIM_LEFT && WIFEXITED(status);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    char replay[100];
    worker->pid = 0;
    keeper.living--;
    if (code != 0 && keeper.status == 0)
        keeper.status = code;
    if (in_order)
        return;
    uat_sim_progress_erase(keeper.world);
    tell_replay(replay, sizeof(replay));
    if (WIFSIGNALED(status))
        uat_error("rank %d was killed by signal %d (%s) at %" PRIu64 " ns of virtual time; the others were ended%s",
                  rank, WTERMSIG(status), strsignal(WTERMSIG(status)), worker->clock, replay);
    else
        uat_error("rank %d exited with status %d before uat_finalize(), at %" PRIu64
                  " ns of virtual time; the others were ended%s",
                  rank, code, worker->clock, replay);
    end(code ? code : 1);
}

/* End all workers and the keeper. The executor calls this after it has reported why the simulation cannot continue. */
static void fail(void)
{
    char replay[100];
    tell_replay(replay, sizeof(replay));
    uat_error("the workers were ended%s", replay);
    /* Relaxed: pairs with the load in keep(). keep() must not report the workers that end() kills. */
    __atomic_store_n(&keeper.failed, true, __ATOMIC_RELAXED);
    end(1);
}

static void reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        int rank = find(pid);
        if (rank >= 0)
            note_end(rank, status);
    }
}

static _Noreturn void keep(const sigset_t *set)
{
    while (keeper.living > 0) {
        const struct timespec *pause_time = uat_sim_progress_pause();
        int signal = pause_time ? sigtimedwait(set, NULL, pause_time) : sigwaitinfo(set, NULL);
        /* Relaxed: if end() killed a worker, the store in fail() came before the SIGCHLD that reports the worker's end.
         */
        while (__atomic_load_n(&keeper.failed, __ATOMIC_RELAXED))
            pause();
        uat_sim_progress_look(keeper.world);
        if (signal == SIGCHLD)
            reap();
        else if (signal == SIGUSR1 || signal == SIGUSR2)
            send_all(signal);
        else if (signal > 0)
            end(128 + signal);
    }
    uat_sim_progress_erase(keeper.world);
    uat_sim_cost_tell(keeper.world, uat_sim_executor_time());
    _exit(keeper.status);
}

/* Called in a new worker: undo the settings that the keeper has made for itself. */
static void leave_keeper(pid_t parent, int rank)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    sigprocmask(SIG_SETMASK, &keeper.original, NULL);
    int null = rank > 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    if (null >= 0) { /* only rank 0 reads standard input */
        dup2(null, STDIN_FILENO);
        close(null);
    }
}

int uat_sim_keeper_fork(struct sim_world *world)
{
    sigset_t set;
    pid_t parent = getpid();
    keeper.world = world;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaddset(&set, signals[i]);
    uat_sim_cost_begin(world);
    uat_sim_progress_begin();
    sigprocmask(SIG_BLOCK, &set, &keeper.original);
    fflush(NULL); /* without this, every worker would write the buffered output again */
    for (int rank = 0; rank < world->settings.size; rank++) {
        pid_t pid = fork();
        if (pid == 0) {
            leave_keeper(parent, rank);
            return rank;
        }
        if (pid < 0) {
            uat_error("cannot fork worker %d of %d: %s (ulimit -u bounds the number of processes)", rank,
                      world->settings.size, strerror(errno));
            end(1);
        }
        world->worker[rank].pid = pid;
        keeper.forked++;
        keeper.living++;
        uat_sim_progress_look(world);
    }
    uat_sim.fail = fail;
    uat_sim_executor_start();
    keep(&set);
}
