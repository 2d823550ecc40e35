/* SPDX-License-Identifier: MIT */
#include "transport_sim/world.h"

#include <sys/mman.h>

struct sim_self uat_sim = {.rank = -1};

static size_t round_up(size_t n)
{
    return (n + 4095) / 4096 * 4096;
}

struct sim_world *uat_sim_world_open(const struct sim_settings *settings)
{
    struct sim_world w = {.settings = *settings, .object = -1, .core = -1}, *world;
    size_t n = (size_t)settings->size, node = (size_t)settings->network.node, hosts = (n + node - 1) / node;
    size_t at = round_up(sizeof(w));
#define PART(field, count)                                                                                             \
    size_t field##_at = at;                                                                                            \
    at += round_up((count) * sizeof(*w.field))
    PART(worker, n);
    PART(adapter, n);
    PART(sender, n);
    PART(server, n);
    PART(served, n);
    PART(busy, n);
    PART(lock, hosts * SIM_LOCKS);
    PART(atomics, hosts);
    PART(pair, hosts * settings->network.pairs);
    PART(blob_at, n);
    PART(blob_size, n);
    PART(chain, n * SIM_CHAINS);
    PART(item, n * SIM_ITEMS);
    PART(store, n * SIM_STORES);
    PART(blob, n * SIM_BLOB_MAX);
    PART(bulk, n * SIM_BULKS);
    PART(bulk_end, n * n);
    PART(object_table, SIM_OBJECTS);
    PART(bulk_room, n * SIM_BULKS * SIM_BULK_BYTES);
#undef PART
    char *p = mmap(NULL, at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    world = (struct sim_world *)p;
    *world = w;
    world->worker = (struct sim_worker *)(p + worker_at);
    world->adapter = (uint64_t *)(p + adapter_at);
    world->sender = (uint64_t *)(p + sender_at);
    world->server = (uint64_t *)(p + server_at);
    world->served = (uint64_t *)(p + served_at);
    world->busy = (uint64_t *)(p + busy_at);
    world->lock = (uint64_t *)(p + lock_at);
    world->atomics = (uint64_t *)(p + atomics_at);
    world->pair = (struct sim_pair *)(p + pair_at);
    world->blob_at = (uint64_t *)(p + blob_at_at);
    world->blob_size = (uint32_t *)(p + blob_size_at);
    world->chain = (struct sim_chain *)(p + chain_at);
    world->item = (struct sim_item *)(p + item_at);
    world->store = (struct sim_store *)(p + store_at);
    world->blob = p + blob_at;
    world->bulk = (struct sim_bulk *)(p + bulk_at);
    world->bulk_end = (uint64_t *)(p + bulk_end_at);
    world->object_table = (struct sim_object *)(p + object_table_at);
    world->bulk_room = p + bulk_room_at;
    return world;
}

uint64_t uat_sim_random(uint64_t below)
{
    uat_sim.random ^= uat_sim.random << 13; /* xorshift, Marsaglia 2003 */
    uat_sim.random ^= uat_sim.random >> 7;
    uat_sim.random ^= uat_sim.random << 17;
    return (uat_sim.random >> 11) % below;
}
