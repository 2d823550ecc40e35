/* SPDX-License-Identifier: MIT */
/*
 * Finding the worker that failed first. When a worker dies, the PMIx fences of the others fail, and they may exit
 * before the dead worker can be reaped.
 * - A worker certainly is the cause if it ended by a signal, before it joined the job, or too early with status 0.
 * - A worker that exits with another status may be a consequence. uatrun waits SETTLE_MS for further exits. If all
 * others
 *   agree on their status, it blames the one whose status differs; otherwise it blames the first.
 * A pending SIGCHLD carries the pid of the first child that ended, whereas waitpid() reports the oldest child first.
 */
#include "launcher/job.h"

#include "base/lost.h"
#include "launcher/child.h"
#include "launcher/cpus.h"
#include "launcher/descendants.h"
#include "launcher/label.h"
#include "launcher/say.h"
#include "launcher/server.h"
#include "launcher/signals.h"
#include "launcher/stops.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SETTLE_MS = 200, ABORT_SETTLE_MS = 20 };

enum blame { BLAME_NONE, BLAME_PERHAPS, BLAME_CERTAIN };

struct job {
    const struct uat_arguments *arguments;
    struct uat_child *children;
    int running; /* workers not yet reaped */
    int signal_fd, life;
    int told_to_end;           /* the last signal passed on that asks the job to end */
    struct uat_child *culprit; /* the worker that failed first, as far as is known */
    enum blame blame;          /* how certain the culprit is */
    double settled;            /* when a possible culprit becomes the culprit */
    double abort_settled;      /* when an abort becomes the cause; 0 = there was none */
    double deadline;           /* when --timeout ends the job, in seconds of CLOCK_MONOTONIC; 0 = never */
    char host[256];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum blame judge(const struct uat_child *child, bool simulated)
{
    if (!WIFEXITED(child->status))
        return BLAME_CERTAIN;
    if (simulated)
        return WEXITSTATUS(child->status) == 0 ? BLAME_NONE : BLAME_CERTAIN;
    enum uat_presence presence = uat_server_presence(child->rank);
    if (WEXITSTATUS(child->status) == 0)
        return presence == UAT_PRESENCE_FINALIZED ? BLAME_NONE : BLAME_CERTAIN;
    return presence == UAT_PRESENCE_NONE ? BLAME_CERTAIN : BLAME_PERHAPS;
}

/* Note that a process has ended, or was stopped or continued. */
static void note_change(struct job *job, pid_t pid, int status)
{
    for (int i = 0; i < job->arguments->workers; i++) {
        struct uat_child *child = &job->children[i];
        if (child->pid != pid)
            continue;
        if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
            uat_stops_note(child, status, now());
            continue;
        }
        child->pid = 0;
        child->status = status;
        job->running--;
        enum blame blame = judge(child, job->arguments->simulated > 0);
        if (blame > job->blame) {
            if (job->blame == BLAME_NONE)
                job->settled = now() + SETTLE_MS * 1e-3;
            job->blame = blame;
            job->culprit = child;
        }
    }
}

/* Note all state changes, starting with that of `first`. A worker's orphan is only reaped. */
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
    for (int i = 0; i < job->arguments->workers; i++)
        if (job->children[i].pid > 0)
            kill(job->children[i].pid, signal);
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
            job->told_to_end = signal;
        if (uat_signals_to_forward(info.ssi_code))
            forward(job, signal);
        if (signal == SIGTSTP)
            raise(SIGSTOP);
        if (signal == SIGTSTP || signal == SIGCONT)
            uat_stops_restart(job->children, job->arguments->workers, now());
    }
}

/*
 * Several workers exited with a non-zero status. If all but one of them agree on it, return the one whose status
 * differs. The others have run into the same failed fence.
 */
static struct uat_child *odd_one_out(const struct job *job)
{
    struct uat_child *odd = NULL;
    int failed = 0, odds = 0;
    for (int i = 0; i < job->arguments->workers; i++) {
        struct uat_child *child = &job->children[i];
        int same = 0;
        if (child->pid != 0 || judge(child, false) != BLAME_PERHAPS)
            continue;
        failed++;
        for (int k = 0; k < job->arguments->workers; k++)
            same += job->children[k].pid == 0 && job->children[k].status == child->status;
        if (same == 1) {
            odd = child;
            odds++;
        }
    }
    return odds == 1 && failed > 2 ? odd : job->culprit;
}

