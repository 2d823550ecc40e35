/* SPDX-License-Identifier: MIT */
#include "launcher/stops.h"

#include "launcher/launcher.h"

#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

void uat_stops_note(struct uat_child *child, int status, double now)
{
    if (WIFSTOPPED(status)) {
        child->stopped = now;
        child->stop_signal = WSTOPSIG(status);
        return;
    }
    child->stopped = 0;
    if (child->stop_said)
        uat_say("rank %d goes on", child->rank);
    child->stop_said = false;
}

void uat_stops_restart(struct uat_child *children, int n, double now)
{
    for (int i = 0; i < n; i++)
        if (children[i].stopped > 0)
            children[i].stopped = now;
}

bool uat_stops_check(struct uat_child *children, const struct uat_arguments *arguments, const char *host, double now)
{
    for (int i = 0; i < arguments->workers; i++) {
        struct uat_child *child = &children[i];
        double seconds = now - child->stopped;
        if (child->pid == 0 || child->stopped == 0)
            continue;
        if (arguments->stall_limit > 0 && seconds >= arguments->stall_limit) {
            uat_say(
                "rank %d on %s, pid %d, has been stopped for %.0f s by signal %d (%s); UAT_STALL_LIMIT=%d is reached, "
                "the job ends",
                child->rank, host, (int)child->pid, seconds, child->stop_signal, strsignal(child->stop_signal),
                arguments->stall_limit);
            return true;
        }
        if (arguments->stall_timeout > 0 && seconds >= arguments->stall_timeout && !child->stop_said) {
            child->stop_said = true;
            uat_say("rank %d on %s, pid %d, has been stopped for %.0f s by signal %d (%s); the run goes on when it is "
                    "continued: "
                    "kill -CONT %d",
                    child->rank, host, (int)child->pid, seconds, child->stop_signal, strsignal(child->stop_signal),
                    (int)child->pid);
        }
    }
    return false;
}

double uat_stops_due(const struct uat_child *children, const struct uat_arguments *arguments)
{
    double due = 0;
    for (int i = 0; i < arguments->workers; i++) {
        const struct uat_child *child = &children[i];
        if (child->pid == 0 || child->stopped == 0)
            continue;
        const int limits[] = {child->stop_said ? 0 : arguments->stall_timeout, arguments->stall_limit};
        for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++)
            if (limits[k] > 0 && (due == 0 || child->stopped + limits[k] < due))
                due = child->stopped + limits[k];
    }
    return due;
}
