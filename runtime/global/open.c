/* SPDX-License-Identifier: MIT */
/* Opening and closing global memory: which worker is on which host, the links, the arena, the workers' parts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/virtual.h"
#include "runtime/global/link.h"
#include "runtime/global/settings.h"
#include "runtime/global/cache.h"
#include "runtime/global/record.h"
#include "runtime/job/call.h"

struct uat_global uat_global;
struct uat_array uat_nowhere = {.chunk = UAT_BLOCK, .by_chunk = {UINT64_C(1) << 63}};

/* Set all members but `config` and the lists of `host` as before uat_global_start(). The table of granules is left
 * alone, too: uat_global_start() fills it, and drop_all() clears it, so that its pages cost nothing before. */
static void clear(struct uat_global *g)
{
    memset(&g->is_open, 0, offsetof(struct uat_global, array) - offsetof(struct uat_global, is_open));
    memset(g->array.shifted, 0, offsetof(struct uat_global, host) - offsetof(struct uat_global, array.shifted));
    g->host.count = g->host.own = 0;
    memset(&g->cache, 0, sizeof(*g) - offsetof(struct uat_global, cache));
    uat_open_reset();
    g->arena.fd = -1;
    g->array.by_size = uat_divisor((uint64_t)g->config.transport->size);
    g->strict = g->config.strict;
    g->cache.epoch = 1;
}

int uat_global_prepare(const struct uat_global_config *config, const int *host_of)
{
    struct uat_global *g = &uat_global;
    int size = config->transport->size;
    g->config = *config;
    clear(g);
    g->host.given = malloc((size_t)size * sizeof(int));
    g->host.of = malloc((size_t)size * sizeof(int));
    g->host.leader = malloc((size_t)size * sizeof(int));
    g->host.local = malloc((size_t)size * sizeof(int));
    g->host.size = calloc((size_t)size, sizeof(int));
    g->host.near = calloc((size_t)size, sizeof(bool));
    if (!g->host.given || !g->host.of || !g->host.leader || !g->host.local || !g->host.size || !g->host.near) {
        uat_error("no memory for the table of hosts");
        uat_global_close();
        return -ENOMEM;
    }
    memcpy(g->host.given, host_of, (size_t)size * sizeof(int));
    return 0;
}

void uat_global_watch(void (*watch)(uintptr_t at, size_t bytes, bool writes))
{
    uat_global.config.watch = watch;
}

/* Are two ranks on one host? Simulated hosts (UAT_GLOBAL_HOSTS) divide real hosts. */
static bool share_host(const struct uat_global *g, int a, int b, int simulated)
{
    int64_t size = g->config.transport->size;
    return g->host.given[a] == g->host.given[b] &&
           (!simulated || (int64_t)a * simulated / size == (int64_t)b * simulated / size);
}

/* Number the hosts by their lowest rank. adapter: as in struct uat_bulk_class, or NULL to leave hosts undivided. */
static void number_hosts(struct uat_global *g, int wanted, int (*adapter)(struct uat_transport *t, int rank))
{
    struct uat_transport *t = g->config.transport;
    g->host.count = 0;
    for (int rank = 0; rank < t->size; rank++) {
        int host = g->host.count - 1; /* usually it is the previous rank's host */
        while (host >= 0 && (!share_host(g, g->host.leader[host], rank, wanted) ||
                             (adapter && adapter(t, g->host.leader[host]) != adapter(t, rank))))
            host--;
        if (host < 0) {
            host = g->host.count++;
            g->host.leader[host] = rank;
            g->host.size[host] = 0;
        }
        g->host.of[rank] = host;
        g->host.local[rank] = g->host.size[host]++;
    }
}

/* Find the hosts. In a job of one host, no adapter carries bytes. So the host is not divided by adapters, and an array
 * needs few mappings. */
static void find_hosts(struct uat_global *g)
{
    struct uat_transport *t = g->config.transport;
    int wanted = uat_global_settings.hosts < t->size ? uat_global_settings.hosts : t->size;
    number_hosts(g, wanted, NULL);
    g->far = g->host.count > 1;
    if (g->far && t->class_->bulk && t->class_->bulk->adapter)
        number_hosts(g, wanted, t->class_->bulk->adapter);
    g->host.own = g->host.of[t->rank];
    for (int host = 0; host < g->host.count; host++)
        g->host.near[host] = share_host(g, g->host.leader[host], t->rank, wanted);
}

