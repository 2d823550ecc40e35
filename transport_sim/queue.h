/* SPDX-License-Identifier: MIT */
/* The queue of future events (items): a binary heap in the world. */
#ifndef UAT_SIM_QUEUE_H
#define UAT_SIM_QUEUE_H

#include "transport_sim/world.h"

/* Add an item that belongs to worker `rank`, and advance that worker's counter. */
void uat_sim_queue_add(enum sim_kind kind, int rank, struct sim_item item);

/* Add worker `rank` itself. The worker continues at `time`, or at its clock if the clock is later. */
void uat_sim_wake(int rank, uint64_t time);

/* The next item in the queue, or NULL. */
static inline const struct sim_item *sim_queue_top(void)
{
    return uat_sim.world->count > 0 ? &uat_sim.world->item[0] : NULL;
}

/* Remove and return the next item. The queue must not be empty. */
struct sim_item uat_sim_queue_take(void);

static inline enum sim_kind sim_kind_of(const struct sim_item *item)
{
    return (enum sim_kind)(item->order >> 60);
}
static inline int sim_rank_of(const struct sim_item *item)
{
    return (int)(item->order >> 40 & 0xfffff);
}

#endif
