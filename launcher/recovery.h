/* SPDX-License-Identifier: MIT */
/* The next start of a job: after it has lost workers (uatrun --again), or with another number of workers (--resize). */
#ifndef UAT_LAUNCHER_RECOVERY_H
#define UAT_LAUNCHER_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "launcher/arguments.h"

/* A start of the job: one execution. It lasts until the job ends, has lost workers, or changes its size. */
struct uat_recovery {
    struct uat_arguments arguments; /* of this start */
    int starts;                     /* number of starts so far, this one included */
    uint64_t checkpoint;            /* the newest checkpoint when this start began; 0: none */
    double begun;                   /* when this start began, in seconds since 1970 */
};

/* The first start. */
void uat_recovery_begin(struct uat_recovery *recovery, const struct uat_arguments *arguments);

/*
 * Decide what to do after a start has lost `lost` workers. If `lost` is below 0, the start has lost the job's process.
 * The loss has been reported. Returns whether the job must start again. If so, the function reports where the next
 * start continues and how much work was lost. It also sets the arguments of the next start. The number of workers is
 * that of the remaining workers. If this start has completed a checkpoint, the next start uses the newest one.
 * Otherwise the next start begins as this start did.
 */
bool uat_recovery_next(struct uat_recovery *recovery, int lost);

/* Prepare the next start of a job that has written a checkpoint in order to go on with `workers` workers. Reports it.
 * Returns false after reporting that the checkpoint cannot be found. Such a start does not count against --again. */
bool uat_recovery_resize(struct uat_recovery *recovery, int workers);

#endif
