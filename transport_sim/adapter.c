/* SPDX-License-Identifier: MIT */
#include "transport_sim/adapter.h"

#include <string.h>

enum {
    WAYS = 16 /* entries of the cache that a queue pair may be in; the one that was used longest ago is replaced */
};

/* Occupy the unit for `busy` ns as soon as it is free. Returns the time at which this starts. */
static uint64_t occupy(uint64_t *unit, uint64_t time, uint64_t busy)
{
    uint64_t start = *unit > time ? *unit : time;
    *unit = start + busy;
    return start;
}

static size_t host_of(int rank)
{
    return (size_t)(rank / uat_sim.world->settings.network.node);
}

uint64_t uat_sim_adapter_atomic(int target, uint64_t address, uint64_t time)
{
    struct sim_world *w = uat_sim.world;
    const struct sim_network *n = &w->settings.network;
    size_t host = host_of(target);
    uint64_t start = time;
    if (n->each > 0) /* first, so that an atomic that waits for its word delays no atomic on other words */
        start = occupy(&w->atomics[host], start, n->each);
    if (n->word > 0)
        start = occupy(&w->lock[host * SIM_LOCKS + address / 8 % SIM_LOCKS], start, n->word);
    w->lock_waits += start - time;
    return start;
}

/* Both hosts give a connection the same number. A worker has one queue pair to each other host, and workers with the
 * same number on their hosts share it. */
static uint64_t number_of(int initiator, int target, bool bulk)
{
    uint64_t a = host_of(initiator), b = host_of(target),
             worker = (uint64_t)initiator % (uint64_t)uat_sim.world->settings.network.node;
    return (a < b ? a << 40 | b << 20 : b << 40 | a << 20) | worker << 1 | bulk;
}

uint64_t uat_sim_adapter_pair(int rank, int initiator, int target, bool bulk, uint64_t time)
{
    struct sim_world *w = uat_sim.world;
    const struct sim_network *n = &w->settings.network;
    if (n->pairs == 0 || n->miss == 0 || host_of(initiator) == host_of(target))
        return time;
    uint64_t number = number_of(initiator, target, bulk) + 1; /* an empty entry has 0 */
    uint64_t ways = n->pairs < WAYS ? n->pairs : WAYS, i = 0;
    uint64_t hash = number * 0x9e3779b97f4a7c15u >> 32; /* Fibonacci hashing */
    struct sim_pair *set = &w->pair[host_of(rank) * n->pairs + hash % (n->pairs / ways) * ways], found;
    while (i < ways - 1 && set[i].number != number)
        i++;
    found = set[i];
    if (found.number != number) {
        found = (struct sim_pair){.number = number, .arrives = time + n->miss};
        w->misses++;
    }
    memmove(set + 1, set, i * sizeof(*set)); /* the set's order is that of the latest uses */
    set[0] = found;
    /* A request of a queue pair that is still being fetched waits, too. So requests of one queue pair keep their
     * order. */
    return found.arrives > time ? found.arrives : time;
}
