/* SPDX-License-Identifier: MIT */
/* What a simulation costs in reality: processor time, memory, start-up. Told at its end by UAT_LOG=info. */
#ifndef UAT_SIM_COST_H
#define UAT_SIM_COST_H

#include "transport_sim/world.h"

/* Moments: the first fork comes; the last worker is there; a worker leaves, of which the first one counts. */
void uat_sim_cost_begin(struct sim_world *world);
void uat_sim_cost_started(struct sim_world *world);
void uat_sim_cost_left(struct sim_world *world);

/* By each worker, when the simulation begins and when it leaves: add its processor time so far to a sum of all. */
void uat_sim_cost_add(uint64_t *sum);

/* By the first worker that leaves, when all others still live: what memory they take. Without UAT_LOG=info nothing. */
void uat_sim_cost_memory(struct sim_world *world);

/* By the keeper, when it has waited for all workers. executed: ns of processor time of its executor. */
void uat_sim_cost_tell(const struct sim_world *world, uint64_t executed);

#endif
