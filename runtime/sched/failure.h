/* SPDX-License-Identifier: MIT */
/* Tasks that an exception has left, on the scheduler's side: see include/uat/detail/failure.h and join.h. */
#ifndef UAT_SCHED_FAILURE_H
#define UAT_SCHED_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat/detail/failure.h"

/* Reserve the local buffers of failures in the segment. */
void uat_failure_reserve(void);

/* Ends the job if the running task has failed. what: the kind of task whose failure nobody takes, such as "a data-flow
 * task". */
void uat_failure_refuse(const char *what);

/* Called when the running task has failed and ends. The task has parted from its spawner, but the spawner is here.
 * Leaves the failure in this worker's record `name`. The task arrives at the record before its spawner. */
void uat_failure_leave(uint64_t name);

/* Called by the second of child and joiner to arrive: subtracts UAT_RECORD_FAILED from the record's state. If `take` is
 * true, the running task is the joiner, and it fails with the failure that the record holds. */
void uat_failure_settle(uint64_t name, bool take);

#endif
