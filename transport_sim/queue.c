/* SPDX-License-Identifier: MIT */
#include "transport_sim/queue.h"

/* Put the item at its place between the root and `at`, where a place is free. */
static void rise(struct sim_item *heap, size_t at, struct sim_item item)
{
    while (at > 0 && sim_before(&item, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = item;
}

static struct sim_item take(struct sim_item *heap, size_t *count)
{
    struct sim_item first = heap[0], last = heap[--*count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < *count) {
        if (child + 1 < *count && sim_before(&heap[child + 1], &heap[child]))
            child++;
        if (!sim_before(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

void uat_sim_queue_add(enum sim_kind kind, int rank, struct sim_item item)
{
    struct sim_world *w = uat_sim.world;
    uint64_t counter = w->worker[rank].counter++;
    item.order = (uint64_t)kind << 60 | (uint64_t)rank << 40 | (counter & (((uint64_t)1 << 40) - 1));
    if (kind == SIM_WORKER)
        rise(w->turn, w->turns++, item);
    else
        rise(w->item, w->count++, item);
}

void uat_sim_queue_advance(int rank, uint64_t time)
{
    struct sim_world *w = uat_sim.world;
    for (size_t at = 0; at < w->turns; at++) {
        struct sim_item item = w->turn[at];
        if (sim_rank_of(&item) != rank)
            continue;
        item.time = time;
        rise(w->turn, at, item);
        return;
    }
}

void uat_sim_wake(int rank, uint64_t time)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    if (worker->clock < time)
        worker->clock = time;
    worker->state = SIM_RUNS;
    uat_sim_queue_add(SIM_WORKER, rank, (struct sim_item){.time = worker->clock});
}

struct sim_item uat_sim_queue_take_turn(void)
{
    return take(uat_sim.world->turn, &uat_sim.world->turns);
}

struct sim_item uat_sim_queue_take(void)
{
    return sim_queue_has_turn_first() ? uat_sim_queue_take_turn() : take(uat_sim.world->item, &uat_sim.world->count);
}
