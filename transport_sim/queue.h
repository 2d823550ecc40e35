/* SPDX-License-Identifier: MIT */
/* The queue of future events (items): two binary heaps in the world, one of turns (SIM_WORKER) and one of all other
 * items. */
#ifndef UAT_SIM_QUEUE_H
#define UAT_SIM_QUEUE_H

#include "transport_sim/world.h"

/* Add an item that belongs to worker `rank`, and advance that worker's counter. */
void uat_sim_queue_add(enum sim_kind kind, int rank, struct sim_item item);

/* Add worker `rank` itself. The worker continues at `time`, or at its clock if the clock is later. */
void uat_sim_wake(int rank, uint64_t time);

/* Advance the turn of worker `rank` to an earlier time, if the turn is in the queue. Takes time in proportion to the
 * number of turns. */
void uat_sim_queue_advance(int rank, uint64_t time);

/* The order of S1. */
static inline bool sim_before(const struct sim_item *a, const struct sim_item *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

/* Is the next item in the queue a turn? */
static inline bool sim_queue_has_turn_first(void)
{
    const struct sim_world *w = uat_sim.world;
    return w->turns > 0 && (w->count == 0 || sim_before(&w->turn[0], &w->item[0]));
}

/* The next item in the queue, or NULL. */
static inline const struct sim_item *sim_queue_top(void)
{
    const struct sim_world *w = uat_sim.world;
    return sim_queue_has_turn_first() ? &w->turn[0] : w->count > 0 ? &w->item[0] : NULL;
}

/* Remove and return the next item. The queue must not be empty. */
struct sim_item uat_sim_queue_take(void);

/* Remove and return the next turn. There must be one. */
struct sim_item uat_sim_queue_take_turn(void);

static inline enum sim_kind sim_kind_of(const struct sim_item *item)
{
    return (enum sim_kind)(item->order >> 60);
}
static inline int sim_rank_of(const struct sim_item *item)
{
    return (int)(item->order >> 40 & 0xfffff);
}

#endif
