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

#endif
