/* SPDX-License-Identifier: MIT */
/* The keeper: the process that forks the workers, waits for them, and exits with the job's status. */
#ifndef UAT_SIM_KEEPER_H
#define UAT_SIM_KEEPER_H

#include <stdint.h>

struct sim_world;

/* Fork all workers of the world. Returns in each worker with its rank; never returns in the calling process. */
int uat_sim_keeper_fork(struct sim_world *world);

/*
 * The executor is a thread of the keeper, for simulations of many workers. A worker whose turn ends leaves the next
 * operations to the executor. In such a simulation the executor alone has all segments mapped, so it accesses them
 * without system calls. The executor runs so often that its caches and TLB stay warm. A worker still executes the
 * operations that are due before its own clock. The executor does not change the order of S1.
 */

/* Start the thread if there are more than SIM_MAPPED_MAX workers. The keeper calls this after forking all workers. */
void uat_sim_executor_start(void);

/* The thread's processor time in ns. Only the keeper calls this. */
uint64_t uat_sim_executor_time(void);

#endif
