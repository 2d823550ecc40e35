/* SPDX-License-Identifier: MIT */
/* Carries out operations, from the post of a chain to its completion. */
#ifndef UAT_SIM_OPERATION_H
#define UAT_SIM_OPERATION_H

#include "transport_sim/world.h"

/* Carry out a queue item that is not a worker. */
void uat_sim_operate(const struct sim_item *item);

/* One of this worker's free chains, or NULL. *number: the number by which queue items refer to it. */
struct sim_chain *uat_sim_chain_get(uint32_t *number);

/* Post the chain: from now on it is in flight from this worker. Adds its operations to the queue. */
void uat_sim_chain_launch(struct sim_chain *chain, uint32_t number);

/* Note that this worker does something else while its chains are in flight. If it waits later, it does not wait for
 * these chains. A waiting worker looks again whenever it is woken, so this decides when the worker is woken, not what
 * it sees. */
void uat_sim_chain_turn_away(void);

#endif
