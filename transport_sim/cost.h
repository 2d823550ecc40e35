/* SPDX-License-Identifier: MIT */
/* The real cost of a simulation: processor time, memory, start-up time. UAT_LOG=info reports it at the end. */
#ifndef UAT_SIM_COST_H
#define UAT_SIM_COST_H

#include "transport_sim/world.h"

/* Record the time. Call uat_sim_cost_begin() before the first fork, uat_sim_cost_started() when the last worker has
 * arrived, and uat_sim_cost_left() when the first worker leaves. */
void uat_sim_cost_begin(struct sim_world *world);
void uat_sim_cost_started(struct sim_world *world);
void uat_sim_cost_left(struct sim_world *world);

/* Add this worker's processor time so far to a sum over all workers. Each worker calls this when the simulation starts,
 * and when it leaves the simulation. */
void uat_sim_cost_add(uint64_t *sum);

/* Measure the memory of all workers. The first worker to leave calls this, while all workers are alive. Does nothing
 * without UAT_LOG=info. */
void uat_sim_cost_memory(struct sim_world *world);

/* Report the cost. The keeper calls this when all workers have ended. executed: processor time of the executor in
 * ns. */
void uat_sim_cost_tell(const struct sim_world *world, uint64_t executed);

#endif
