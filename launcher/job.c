/* SPDX-License-Identifier: MIT */
/*
 * Run the job and find the worker that failed first. When a worker dies, others may notice it, and may exit before
 * uatrun has reaped the dead worker.
 * - A worker is certainly the cause in three cases: a signal ended it, it ended before it joined the job, or it ended
 *   too early with status 0.
 * - A worker that exits with a non-zero status may have failed only because another worker failed. So uatrun waits
 *   SETTLE_MS for further exits. If more than two workers have failed, and only one of them has a status that no other
 *   worker has, uatrun blames that worker. Otherwise it blames the first worker.
 * To find the first child that ended, uatrun uses the pid in the pending SIGCHLD. waitpid() reports the oldest child
 * first.
 */
#include "launcher/launcher.h"

#include "include/uat/checkpoint.h"
#include "launcher/blame.h"
#include "launcher/child.h"
#include "launcher/live.h"
#include "launcher/server.h"
#include "launcher/signals.h"
#include "launcher/stops.h"
#include "launcher/survival.h"
#include "runtime/checkpoint/settings.h"

#include <errno.h>
#include <numa.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SETTLE_MS = 200, ABORT_SETTLE_MS = 20 };

struct job {
    struct uat_seen seen;
    int running; /* workers not yet reaped */
    int signal_fd, life;
    double settled;       /* when a possible culprit becomes certain */
    double abort_settled; /* when an abort becomes the cause; 0 = there was no abort */
    double deadline;      /* when --timeout ends the job, in seconds of CLOCK_MONOTONIC; 0 = never */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Note that a process has ended, or was stopped or continued. */
static void note_change(struct job *job, pid_t pid, int status)
{
    for (int i = 0; i < job->seen.arguments->workers; i++) {
        struct uat_child *child = &job->seen.children[i];
        if (child->pid != pid)
            continue;
        if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
            uat_stops_note(child, status, now());
            continue;
        }
        if (job->seen.certain == UAT_BLAME_NONE &&
            uat_survival_replace(job->seen.children, job->seen.arguments->workers, child, status))
            return;
        child->pid = 0;
        child->status = status;
        job->running--;
        enum uat_blame blame = uat_blame_judge(child, job->seen.arguments->simulated > 0);
        if (blame > job->seen.certain) {
            if (job->seen.certain == UAT_BLAME_NONE)
                job->settled = now() + SETTLE_MS * 1e-3;
            job->seen.certain = blame;
            job->seen.culprit = child;
        }
        return;
    }
    if (!WIFSTOPPED(status) && !WIFCONTINUED(status))
        uat_survival_note(job->seen.arguments->workers, pid);
}

/* Note all state changes, starting with that of `first`. Orphans of workers are only reaped. */
static void reap(struct job *job, pid_t first)
{
    const int any = WNOHANG | WUNTRACED | WCONTINUED;
    int status;
    pid_t pid = waitpid(first, &status, any);
    if (pid > 0)
        note_change(job, pid, status);
    while ((pid = waitpid(-1, &status, any)) > 0)
        note_change(job, pid, status);
}

static void forward(struct job *job, int signal)
{
    for (int i = 0; i < job->seen.arguments->workers; i++)
        if (job->seen.children[i].pid > 0)
            kill(job->seen.children[i].pid, signal);
}

