/* SPDX-License-Identifier: MIT */
/* How this worker starts, step by step. */
#ifndef UAT_STARTUP_H
#define UAT_STARTUP_H

#include "runtime/meeting.h"
#include "runtime/steps.h"

/* End this worker cleanly, after a checkpoint that ends the job. All other workers must call this, too. Calls
 * exit(status), or exit(EXIT_FAILURE) if this fails. */
_Noreturn void uat_job_leave(int status) __attribute__((visibility("hidden")));

/* The steps of the start, in order. */
extern const struct uat_step uat_startup_steps[] __attribute__((visibility("hidden")));
extern const size_t uat_startup_count __attribute__((visibility("hidden")));

#endif
