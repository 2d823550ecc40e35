/* SPDX-License-Identifier: MIT */
/* A rival of uat-flow runs the same sequences of tasks with another system. */
#ifndef RIVALS_FLOW_H
#define RIVALS_FLOW_H

#include <stdbool.h>

#include "perf/flow.h"

/* Start the system with this number of workers. The tasks access data[3 * FLOW_TASKS]. On failure, prints a line and
 * returns false. */
bool rival_begin(int workers, long *data);
/* Run a sequence, and wait for its tasks. Returns false if the rival does not have this sequence. */
bool rival_run(enum flow_kind kind);
void rival_end(void);

#endif