static void take_signals(struct job *job)
{
    struct signalfd_siginfo info;
    while (read(job->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        int signal = (int)info.ssi_signo;
        if (signal == SIGCHLD) {
            reap(job, (pid_t)info.ssi_pid);
            continue;
        }
        if (uat_signals_ends(signal))
            job->seen.told_to_end = signal;
        if (uat_signals_to_forward(info.ssi_code))
            forward(job, signal);
        if (signal == SIGTSTP)
            raise(SIGSTOP);
        if (signal == SIGTSTP || signal == SIGCONT)
            uat_stops_restart(job->seen.children, job->seen.arguments->workers, now());
    }
}

/* Has the kernel had time to report a worker that ended before the abort? If the end of one worker made
 * another worker abort, that end is the cause of the job's failure. */
static bool abort_is_settled(struct job *job)
{
    if (job->abort_settled == 0)
        job->abort_settled = now() + ABORT_SETTLE_MS * 1e-3;
    return job->running == 0 || now() >= job->abort_settled;
}

/* Is the job over? If so, sets *status to its status. A status other than 0 has been reported. */
static bool ended(struct job *job, int *status)
{
    struct uat_abort aborted;
    if (job->seen.certain != UAT_BLAME_CERTAIN && uat_server_aborted(&aborted)) {
        if (!abort_is_settled(job))
            return false;
        *status = uat_blame_abort(&job->seen, &aborted);
        return true;
    }
    if (job->seen.certain == UAT_BLAME_CERTAIN ||
        (job->seen.certain == UAT_BLAME_PERHAPS && (job->running == 0 || now() >= job->settled))) {
        *status = uat_blame_worker(&job->seen);
        return true;
    }
    if (job->running == 0) {
        *status = uat_blame_left_checkpoint(&job->seen.children[0]) ? UAT_CHECKPOINT_STATUS : 0;
        return true;
    }
    if (job->seen.certain == UAT_BLAME_NONE &&
        uat_stops_check(job->seen.children, job->seen.arguments, job->seen.host, now())) {
        *status = UAT_STATUS_FAILED;
        job->seen.stopped = true;
        return true;
    }
    if (job->deadline > 0 && job->seen.certain == UAT_BLAME_NONE && now() >= job->deadline) {
        uat_say("the job did not end within %g s (--timeout) and was ended", job->seen.arguments->timeout);
        *status = UAT_STATUS_TIMEOUT;
        return true;
    }
    return false;
}

/* Milliseconds until something is due, for poll(); -1 = nothing. */
static int patience(const struct job *job)
{
    double until = job->seen.certain != UAT_BLAME_NONE ? job->settled : job->deadline;
    if (job->abort_settled > 0)
        until = job->abort_settled;
    double stops = uat_stops_due(job->seen.children, job->seen.arguments);
    if (stops > 0 && (until == 0 || stops < until))
        until = stops;
    if (until == 0)
        return -1;
    double ms = (until - now()) * 1e3 + 1; /* rounded up, so that poll() does not spin */
    return ms < 0 ? 0 : ms > 1e6 ? 1000000 : (int)ms;
}

static int watch(struct job *job)
{
    struct pollfd fds[] = {
        {.fd = job->signal_fd, .events = POLLIN},
        {.fd = job->life, .events = POLLIN},
        {.fd = uat_label_fd(), .events = POLLIN},
    };
    int status;
    for (;;) {
        take_signals(job);
        uat_label_pass();
        if (ended(job, &status))
            return status;
        poll(fds, sizeof(fds) / sizeof(fds[0]), patience(job));
        if (fds[1].revents) {
            uat_descendants_kill(SIGKILL); /* the guard was killed: the workers get no time to end */
            return UAT_STATUS_FAILED;
        }
    }
}

/* The number of workers that have left: those that ended with status 0, while rank 0 ended with a checkpoint. Without
 * sigterm=leave these statuses are the program's own. */
static int count_left(const struct job *job)
{
    int left = 0;
    if (uat_checkpoint_settings.sigterm != UAT_SIGTERM_LEAVE || !uat_checkpoint_settings.folder[0])
        return 0;
    for (int i = 1; i < job->seen.arguments->workers; i++)
        left += job->seen.children[i].status == 0;
    return left;
}

/* Close the descriptors for a worker's output; the worker has its own copies of them. */
static void close_output(struct uat_child_plan *plan)
{
    if (plan->output >= 0)
        close(plan->output);
    if (plan->error >= 0)
        close(plan->error);
    plan->output = plan->error = -1;
}

static int start_workers(struct job *job, const int *cores)
{
    const struct uat_arguments *arguments = job->seen.arguments;
    struct uat_child_plan plan = {
        .path = arguments->program, .argv = arguments->argv, .core = -1, .output = -1, .error = -1};
    bool simulated = arguments->simulated > 0;
    plan.core_mask = numa_allocate_cpumask();
    int status = 0;
    for (int rank = 0; rank < arguments->workers && status == 0; rank++) {
        struct uat_child *child = &job->seen.children[rank];
        child->rank = rank;
        plan.env = simulated ? arguments->env : uat_server_environment(rank, arguments->env);
        plan.null_input = rank > 0;
        plan.inherited[0] = rank == 0 ? uat_live_inherited() : -1;
        plan.inherited[1] = simulated ? -1 : uat_server_inherited();
        plan.inherited[2] = uat_survival_inherited();
        /* The simulation itself chooses one core for all its workers. */
        if (arguments->bind != UAT_BIND_NONE && !simulated)
            plan.core = cores[rank];
        if (!plan.env || (arguments->label && uat_label_add(rank, &plan.output, &plan.error)))
            status = UAT_STATUS_FAILED;
        else if (uat_child_start(child, &plan, &status) == 0)
            job->running++;
        close_output(&plan);
    }
    numa_free_cpumask(plan.core_mask);
    return status;
}

int uat_job_run(const struct uat_arguments *arguments, int life, struct uat_verdict *verdict)
{
    struct job job = {.seen.arguments = arguments, .life = life};
    int *cores = calloc((size_t)arguments->workers, sizeof(*cores));
    int status = UAT_STATUS_FAILED;
    gethostname(job.seen.host, sizeof(job.seen.host) - 1);
    uat_descendants_adopt();
    if (uat_child_raise_files(arguments->workers, arguments->label ? UAT_LABEL_FILES : 0) ||
        (arguments->label && uat_label_open(arguments->workers))) {
        free(cores);
        return status;
    }
    job.seen.children = calloc((size_t)arguments->workers, sizeof(*job.seen.children));
    job.signal_fd = signalfd(-1, uat_signals_set(), SFD_CLOEXEC | SFD_NONBLOCK);
    if (!cores || !job.seen.children || job.signal_fd < 0)
        uat_say("cannot start: %s", strerror(errno));
    else if (uat_survival_open(arguments))
        status = UAT_STATUS_FAILED;
    else if (arguments->simulated > 0 ||
             ((arguments->bind == UAT_BIND_NONE ||
               uat_cpus_assign(cores, arguments->workers, arguments->bind == UAT_BIND_CORE) == 0) &&
              uat_server_start(arguments->workers) == 0))
        status = start_workers(&job, cores);
    if (status == 0) {
        job.deadline = arguments->timeout > 0 ? now() + arguments->left : 0;
        status = watch(&job);
        verdict->lost = uat_blame_lost(&job.seen);
        verdict->left = status == UAT_CHECKPOINT_STATUS && job.running == 0 ? count_left(&job) : 0;
        verdict->status = status;
        uat_blame_tell(&job.seen);
    }
    uat_descendants_end();
    uat_label_close();
    free(job.seen.children);
    free(cores);
    return status;
}
