/* SPDX-License-Identifier: MIT */
/*
 * When the operations of a chain take effect.
 *
 * Fair: all at one moment, that of the arrival at the target's adapter, or later when the adapter is busy; what the
 * chain costs there and back decides on its completion.
 *
 * Adverse (UAT_SIM_SEED): each operation at a moment of its own, which the seed chooses within what transport.h
 * promises: behind the operations that are ordered before it (O1, O5), in any order with the others (O2, O3); the words
 * of a READ or a WRITE in up to SIM_PARTS moments. UAT_SIM_ORDER=chain keeps WRITEs and atomics in the order of their
 * chain, as many adapters do.
 */
#ifndef UAT_SIM_PLAN_H
#define UAT_SIM_PLAN_H

#include "transport_sim/world.h"

void uat_sim_plan_fair(struct sim_chain *chain, uint32_t number);
void uat_sim_plan_adverse(struct sim_chain *chain, uint32_t number);

/* Fair: the chain's post is reached, at `time`: when it leaves its adapter. */
void uat_sim_plan_send(struct sim_chain *chain, uint32_t number, uint64_t time);

/* Fair: the chain has arrived at `time`; when its turn at the adapter comes. */
uint64_t uat_sim_plan_serve(struct sim_chain *chain, uint64_t time);

/* All of it has taken effect, the last at `time`: when its completion is seen. */
uint64_t uat_sim_plan_end(const struct sim_chain *chain, uint64_t time);

/* The least time between an operation's post and its effect. */
uint64_t uat_sim_plan_lookahead(const struct sim_settings *settings);

/* Per peer: what the next chain to it must stay behind. 0 or -ENOMEM. */
int uat_sim_plan_open(int size);
void uat_sim_plan_close(void);

#endif
