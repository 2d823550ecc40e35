/* SPDX-License-Identifier: MIT */
#include "launcher/blame.h"

#include "base/lost.h"
#include "include/uat/checkpoint.h"
#include "launcher/launcher.h"
#include "launcher/server.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum {
    TOLD_MS = 200, /* time to end after a SIGTERM that names a lost rank */
    TOLD_STEP_MS = 5
};

bool uat_blame_left_checkpoint(const struct uat_child *child)
{
    return WIFEXITED(child->status) && WEXITSTATUS(child->status) == UAT_CHECKPOINT_STATUS &&
           uat_server_presence(child->rank) == UAT_PRESENCE_FINALIZED;
}

enum uat_blame uat_blame_judge(const struct uat_child *child, bool simulated)
{
    if (!WIFEXITED(child->status))
        return UAT_BLAME_CERTAIN;
    if (simulated)
        return WEXITSTATUS(child->status) == 0 ? UAT_BLAME_NONE : UAT_BLAME_CERTAIN;
    enum uat_presence presence = uat_server_presence(child->rank);
    if (WEXITSTATUS(child->status) == 0)
        return presence == UAT_PRESENCE_FINALIZED ? UAT_BLAME_NONE : UAT_BLAME_CERTAIN;
    if (uat_blame_left_checkpoint(child))
        return UAT_BLAME_NONE;
    return presence == UAT_PRESENCE_NONE ? UAT_BLAME_CERTAIN : UAT_BLAME_PERHAPS;
}

/*
 * The worker to blame if all failed workers have exited with a non-zero status. If more than two workers failed, and
 * only one of them has a status that no other ended worker has, return this worker: the others failed in the same
 * fence. Otherwise return the first culprit.
 */
static struct uat_child *odd_one_out(const struct uat_seen *job)
{
    struct uat_child *odd = NULL;
    int failed = 0, odds = 0;
    for (int i = 0; i < job->arguments->workers; i++) {
        struct uat_child *child = &job->children[i];
        int same = 0;
        if (child->pid != 0 || uat_blame_judge(child, false) != UAT_BLAME_PERHAPS)
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

/* Words for the end of the report's line: the stage of its life in which the worker ended. */
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

static bool any_present(const struct uat_seen *job)
{
    for (int i = 0; i < job->arguments->workers; i++)
        if (uat_server_presence(i) != UAT_PRESENCE_NONE)
            return true;
    return false;
}

/* The keeper of a simulation reports how its workers ended. So this function reports only a signal that ended the
 * keeper itself. */
static int blame_simulation(const struct uat_seen *job, const struct uat_child *child)
{
    int signal = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0;
    if (signal && signal == job->told_to_end)
        uat_say("the job was ended by signal %d (%s)", signal, strsignal(signal));
    else if (signal)
        uat_say("the process that simulates the workers was killed by signal %d (%s)", signal, strsignal(signal));
    return exit_code(child->status);
}

static bool is_running(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

/* Give the workers that have got the signal up to TOLD_MS to end. Otherwise the SIGTERM of uat_descendants_end(), which
 * names no rank, could reach another of their threads and end them before the first signal's handler has run. */
static void await_told(const struct uat_seen *job)
{
    const struct timespec step = {.tv_nsec = TOLD_STEP_MS * 1000000L};
    for (int waited = 0; waited < TOLD_MS; waited += TOLD_STEP_MS) {
        bool any = false;
        for (int i = 0; i < job->arguments->workers && !any; i++)
            any = job->children[i].pid > 0 && uat_server_presence(i) == UAT_PRESENCE_CONNECTED &&
                  is_running(job->children[i].pid);
        if (!any)
            return;
        nanosleep(&step, NULL);
    }
}

void uat_blame_tell(const struct uat_seen *job)
{
    if (!job->lost)
        return;
    const union sigval value = {.sival_int = uat_lost_value(job->lost->rank)};
    for (int i = 0; i < job->arguments->workers; i++)
        if (job->children[i].pid > 0 && uat_server_presence(i) == UAT_PRESENCE_CONNECTED)
            sigqueue(job->children[i].pid, SIGTERM, value);
    await_told(job);
}

int uat_blame_worker(struct uat_seen *job)
{
    const struct uat_child *child = job->certain == UAT_BLAME_PERHAPS ? odd_one_out(job) : job->culprit;
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
        job->lost = child;
    int code = exit_code(child->status);
    return code ? code : UAT_STATUS_FAILED;
}

int uat_blame_lost(const struct uat_seen *job)
{
    int lost = job->stopped;
    for (int i = 0; i < job->arguments->workers; i++) {
        const struct uat_child *child = &job->children[i];
        lost += child->pid == 0 && WIFSIGNALED(child->status) && WTERMSIG(child->status) != job->told_to_end;
    }
    return lost;
}

int uat_blame_abort(const struct uat_seen *job, const struct uat_abort *aborted)
{
    int code = aborted->status & 0xff;
    uat_say("rank %d aborted the job with status %d: a uat worker reported an error%s", aborted->rank, aborted->status,
            job->arguments->workers > 1 ? "; the others were ended" : "");
    return code ? code : UAT_STATUS_FAILED;
}
