/* SPDX-License-Identifier: MIT */
/*
 * uatrun is two processes: the guard, which the user sees and signals, and its child, which runs the job. If either is
 * killed, the other ends all processes of the workers.
 */
#ifndef UAT_LAUNCHER_GUARD_H
#define UAT_LAUNCHER_GUARD_H

#include "launcher/arguments.h"

/* Run the job in a process of its own, pass signals on to it, and return its exit status. */
int uat_guard_run(const struct uat_arguments *arguments);

#endif
