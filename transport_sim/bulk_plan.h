/* SPDX-License-Identifier: MIT */
/*
 * Decides when bulk operations take effect. The plan is fair or adverse, as for chains (plan.h), and keeps the promises
 * of transport/bulk.h.
 *
 * For each worker the world has a table of its operations in flight, with a buffer for each operation's bytes. Posting
 * a WRITE copies the bytes to the buffer, and the effect copies them from there to the home's memory. The effect of a
 * READ copies the bytes from the home's memory to the buffer, and the initiator copies them to its own memory when it
 * sees the completion. So no other process accesses the initiator's memory.
 */
#ifndef UAT_SIM_BULK_PLAN_H
#define UAT_SIM_BULK_PLAN_H

#include "transport_sim/world.h"

/* The state of a link, private to the initiator. */
struct sim_bulk_line {
    uint64_t effect[3]; /* time at which the latest READ, WRITE and atomic take effect */
    uint64_t end;       /* time at which the initiator sees the latest completion */
};

/* Add an operation to the queue. number: its index in the table. */
void uat_sim_bulk_plan(struct sim_bulk *op, uint32_t number, struct sim_bulk_line *line);

/* Execute a queue item of a bulk operation: an effect or a completion. */
void uat_sim_bulk_operate(const struct sim_item *item);

#endif
