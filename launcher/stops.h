/* SPDX-License-Identifier: MIT */
/*
 * Workers that a signal has stopped, for example SIGSTOP. Without these workers the job soon stalls, and a stopped
 * worker cannot report its stop. uatrun reports the stop after UAT_STALL_TIMEOUT, and ends the job after
 * UAT_STALL_LIMIT. uatrun does not see stops by a debugger.
 */
#ifndef UAT_LAUNCHER_STOPS_H
#define UAT_LAUNCHER_STOPS_H

#include <stdbool.h>

#include "launcher/arguments.h"
#include "launcher/child.h"

/* Note that a worker was stopped or continued, as `status` from waitpid() says. */
void uat_stops_note(struct uat_child *child, int status, double now);

/* Called after uatrun itself was stopped and continued: restart the workers' timers. */
void uat_stops_restart(struct uat_child *children, int n, double now);

/* Report workers that have been stopped for too long. Returns true if a stop exceeds the limit. In that case it has
 * also reported that the job must end. */
bool uat_stops_check(struct uat_child *children, const struct uat_arguments *arguments, const char *host, double now);

/* The time at which uat_stops_check() must be called next; 0 = not before the next event. */
double uat_stops_due(const struct uat_child *children, const struct uat_arguments *arguments);

#endif
