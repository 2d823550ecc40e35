/* SPDX-License-Identifier: MIT */
/* The keeper: the process that forks the workers, waits for them, and ends as the job does. */
#ifndef UAT_SIM_KEEPER_H
#define UAT_SIM_KEEPER_H

struct sim_world;

/* Fork all workers of the world. Returns the rank in each of them; the calling process does not come back. */
int uat_sim_keeper_fork(struct sim_world *world);

#endif
