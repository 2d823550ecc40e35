/* SPDX-License-Identifier: MIT */
/*
 * Decides when bulk operations take effect. As for chains (plan.h), the plan is fair or adverse. It keeps the promises
 * of transport/bulk.h.
 *
 * For each worker the world has a table of its operations in flight, with a buffer for each operation's bytes. Posting
 * a WRITE copies the bytes to the buffer. The effect of the WRITE copies them from the buffer to the home's memory. The
 * effect of a READ copies the bytes from the home's memory to the buffer. When the initiator sees the completion, it
 * copies the bytes to its own memory. So no other process accesses the initiator's memory.
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

/* The effect of a bulk operation on memory. The memory of a host is an object. Each process maps the object when it
 * first executes an operation on it. */

/* The buffer for the bytes of operation `number`. */
static inline char *sim_bulk_room(uint32_t number)
{
    return uat_sim.world->bulk_room + (size_t)number * SIM_BULK_BYTES;
}

/* Move the bytes of one part, or of all parts if `part` is SIM_PARTS. An atomic has only one part. */
void uat_sim_bulk_effect(const struct sim_bulk *op, uint32_t number, uint32_t part);

/* Unmap all objects that this process has mapped. */
void uat_sim_bulk_unmap(void);

#endif
