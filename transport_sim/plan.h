/* SPDX-License-Identifier: MIT */
/*
 * Decides when the operations of a chain take effect.
 *
 * Fair: all operations of a chain take effect at the same time. This is the time at which the chain arrives at the
 * target's adapter, or later if the adapter is busy. The chain completes after its service time there and the way back.
 *
 * Adverse (UAT_SIM_SEED): each operation takes effect at its own random time, within the promises of transport.h. An
 * operation takes effect after the operations that are ordered before it (O1, O5). With respect to all other
 * operations, it may take effect in any order (O2, O3). The words of a READ or WRITE move at up to SIM_PARTS different
 * times. order=chain keeps WRITEs and atomics in the order of their chain, as many adapters do.
 */
#ifndef UAT_SIM_PLAN_H
#define UAT_SIM_PLAN_H

#include "transport_sim/world.h"

void uat_sim_plan_fair(struct sim_chain *chain, uint32_t number);
void uat_sim_plan_adverse(struct sim_chain *chain, uint32_t number);

/* Fair: decide when a chain that is posted at `time` leaves the sender's adapter. */
void uat_sim_plan_send(struct sim_chain *chain, uint32_t number, uint64_t time);

/* Fair: returns the time at which a chain that arrives at `time` takes effect. The first call puts the chain into the
 * target adapter's queue. */
uint64_t uat_sim_plan_serve(struct sim_chain *chain, uint64_t time);

/* Returns the time at which the initiator sees the completion of a chain whose last effect was at `time`. */
uint64_t uat_sim_plan_end(const struct sim_chain *chain, uint64_t time);

/* The minimum time between an operation's post and its effect. */
uint64_t uat_sim_plan_lookahead(const struct sim_settings *settings);

/* Allocate the state that keeps this worker's chains to each peer in order. Returns 0 or -ENOMEM. */
int uat_sim_plan_open(int size);
void uat_sim_plan_close(void);

#endif
