/* SPDX-License-Identifier: MIT */
/*
 * Decides when the operations of a chain take effect.
 *
 * Fair: all operations take effect at one moment, when the chain arrives at the target's adapter, or later if the
 * adapter is busy. The chain's cost there and on the way back decides when it completes.
 *
 * Adverse (UAT_SIM_SEED): each operation takes effect at a moment of its own. The seed chooses it within what
 * transport.h promises: after the operations that are ordered before it (O1, O5), in any order with all others (O2,
 * O3). The words of a READ or WRITE move at up to SIM_PARTS moments. order=chain keeps WRITEs and atomics in the order
 * of their chain, as many adapters do.
 */
#ifndef UAT_SIM_PLAN_H
#define UAT_SIM_PLAN_H

#include "transport_sim/world.h"

void uat_sim_plan_fair(struct sim_chain *chain, uint32_t number);
void uat_sim_plan_adverse(struct sim_chain *chain, uint32_t number);

/* Fair: decide when the chain, which is posted at `time`, leaves the sender's adapter. */
void uat_sim_plan_send(struct sim_chain *chain, uint32_t number, uint64_t time);

/* Fair: returns when the chain, which arrives at `time`, gets its turn at the target's adapter. */
uint64_t uat_sim_plan_serve(struct sim_chain *chain, uint64_t time);

/* Returns when the chain's completion is seen, given that its last effect was at `time`. */
uint64_t uat_sim_plan_end(const struct sim_chain *chain, uint64_t time);

/* The least time between an operation's post and its effect. */
uint64_t uat_sim_plan_lookahead(const struct sim_settings *settings);

/* Allocate the moments that the next chain to each peer must follow. 0 or -ENOMEM. */
int uat_sim_plan_open(int size);
void uat_sim_plan_close(void);

#endif
