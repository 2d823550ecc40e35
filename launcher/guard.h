/* SPDX-License-Identifier: MIT */
/*
 * uatrun is two processes: the guard, whom the user sees and signals, and below it the one that runs the job. So
 * whichever of the two is killed, the other is left to end all that the workers have started.
 */
#ifndef UAT_LAUNCHER_GUARD_H
#define UAT_LAUNCHER_GUARD_H

#include "launcher/arguments.h"

/* Run the job in a process of its own, pass signals on to it, and return its exit status. */
int uat_guard_run(const struct uat_arguments *arguments);

#endif
