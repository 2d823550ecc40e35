/* SPDX-License-Identifier: MIT */
/* Opening and closing global memory: the links, the arena, the workers' parts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/virtual.h"
#include "runtime/global/array.h"
#include "runtime/global/link.h"
#include "runtime/global/settings.h"
#include "runtime/global/bounds.h"
#include "runtime/global/cache.h"
#include "runtime/global/hosts.h"
#include "runtime/global/record.h"
#include "runtime/job/call.h"

/* Set the state of each part but the lists of hosts as before uat_global_start(). The table of granules is left alone,
 * too: uat_global_start() fills it, and drop_all() clears it, so that its pages cost nothing before. */
static void clear(void)
{
    const struct uat_global_config config = uat_global.config;
    uat_global = (struct uat_global){.config = config, .strict = config.strict};
    memset(uat_registry.shifted, 0, sizeof(uat_registry.shifted));
    uat_registry.by_size = uat_divisor((uint64_t)config.transport->size);
    uat_temporary = (struct uat_temporary){0};
    uat_cache = (struct uat_cache){.epoch = 1};
    uat_arena = (struct uat_arena){.fd = -1};
    uat_release = (struct uat_release){0};
    uat_hosts.count = uat_hosts.own = 0;
    uat_open_reset();
    uat_transfer_reset();
}

int uat_global_prepare(const struct uat_global_config *config, const int *host_of)
{
    uat_global.config = *config;
    int rc = uat_hosts_open(host_of);
    if (!rc)
        clear();
    return rc;
}

void uat_global_watch(void (*watch)(uintptr_t at, size_t bytes, bool writes))
{
    uat_global.config.watch = watch;
}

static int open_links(struct uat_global *g)
{
    struct uat_transport *t = g->config.transport;
    if (!t->class_->bulk) {
        uat_error("transport %s has no global memory", t->class_->name);
        return -EOPNOTSUPP;
    }
    uat_release.unreleased = calloc((size_t)uat_hosts.count, sizeof(*uat_release.unreleased));
    if (!uat_release.unreleased) {
        uat_error("no memory for the links to %d hosts", uat_hosts.count);
        return -ENOMEM;
    }
    return 0;
}

static int connect_links(struct uat_global *g)
{
    struct uat_bulk_config config = {.transport = g->config.transport,
                                     .hosts = uat_hosts.count,
                                     .host = uat_hosts.own,
                                     .leader = uat_hosts.leader,
                                     .host_of = uat_hosts.of,
                                     .arena = uat_arena.base,
                                     .arena_size = uat_arena.size,
                                     .late = g->config.late,
                                     .latency = uat_global_settings.latency,
                                     .seed = g->config.seed,
                                     .gather = uat_global_gather_from};
    return config.transport->class_->bulk->open(&config, &g->bulk);
}

/* Restore the state that uat_global_prepare() left. */
static void close_links(struct uat_global *g)
{
    g->is_open = uat_cache.shows = false;
    uat_near.word = SIZE_MAX;
    uat_array_drop(uat_registry.parts);
    uat_registry.parts = NULL;
    uat_objects_end();
    if (g->bulk)
        g->bulk->class_->close(g->bulk);
    g->bulk = NULL;
    uat_arena_close();
    free(uat_release.unreleased);
    uat_release.unreleased = NULL;
}

/* Drop all arrays and close the links. */
static void drop_all(struct uat_global *g)
{
    bool was_open = g->is_open;
    for (size_t i = 0; was_open && i < UAT_GRANULES; i++)
        if (uat_registry.granule[i] != &uat_nowhere && uat_registry.granule[i] != uat_registry.parts)
            uat_array_drop(uat_registry.granule[i]);
    close_links(g);
    if (was_open)
        memset(uat_registry.granule, 0, sizeof(uat_registry.granule));
}

void uat_global_reset(void)
{
    drop_all(&uat_global);
    clear();
    uat_table_reset();
}

void uat_global_close(void)
{
    struct uat_global *g = &uat_global;
    drop_all(g);
    uat_hosts_close();
    g->config.transport = NULL;
}

int uat_global_start(void)
{
    struct uat_global *g = &uat_global;
    if (g->is_open)
        return 0;
    for (size_t i = 0; i < UAT_GRANULES; i++)
        uat_registry.granule[i] = &uat_nowhere;
    uat_hosts_find();
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
        size_t part = uat_overcommit_part(uat_parts_count());
        const struct uat_table_entry asked = {.bytes = part, .distribution = UAT_TABLE_PARTS};
        rc = uat_array_make(&asked, part * (size_t)uat_parts_count(), part, &uat_registry.parts);
    }
    if (!rc) {
        uat_registry.parts->check = uat_bounds_check;
        rc = uat_global_agree(uat_objects_start());
    }
    if (rc) {
        close_links(g);
        return rc;
    }
    uat_cache.shows = g->far && !g->strict;
    uat_near.word = g->bulk->class_->cpu_atomics ? sizeof(uint64_t) : SIZE_MAX;
    uat_release.since = uat_counter();
    g->is_open = true;
    uat_info("global memory: %d hosts or adapters of hosts, this worker's is number %d; %zu MiB of cache, %zu MiB for "
             "objects",
             uat_hosts.count, uat_hosts.own, uat_cache.ring_size >> 20, uat_registry.parts->chunk >> 20);
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
