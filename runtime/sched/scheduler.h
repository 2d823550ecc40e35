/* SPDX-License-Identifier: MIT */
#ifndef UAT_SCHEDULER_H
#define UAT_SCHEDULER_H

#include <stddef.h>

#include "include/uat.h"

/* Start the root task on this worker's empty region. Work until the run has ended; the root may end on another
 * worker. */
void uat_schedule_root(uat_fn *root, const void *arg, size_t arg_size, size_t result_size);

/* Run a chain whose stacks are in place, as far as this worker can. The worker's deque must be empty. */
struct uat_chain;
void uat_schedule_chain(const struct uat_chain *chain);

/* Steal and run until the run is over. */
void uat_schedule(void);

/* Describe in one line what this worker has and has done. May be called by a signal handler. */
void uat_schedule_describe(char *text, size_t size);

/*
 * Requests of uatrun (base/control.h) to rank 0: how many workers take part, and how many shall. A signal tells rank 0
 * that a request has arrived, SIGURG: without a handler it has no effect. The handler answers questions. A new limit
 * needs operations on other workers, so it waits for rank 0's next slow path, or for the next run.
 */

/* Take requests from now on, on rank 0 of a job that a uatrun has started. If the program itself catches SIGURG,
 * requests wait for the beginning of a run. Returns 0. */
int uat_control_open(void);
void uat_control_close(void);

/* A run begins on this worker: take the requests that have arrived. */
void uat_control_run(void);

#endif
