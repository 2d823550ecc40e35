/* SPDX-License-Identifier: MIT */
/* What a bulk operation does to memory. The memory of a host is an object that every process maps when it first carries
 * out an operation on it. */
#ifndef UAT_SIM_BULK_EFFECT_H
#define UAT_SIM_BULK_EFFECT_H

#include "transport_sim/world.h"

/* Room for the bytes of an operation. */
static inline char *sim_bulk_room(uint32_t number)
{
    return uat_sim.world->bulk_room + (size_t)number * SIM_BULK_BYTES;
}

/* Move the bytes of one part, SIM_PARTS for all of them; or do the atomic. */
void uat_sim_bulk_effect(const struct sim_bulk *op, uint32_t number, uint32_t part);

/* Give back what this process has mapped. */
void uat_sim_bulk_unmap(void);

#endif
