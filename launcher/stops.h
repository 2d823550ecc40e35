/* SPDX-License-Identifier: MIT */
/*
 * Workers that have been stopped (SIGSTOP). Nothing goes on without them for long, and they cannot say so: uatrun
 * does, after UAT_STALL_TIMEOUT, and ends the job after UAT_STALL_LIMIT. A debugger's stops are not seen here.
 */
#ifndef UAT_LAUNCHER_STOPS_H
#define UAT_LAUNCHER_STOPS_H

#include <stdbool.h>

#include "launcher/arguments.h"
#include "launcher/child.h"

/* A worker was stopped or continued: status is as from waitpid(). */
void uat_stops_note(struct uat_child *child, int status, double now);

/* uatrun itself was stopped and has been continued, so no worker has been waited for. */
void uat_stops_restart(struct uat_child *children, int n, double now);

/* Report who has been stopped for long. True if one has been for too long: the job is to end, as was said. */
bool uat_stops_check(struct uat_child *children, const struct uat_arguments *arguments, const char *host, double now);

/* When that is to be called next at the latest; 0 = not before something happens. */
double uat_stops_due(const struct uat_child *children, const struct uat_arguments *arguments);

#endif
