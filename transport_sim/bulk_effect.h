/* SPDX-License-Identifier: MIT */
/* The effect of a bulk operation on memory. The memory of a host is an object. Each process maps the object when it
 * first executes an operation on it. */
#ifndef UAT_SIM_BULK_EFFECT_H
#define UAT_SIM_BULK_EFFECT_H

#include "transport_sim/world.h"

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
