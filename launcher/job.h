/* SPDX-License-Identifier: MIT */
/* The job: all workers from their start to the end of the last one. */
#ifndef UAT_LAUNCHER_JOB_H
#define UAT_LAUNCHER_JOB_H

#include "launcher/arguments.h"

/*
 * Run the job and return uatrun's exit status. By then the first worker that failed has been reported, and no process
 * is left. The job ends at once when the process that holds the other end of the pipe `life` ends. *verdict gets the
 * status as soon as it is known, before the workers are ended.
 */
int uat_job_run(const struct uat_arguments *arguments, int life, volatile int *verdict);

#endif
