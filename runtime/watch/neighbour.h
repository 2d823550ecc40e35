/* SPDX-License-Identifier: MIT */
/*
 * Whether a worker of the same machine has been stopped (SIGSTOP, SIGTSTP). uatrun sees that of its workers; other
 * launchers do not, and a job whose work is held by a stopped worker would be idle for ever. So the workers of a machine
 * watch each other, in a ring: each the next one, whenever it waits. A worker that is alone on its machine has no watch.
 */
#ifndef UAT_NEIGHBOUR_H
#define UAT_NEIGHBOUR_H

#include "base/options.h"
#include "runtime/start/roster.h"

/* Whom to watch, from what the workers published; nobody if the launcher does it. */
void uat_neighbour_open(const struct uat_options *options, const struct uat_roster *roster, const char *launcher);

/* Called again and again while this worker waits: looks once a second. Reports one that has been stopped for
 * UAT_STALL_TIMEOUT, ends the job after UAT_STALL_LIMIT. */
void uat_neighbour_look(void);

#endif
