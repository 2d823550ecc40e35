/* SPDX-License-Identifier: MIT */
/* The real cost of a simulation: processor time, memory, start-up. UAT_LOG=info reports it at the end. */
#ifndef UAT_SIM_COST_H
#define UAT_SIM_COST_H

#include "transport_sim/world.h"

/* These three take the time: before the first fork, when the last worker has arrived, and when the first worker
 * leaves. */
void uat_sim_cost_begin(struct sim_world *world);
void uat_sim_cost_started(struct sim_world *world);
void uat_sim_cost_left(struct sim_world *world);

/* Add this worker's processor time so far to a common sum. Each worker calls it when the simulation starts and when it
 * leaves. */
void uat_sim_cost_add(uint64_t *sum);

/* Measure the memory of all workers. The first worker to leave calls it, because all are still alive then. Needs
 * UAT_LOG=info. */
void uat_sim_cost_memory(struct sim_world *world);

/* Report. The keeper calls it when all workers have ended. executed: processor time of its executor in ns. */
void uat_sim_cost_tell(const struct sim_world *world, uint64_t executed);

#endif