static int open_links(struct uat_global *g)
{
    struct uat_transport *t = g->config.transport;
    if (!t->class_->bulk) {
        uat_error("transport %s has no global memory", t->class_->name);
        return -EOPNOTSUPP;
    }
    g->release.unreleased = calloc((size_t)g->host.count, sizeof(*g->release.unreleased));
    if (!g->release.unreleased) {
        uat_error("no memory for the links to %d hosts", g->host.count);
        return -ENOMEM;
    }
    return 0;
}

static int connect_links(struct uat_global *g)
{
    struct uat_bulk_config config = {.transport = g->config.transport,
                                     .hosts = g->host.count,
                                     .host = g->host.own,
                                     .leader = g->host.leader,
                                     .host_of = g->host.of,
                                     .arena = g->arena.base,
                                     .arena_size = g->arena.size,
                                     .late = g->config.late,
                                     .latency = uat_global_settings.latency,
                                     .seed = g->config.seed,
                                     .gather = uat_global_gather_from};
    return config.transport->class_->bulk->open(&config, &g->bulk);
}

/* Restore the state that uat_global_prepare() left. */
static void close_links(struct uat_global *g)
{
    g->is_open = g->cache.shows = false;
    uat_near.word = SIZE_MAX;
    uat_array_drop(g->array.parts);
    g->array.parts = NULL;
    uat_objects_end();
    if (g->bulk)
        g->bulk->class_->close(g->bulk);
    g->bulk = NULL;
    uat_arena_close();
    free(g->release.unreleased);
    g->release.unreleased = NULL;
}

/* Drop all arrays and close the links. */
static void drop_all(struct uat_global *g)
{
    bool was_open = g->is_open;
    for (size_t i = 0; was_open && i < UAT_GRANULES; i++)
        if (g->array.granule[i] != &uat_nowhere && g->array.granule[i] != g->array.parts)
            uat_array_drop(g->array.granule[i]);
    close_links(g);
    if (was_open)
        memset(g->array.granule, 0, sizeof(g->array.granule));
}

void uat_global_reset(void)
{
    drop_all(&uat_global);
    clear(&uat_global);
    uat_table_reset();
}

void uat_global_close(void)
{
    struct uat_global *g = &uat_global;
    drop_all(g);
    free(g->host.given);
    free(g->host.of);
    free(g->host.leader);
    free(g->host.local);
    free(g->host.size);
    free(g->host.near);
    g->host.given = g->host.of = g->host.leader = g->host.local = g->host.size = NULL;
    g->host.near = NULL;
    g->config.transport = NULL;
}

int uat_global_start(void)
{
    struct uat_global *g = &uat_global;
    if (g->is_open)
        return 0;
    for (size_t i = 0; i < UAT_GRANULES; i++)
        g->array.granule[i] = &uat_nowhere;
    find_hosts(g);
    uat_arena_plan();
    int rc = open_links(g);
    if (!rc)
        rc = uat_overcommit_check_caches();
    rc = uat_global_agree(rc);
    if (!rc)
        rc = uat_global_agree(uat_arena_open());
    if (!rc)
        rc = uat_global_agree(connect_links(g));
    if (!rc) {
        size_t unit = uat_pages_unit(), part = (uat_global_settings.part_size + unit - 1) / unit * unit;
        const struct uat_table_entry asked = {.bytes = part, .distribution = UAT_TABLE_PARTS};
        rc = uat_array_make(&asked, part * (size_t)uat_parts_count(), part, &g->array.parts);
    }
    if (!rc)
        rc = uat_global_agree(uat_objects_start());
    if (rc) {
        close_links(g);
        return rc;
    }
    g->cache.shows = g->far && !g->strict;
    uat_near.word = g->bulk->class_->cpu_atomics ? sizeof(uint64_t) : SIZE_MAX;
    g->release.since = uat_counter();
    g->is_open = true;
    uat_info("global memory: %d hosts or adapters of hosts, this worker's is number %d; %zu MiB of cache, %zu MiB for "
             "objects",
             g->host.count, g->host.own, g->cache.ring_size >> 20, uat_global_settings.part_size >> 20);
    return 0;
}

int uat_global_open(void)
{
    int rc = uat_call_check(UAT_CALL_GLOBAL_OPEN);
    if (rc)
        return rc;
    uat_call_enter(UAT_CALL_GLOBAL_OPEN);
    rc = uat_global_start();
    if (!rc)
        rc = uat_global_agree(0); /* a barrier, even if there was nothing to do */
    uat_call_leave();
    return rc;
}
