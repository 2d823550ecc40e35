/* SPDX-License-Identifier: MIT */
/*
 * uatrun is two processes, the guard and its child. The user sees and signals the guard. The child runs the job. If one
 * of the two is killed, the other one ends all processes of the workers.
 */
#ifndef UAT_LAUNCHER_GUARD_H
#define UAT_LAUNCHER_GUARD_H

#include "launcher/arguments.h"

/* Run the job in its own process, and pass signals on to it. Start it again after a loss (--again), or with another
 * number of workers (--resize). Returns its exit status. */
int uat_guard_run(struct uat_arguments *arguments);

#endif