static int exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The stage of the worker's life, in words for the end of the report's line. */
static const char *stage_of(const struct uat_child *child)
{
    switch (uat_server_presence(child->rank)) {
    case UAT_PRESENCE_NONE:
        return ", before uat_init()";
    case UAT_PRESENCE_CONNECTED:
        return ", before uat_finalize()";
    case UAT_PRESENCE_FINALIZED:
        break;
    }
    return ", after uat_finalize()";
}

static bool any_present(const struct job *job)
{
    for (int i = 0; i < job->arguments->workers; i++)
        if (uat_server_presence(i) != UAT_PRESENCE_NONE)
            return true;
    return false;
}

/* The keeper of a simulation reports how its workers ended. So report only a signal that ended the keeper itself. */
static int blame_simulation(const struct job *job, const struct uat_child *child)
{
    int signal = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0;
    if (signal && signal == job->told_to_end)
        uat_say("the job was ended by signal %d (%s)", signal, strsignal(signal));
    else if (signal)
        uat_say("the process that simulates the workers was killed by signal %d (%s)", signal, strsignal(signal));
    return exit_code(child->status);
}

/* End the other workers with a SIGTERM that carries the rank of the lost worker. They check in their own memory what
 * the lost worker's tasks held. */
static void tell_loss(const struct job *job, int rank)
{
    const union sigval value = {.sival_int = uat_lost_value(rank)};
    for (int i = 0; i < job->arguments->workers; i++)
        if (job->children[i].pid > 0 && uat_server_presence(i) == UAT_PRESENCE_CONNECTED)
            sigqueue(job->children[i].pid, SIGTERM, value);
}

/* Report which worker failed and how; returns uatrun's status. */
static int blame_worker(const struct job *job)
{
    const struct uat_child *child = job->blame == BLAME_PERHAPS ? odd_one_out(job) : job->culprit;
    const char *others = job->arguments->workers > 1 ? "; the others were ended" : "";
    if (job->arguments->simulated > 0)
        return blame_simulation(job, child);
    if (WIFSIGNALED(child->status)) {
        int signal = WTERMSIG(child->status);
        if (signal == job->told_to_end)
            uat_say("the job was ended by signal %d (%s)", signal, strsignal(signal));
        else
            uat_say("rank %d was killed by signal %d (%s)%s, on %s%s", child->rank, signal, strsignal(signal),
                    stage_of(child), job->host, others);
    } else if (WEXITSTATUS(child->status) != 0) {
        uat_say("rank %d exited with status %d%s, on %s%s", child->rank, WEXITSTATUS(child->status), stage_of(child),
                job->host, others);
    } else if (uat_server_presence(child->rank) == UAT_PRESENCE_NONE && !any_present(job)) {
        uat_say("%s is not a uat program: rank %d exited with status 0 without having called uat_init()",
                job->arguments->argv[0], child->rank);
    } else {
        uat_say("rank %d exited with status 0%s, on %s%s", child->rank, stage_of(child), job->host, others);
    }
    if (!WIFSIGNALED(child->status) || WTERMSIG(child->status) != job->told_to_end)
        tell_loss(job, child->rank);
    int code = exit_code(child->status);
    return code ? code : UAT_STATUS_FAILED;
}

static int blame_abort(const struct job *job, const struct uat_abort *aborted)
{
    int code = aborted->status & 0xff;
    uat_say("rank %d aborted the job with status %d%s%s%s", aborted->rank, aborted->status,
            aborted->message[0] ? ": " : "", aborted->message,
            job->arguments->workers > 1 ? "; the others were ended" : "");
    return code ? code : UAT_STATUS_FAILED;
}

/* Has the kernel had time to report an earlier end? A worker may abort because it noticed the end of another one, which
 * is the real cause. */
static bool abort_is_settled(struct job *job)
{
    if (job->abort_settled == 0)
        job->abort_settled = now() + ABORT_SETTLE_MS * 1e-3;
    return job->running == 0 || now() >= job->abort_settled;
}

