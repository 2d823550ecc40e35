/* SPDX-License-Identifier: MIT */
/*
 * With many workers, the one whose turn ends leaves the operations that come next to the executor, a thread of the
 * keeper. It alone has all segments mapped, so it needs no system call for a word of a segment, and it comes back so
 * often that its caches and translations stay warm. What comes before a worker's own clock the worker does itself. The
 * order of S1 is the same with and without an executor.
 */
#ifndef UAT_SIM_EXECUTOR_H
#define UAT_SIM_EXECUTOR_H

#include <stdint.h>

/* In the keeper, when all workers are forked: start the thread if there are more workers than map each other. */
void uat_sim_executor_start(void);

/* In the keeper: ns of processor time that the thread has taken. */
uint64_t uat_sim_executor_time(void);

#endif
