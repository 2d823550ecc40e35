/* SPDX-License-Identifier: MIT */
/*
 * Workers that have been stopped (SIGSTOP). The job soon stalls without them, and they cannot report it. uatrun
 * does, after UAT_STALL_TIMEOUT, and ends the job after UAT_STALL_LIMIT. Stops by a debugger are not visible here.
 */
#ifndef UAT_LAUNCHER_STOPS_H
#define UAT_LAUNCHER_STOPS_H

#include <stdbool.h>

#include "launcher/arguments.h"
#include "launcher/child.h"

/* A worker was stopped or continued: status is as from waitpid(). */
void uat_stops_note(struct uat_child *child, int status, double now);

/* uatrun itself was stopped and continued: restart the workers' timers. */
void uat_stops_restart(struct uat_child *children, int n, double now);

/* Report workers that are stopped for long. True if one exceeds the limit: the job must end, as reported. */
bool uat_stops_check(struct uat_child *children, const struct uat_arguments *arguments, const char *host, double now);

/* The latest time of the next call; 0 = none is needed before an event. */
double uat_stops_due(const struct uat_child *children, const struct uat_arguments *arguments);

#endif
