/* SPDX-License-Identifier: MIT */
/* uatrun --again: how a job goes on after it has lost workers. */
#ifndef UAT_LAUNCHER_RECOVERY_H
#define UAT_LAUNCHER_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "launcher/arguments.h"

/* A start of the job. */
struct uat_recovery {
    struct uat_arguments arguments; /* of this start */
    int starts;                     /* so far, with this one */
    uint64_t checkpoint;            /* the newest one when this start began; 0: none */
    double begun;                   /* when this start began, in seconds since 1970 */
};

/* The first start. */
void uat_recovery_begin(struct uat_recovery *recovery, const struct uat_arguments *arguments);

/*
 * A start has lost `lost` workers, or, if it is below 0, its own process, which has been reported. If there may be
 * another one, report from where it goes on and how much work was lost, and set the arguments: the workers that are
 * left, and the newest checkpoint if this start has completed one; otherwise the next start begins as this one did.
 * Returns whether there is to be another start.
 */
bool uat_recovery_next(struct uat_recovery *recovery, int lost);

#endif
