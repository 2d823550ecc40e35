/* SPDX-License-Identifier: MIT */
/*
 * uatrun is two processes: the guard, which the user sees and signals, and its child, which runs the job. If one of
 * them is killed, the other one ends all processes of the workers.
 */
#ifndef UAT_LAUNCHER_GUARD_H
#define UAT_LAUNCHER_GUARD_H

#include "launcher/arguments.h"

/* Run the job in its own process, pass signals on to it, and return its exit status. */
int uat_guard_run(const struct uat_arguments *arguments);

#endif
