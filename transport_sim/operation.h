/* SPDX-License-Identifier: MIT */
/* Executes operations, from the post of a chain to its completion. */
#ifndef UAT_SIM_OPERATION_H
#define UAT_SIM_OPERATION_H

#include "transport_sim/world.h"

/* Execute a queue item that is not a worker. */
void uat_sim_operate(const struct sim_item *item);

/* One of this worker's free chains, or NULL. Sets *number to the number by which queue items refer to the chain. */
struct sim_chain *uat_sim_chain_get(uint32_t *number);

/* Post the chain: it is now in flight from this worker. Adds its operations to the queue. */
void uat_sim_chain_launch(struct sim_chain *chain, uint32_t number);

/* This worker now does something else while its chains are in flight. Record that its later waits are not for these
 * chains. A waiting worker checks its condition again whenever it is woken. So this call affects only when the worker
 * wakes, not what the worker sees. */
void uat_sim_chain_turn_away(void);

#endif
