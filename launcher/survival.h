/* SPDX-License-Identifier: MIT */
/* uatrun's part in surviving the loss of a worker: base/survival.h, runtime/checkpoint/survive.h. */
#ifndef UAT_LAUNCHER_SURVIVAL_H
#define UAT_LAUNCHER_SURVIVAL_H

#include <stdbool.h>

#include "launcher/arguments.h"
#include "launcher/child.h"

/* Make the words that the workers inherit, if UAT_CHECKPOINT asks for survival, and name them in the environment of the
 * workers. Returns 0, or a negative errno after reporting the error. */
int uat_survival_open(const struct uat_arguments *arguments);

/* Their descriptor, which the workers inherit; -1: none. */
int uat_survival_inherited(void);

/* A worker has ended with this status. If the loss can be survived, reports it, lets the worker's spare process take
 * its place in *child, sends the signal to the other workers, and returns true. */
bool uat_survival_replace(struct uat_child *children, int n, struct uat_child *child, int status);

/* A process that is no worker has ended: perhaps a spare process. */
void uat_survival_note(int n, pid_t pid);

#endif
