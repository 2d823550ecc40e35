/* SPDX-License-Identifier: MIT */
/* The job: all workers from their start to the end of the last one. */
#ifndef UAT_LAUNCHER_JOB_H
#define UAT_LAUNCHER_JOB_H

#include "launcher/arguments.h"

/*
 * Run the job and return uatrun's exit status. When this function returns, it has reported the first worker that
 * failed, and no process is left. A process holds the other end of the pipe `life`. When that process ends, the job
 * ends at once. *verdict is set as soon as it is known, before the workers are ended.
 */
struct uat_verdict {
    volatile int status; /* uatrun's exit status */
    volatile int lost;   /* number of lost workers: see uat_blame_lost() */
    volatile int left;   /* number of workers that have left after a SIGTERM, if the job ended with a checkpoint */
};
int uat_job_run(const struct uat_arguments *arguments, int life, struct uat_verdict *verdict);

#endif