/* Is the job over? If so, *status is its status, which has been reported unless it is 0. */
static bool ended(struct job *job, int *status)
{
    struct uat_abort aborted;
    if (job->blame != BLAME_CERTAIN && uat_server_aborted(&aborted)) {
        if (!abort_is_settled(job))
            return false;
        *status = blame_abort(job, &aborted);
        return true;
    }
    if (job->blame == BLAME_CERTAIN || (job->blame == BLAME_PERHAPS && (job->running == 0 || now() >= job->settled))) {
        *status = blame_worker(job);
        return true;
    }
    if (job->running == 0) {
        *status = 0;
        return true;
    }
    if (job->blame == BLAME_NONE && uat_stops_check(job->children, job->arguments, job->host, now())) {
        *status = UAT_STATUS_FAILED;
        return true;
    }
    if (job->deadline > 0 && job->blame == BLAME_NONE && now() >= job->deadline) {
        uat_say("the job did not end within %g s (--timeout) and was ended", job->arguments->timeout);
        *status = UAT_STATUS_TIMEOUT;
        return true;
    }
    return false;
}

/* Milliseconds until something is due, for poll(); -1 = nothing. */
static int patience(const struct job *job)
{
    double until = job->blame != BLAME_NONE ? job->settled : job->deadline;
    if (job->abort_settled > 0)
        until = job->abort_settled;
    double stops = uat_stops_due(job->children, job->arguments);
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
        {.fd = uat_server_abort_fd(), .events = POLLIN},
        {.fd = uat_label_fd(), .events = POLLIN},
    };
    int status;
    for (;;) {
        take_signals(job);
        uat_label_pass();
        if (ended(job, &status))
            return status;
        if (job->abort_settled > 0)
            fds[2].fd = -1; /* it stays readable, so do not poll it again */
        poll(fds, sizeof(fds) / sizeof(fds[0]), patience(job));
        if (fds[1].revents) {
            uat_descendants_kill(SIGKILL); /* the guard was killed: no orderly end is needed */
            return UAT_STATUS_FAILED;
        }
    }
}

static void free_environment(char **env)
{
    for (char **p = env; p && *p; p++)
        free(*p);
    free(env);
}

/* Close the descriptors for a worker's output, of which the worker has its own copies. */
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
    const struct uat_arguments *arguments = job->arguments;
    struct uat_child_plan plan = {
        .path = arguments->program, .argv = arguments->argv, .core = -1, .output = -1, .error = -1};
    bool simulated = arguments->simulated > 0;
    plan.core_mask = numa_allocate_cpumask();
    int status = 0;
    for (int rank = 0; rank < arguments->workers && status == 0; rank++) {
        struct uat_child *child = &job->children[rank];
        child->rank = rank;
        plan.env = simulated ? arguments->env : uat_server_environment(rank, arguments->env);
        plan.null_input = rank > 0;
        if (arguments->bind && !simulated) /* simulated workers run on one core, which the simulation chooses */
            plan.core = cores[rank];
        if (!plan.env || (arguments->label && uat_label_add(rank, &plan.output, &plan.error)))
            status = UAT_STATUS_FAILED;
        else if (uat_child_start(child, &plan, &status) == 0)
            job->running++;
        close_output(&plan);
        if (!simulated)
            free_environment(plan.env);
    }
    numa_free_cpumask(plan.core_mask);
    return status;
}

int uat_job_run(const struct uat_arguments *arguments, int life, volatile int *verdict)
{
    struct job job = {.arguments = arguments, .life = life};
    int *cores = calloc((size_t)arguments->workers, sizeof(*cores));
    int status = UAT_STATUS_FAILED;
    gethostname(job.host, sizeof(job.host) - 1);
    uat_descendants_adopt();
    if (uat_child_raise_files(arguments->workers, arguments->label ? UAT_LABEL_FILES : 0) ||
        (arguments->label && uat_label_open(arguments->workers))) {
        free(cores);
        return status;
    }
    job.children = calloc((size_t)arguments->workers, sizeof(*job.children));
    job.signal_fd = signalfd(-1, uat_signals_set(), SFD_CLOEXEC | SFD_NONBLOCK);
    if (!cores || !job.children || job.signal_fd < 0)
        uat_say("cannot start: %s", strerror(errno));
    else if (arguments->simulated > 0 || ((!arguments->bind || uat_cpus_assign(cores, arguments->workers) == 0) &&
                                          uat_server_start(arguments->workers) == 0))
        status = start_workers(&job, cores);
    if (status == 0) {
        uat_say_alone();
        job.deadline = arguments->timeout > 0 ? now() + arguments->timeout : 0;
        status = watch(&job);
        *verdict = status;
    }
    uat_descendants_end();
    uat_label_close();
    free(job.children);
    free(cores);
    return status;
}
