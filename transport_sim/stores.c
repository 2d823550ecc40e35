/* SPDX-License-Identifier: MIT */
#include "transport_sim/stores.h"

#include "transport_sim/memory.h"
#include "transport_sim/queue.h"

enum { LATE_MAX_NS = 400, VERY_LATE_EVERY = 16, VERY_LATE_MAX_NS = 6000 };

static struct sim_store *store_at(int rank, uint64_t number)
{
    return &uat_sim.world->store[(uint64_t)rank * SIM_STORES + number % SIM_STORES];
}

static void reach_oldest(int rank)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    const struct sim_store *store = store_at(rank, worker->stores_done++);
    uat_sim_memory_write(rank, store->word, &store->value, sizeof(store->value));
}

static void look_after(int rank)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    if (worker->stores_queued || worker->stores_done == worker->stores_begun)
        return;
    worker->stores_queued = true;
    uat_sim_queue_add(SIM_STORE, rank, (struct sim_item){.time = store_at(rank, worker->stores_done)->time});
}

void uat_sim_stores_add(uint64_t *word, uint64_t value)
{
    struct sim_worker *me = uat_sim.me;
    if (!uat_sim.inside || !sim_adverse()) {
        __atomic_store_n(word, value, __ATOMIC_RELAXED); /* the next pass of the token orders it */
        return;
    }
    if (me->stores_begun - me->stores_done == SIM_STORES)
        reach_oldest(uat_sim.rank);
    uint64_t late = 1 + uat_sim_random(uat_sim_random(VERY_LATE_EVERY) == 0 ? VERY_LATE_MAX_NS : LATE_MAX_NS);
    uint64_t time = me->clock + late;
    if (me->stores_begun > me->stores_done) {
        uint64_t before = store_at(uat_sim.rank, me->stores_begun - 1)->time;
        time = time > before ? time : before;
    }
    *store_at(uat_sim.rank, me->stores_begun++) = (struct sim_store){word, value, time};
    look_after(uat_sim.rank);
}

void uat_sim_stores_drain(void)
{
    while (uat_sim.me->stores_done < uat_sim.me->stores_begun)
        reach_oldest(uat_sim.rank);
}

void uat_sim_stores_reach(int rank, uint64_t time)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    while (worker->stores_done < worker->stores_begun && store_at(rank, worker->stores_done)->time <= time)
        reach_oldest(rank);
    worker->stores_queued = false; /* newer stores may have replaced the one that the item was for */
    look_after(rank);
}
