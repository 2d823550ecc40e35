/* SPDX-License-Identifier: MIT */
#include "transport_sim/queue.h"

static bool before(const struct sim_item *a, const struct sim_item *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void uat_sim_queue_add(enum sim_kind kind, int rank, struct sim_item item)
{
    struct sim_world *w = uat_sim.world;
    uint64_t counter = w->worker[rank].counter++;
    item.order = (uint64_t)kind << 60 | (uint64_t)rank << 40 | (counter & (((uint64_t)1 << 40) - 1));
    size_t at = w->count++;
    while (at > 0 && before(&item, &w->item[(at - 1) / 2])) {
        w->item[at] = w->item[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    w->item[at] = item;
}

void uat_sim_wake(int rank, uint64_t time)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    if (worker->clock < time)
        worker->clock = time;
    worker->state = SIM_RUNS;
    uat_sim_queue_add(SIM_WORKER, rank, (struct sim_item){.time = worker->clock});
}

struct sim_item uat_sim_queue_take(void)
{
    struct sim_world *w = uat_sim.world;
    struct sim_item first = w->item[0], last = w->item[--w->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < w->count) {
        if (child + 1 < w->count && before(&w->item[child + 1], &w->item[child]))
            child++;
        if (!before(&w->item[child], &last))
            break;
        w->item[at] = w->item[child];
        at = child;
    }
    w->item[at] = last;
    return first;
}
