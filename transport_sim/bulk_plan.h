/* SPDX-License-Identifier: MIT */
/*
 * When operations of bulk data take effect: fair or adverse, as for chains (plan.h), within what transport/bulk.h
 * promises.
 *
 * A worker has a table of operations under way in the world, each with room for its bytes. A WRITE's bytes are copied
 * there when it is posted, and from there into the home's memory when it takes effect; a READ's bytes come there when
 * it takes effect, and to the initiator when it sees the completion. So nobody needs the initiator's memory.
 */
#ifndef UAT_SIM_BULK_PLAN_H
#define UAT_SIM_BULK_PLAN_H

#include "transport_sim/world.h"

/* Of a link, private to the initiator. */
struct sim_bulk_line {
    uint64_t effect[3]; /* moments of the latest READ, WRITE and atomic */
    uint64_t end;       /* of the latest completion */
};

/* Enter an operation in the queue. number: its place in the table. */
void uat_sim_bulk_plan(struct sim_bulk *op, uint32_t number, struct sim_bulk_line *line);

/* Carry out an item of the queue that belongs to an operation: an effect, or a completion. */
void uat_sim_bulk_operate(const struct sim_item *item);

#endif
