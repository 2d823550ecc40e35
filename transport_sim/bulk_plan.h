/* SPDX-License-Identifier: MIT */
/*
 * Decides when bulk operations take effect. The plan is fair or adverse, as for chains (plan.h), and keeps what
 * transport/bulk.h promises.
 *
 * The world holds a table of each worker's operations in flight, with room for the bytes of each. Posting a WRITE
 * copies its bytes to that room, and the effect copies them on to the home's memory. The effect of a READ copies the
 * home's bytes to the room, and the initiator copies them to itself when it sees the completion. So no other process
 * needs the initiator's memory.
 */
#ifndef UAT_SIM_BULK_PLAN_H
#define UAT_SIM_BULK_PLAN_H

#include "transport_sim/world.h"

/* The state of a link, private to the initiator. */
struct sim_bulk_line {
    uint64_t effect[3]; /* when the latest READ, WRITE and atomic take effect */
    uint64_t end;       /* when the latest completion is seen */
};

/* Add an operation to the queue. number: its index in the table. */
void uat_sim_bulk_plan(struct sim_bulk *op, uint32_t number, struct sim_bulk_line *line);

/* Carry out a queue item of a bulk operation: an effect or a completion. */
void uat_sim_bulk_operate(const struct sim_item *item);

#endif
