/* SPDX-License-Identifier: MIT */
#include "transport_sim/memory.h"

#include "transport_sim/queue.h"

enum { LATE_MAX_NS = 400, VERY_LATE_EVERY = 16, VERY_LATE_MAX_NS = 6000 };

static struct sim_store *store_at(int rank, uint64_t number)
{
    return &uat_sim.world->store[(uint64_t)rank * SIM_STORES + number % SIM_STORES];
}

static void reach_one(int rank, struct sim_store *store)
{
    uat_sim_memory_write(rank, store->word, &store->value, sizeof(store->value));
    store->word = NULL;
}

/* Remove the oldest stores from the buffer, up to the first one that has not reached memory. */
static void forget(int rank)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    while (worker->stores_done < worker->stores_begun && !store_at(rank, worker->stores_done)->word)
        worker->stores_done++;
}

static void reach_oldest(int rank)
{
    reach_one(rank, store_at(rank, uat_sim.world->worker[rank].stores_done));
    forget(rank);
}

/* Returns the store that reaches memory next: the one with the earliest time. If several stores have that time, returns
 * the oldest of these. Returns NULL if there is no store. */
static struct sim_store *next(int rank)
{
    const struct sim_worker *worker = &uat_sim.world->worker[rank];
    struct sim_store *first = NULL;
    for (uint64_t i = worker->stores_done; i < worker->stores_begun; i++) {
        struct sim_store *store = store_at(rank, i);
        if (store->word && (!first || store->time < first->time))
            first = store;
    }
    return first;
}

/* Queue an item for the next store, unless an earlier item exists. If stores stay in order, at most one item exists,
 * although its time may be later than the next store's time. In a weak order, a newer store may be due first and need
 * its own item. */
static void look_after(int rank)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    const struct sim_store *store = next(rank);
    uint32_t most = uat_sim.world->settings.weak_stores ? SIM_STORES : 1;
    if (!store || worker->stores_queued == most || (worker->stores_queued > 0 && worker->stores_next <= store->time))
        return;
    worker->stores_queued++;
    worker->stores_next = store->time;
    uat_sim_queue_add(SIM_STORE, rank, (struct sim_item){.time = store->time});
}

/* The earliest time from `time` on at which a new store may reach memory. */
static uint64_t order(const uint64_t *word, uint64_t time, bool release)
{
    bool after_all = release || !uat_sim.world->settings.weak_stores;
    for (uint64_t i = uat_sim.me->stores_done; i < uat_sim.me->stores_begun; i++) {
        const struct sim_store *older = store_at(uat_sim.rank, i);
        if (older->word && (after_all || older->word == word) && older->time > time)
            time = older->time;
    }
    return time;
}

void uat_sim_stores_add(uint64_t *word, uint64_t value, bool release)
{
    struct sim_worker *me = uat_sim.me;
    if (!uat_sim.inside || !sim_adverse()) {
        __atomic_store_n(word, value, __ATOMIC_RELAXED); /* passing the token orders this store */
        return;
    }
    if (me->stores_begun - me->stores_done == SIM_STORES)
        reach_oldest(uat_sim.rank);
    uint64_t late = 1 + uat_sim_random(uat_sim_random(VERY_LATE_EVERY) == 0 ? VERY_LATE_MAX_NS : LATE_MAX_NS);
    uint64_t time = order(word, me->clock + late, release);
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
    for (struct sim_store *store; (store = next(rank)) && store->time <= time; forget(rank))
        reach_one(rank, store);
    worker->stores_queued--; /* the item's store may have left the buffer already */
    if (worker->stores_next <= time)
        worker->stores_next = SIM_NEVER;
    look_after(rank);
}
