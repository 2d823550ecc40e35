/* SPDX-License-Identifier: MIT */
/* The job: all workers from their start to the end of the last one. */
#ifndef UAT_LAUNCHER_JOB_H
#define UAT_LAUNCHER_JOB_H

#include "launcher/arguments.h"

/*
 * Run the job and return uatrun's exit status. When it returns, the first worker that failed has been reported, and no
 * process is left. The job ends at once when the process that holds the other end of the pipe `life` ends. *verdict is
 * set as soon as it is known, before the workers are ended.
 */
struct uat_verdict {
    volatile int status; /* uatrun's exit status */
    volatile int lost; /* workers that were lost: killed by a signal that was not passed on, or stopped for too long */
};
int uat_job_run(const struct uat_arguments *arguments, int life, struct uat_verdict *verdict);

#endif
