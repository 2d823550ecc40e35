/* SPDX-License-Identifier: MIT */
/* The keeper: the process that forks the workers, waits for them, and exits with the job's status. */
#ifndef UAT_SIM_KEEPER_H
#define UAT_SIM_KEEPER_H

struct sim_world;

/* Fork all workers of the world. Returns in each worker with its rank; never returns in the calling process. */
int uat_sim_keeper_fork(struct sim_world *world);

#endif
