/* SPDX-License-Identifier: MIT */
/* Operations: from the post of a chain to its completion. */
#ifndef UAT_SIM_OPERATION_H
#define UAT_SIM_OPERATION_H

#include "transport_sim/world.h"

/* Carry out an item of the queue that is not a worker. */
void uat_sim_operate(const struct sim_item *item);

/* One of this worker's free chains, or NULL. *number: its name in the queue. */
struct sim_chain *uat_sim_chain_get(uint32_t *number);

/* The chain is under way from this worker from now on: enter its operations. */
void uat_sim_chain_launch(struct sim_chain *chain, uint32_t number);

/* This worker does something else while its chains are under way: who waits from now on does not wait for all of them.
 * Whoever waits looks again each time that it is woken, so this decides on when it is woken, not on what it sees. */
void uat_sim_chain_turn_away(void);

#endif
