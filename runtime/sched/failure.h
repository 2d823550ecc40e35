/* SPDX-License-Identifier: MIT */
/* The scheduler's side of tasks that an exception has left: see include/uat/detail/failure.h and join.h. */
#ifndef UAT_SCHED_FAILURE_H
#define UAT_SCHED_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat/detail/failure.h"

/* Reserve the local buffers of failures in the segment. */
void uat_failure_reserve(void);

/* Ends the job if the running task has failed. what: this task's kind, such as "a data-flow task"; nobody takes the
 * failure of such a task. */
void uat_failure_refuse(const char *what);

/* Called when the running task has failed and ends. The task has parted from its spawner, although the spawner is on
 * this worker. Leaves the failure in this worker's record `name`. The task arrives at the record before its spawner. */
void uat_failure_leave(uint64_t name);

/* Called by the second of child and joiner to arrive: subtracts UAT_RECORD_FAILED from the record's state. If `take` is
 * true, the running task is the joiner. This joiner fails with the failure in the record. */
void uat_failure_settle(uint64_t name, bool take);

#endif
