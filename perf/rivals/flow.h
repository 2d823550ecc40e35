/* SPDX-License-Identifier: MIT */
/* A rival of uat-flow: its sequences of tasks with another system. */
#ifndef RIVALS_FLOW_H
#define RIVALS_FLOW_H

#include <stdbool.h>

#include "perf/flow.h"

/* Start the system with this number of workers, for data[3 * FLOW_TASKS]. Returns false, after a line, if it fails. */
bool rival_begin(int workers, long *data);
/* Run a sequence, and wait for its tasks. Returns false if it has no such sequence. */
bool rival_run(enum flow_kind kind);
void rival_end(void);

#endif
