/* SPDX-License-Identifier: MIT */
#include "runtime/global/link.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "runtime/global/arena.h"
#include "runtime/global/hosts.h"
#include "runtime/global/settings.h"
#include "runtime/job/fatal.h"

struct uat_links uat_links;
static uint64_t bytes_read, bytes_written; /* statistics */
static bool is_late;                       /* torture: see uat_links_prepare() */
static uint64_t seed_of_late;

void uat_links_prepare(bool late, uint64_t seed)
{
    is_late = late;
    seed_of_late = seed;
}

struct uat_bulk *uat_links_bulk(void)
{
    return uat_links.bulk;
}

int uat_links_open(void)
{
    struct uat_transport *t = uat_self.transport;
    if (!t->class_->bulk) {
        uat_error("transport %s has no global memory", t->class_->name);
        return -EOPNOTSUPP;
    }
    uat_links.unreleased = calloc((size_t)uat_hosts.count, sizeof(*uat_links.unreleased));
    if (!uat_links.unreleased) {
        uat_error("no memory for the links to %d hosts", uat_hosts.count);
        return -ENOMEM;
    }
    return 0;
}

int uat_links_connect(void)
{
    struct uat_bulk_config config = {.transport = uat_self.transport,
                                     .hosts = uat_hosts.count,
                                     .host = uat_hosts.own,
                                     .leader = uat_hosts.leader,
                                     .host_of = uat_hosts.of,
                                     .arena = uat_arena.base,
                                     .arena_size = uat_arena.size,
                                     .late = is_late,
                                     .latency = uat_global_settings.latency,
                                     .seed = seed_of_late,
                                     .gather = uat_global_gather_from};
    return config.transport->class_->bulk->open(&config, &uat_links.bulk);
}

void uat_links_close(void)
{
    if (uat_links.bulk)
        uat_links.bulk->class_->close(uat_links.bulk);
    free(uat_links.unreleased);
    uat_links = (struct uat_links){0};
    bytes_read = bytes_written = 0;
}

const bool *uat_global_unreleased(void)
{
    return &uat_links.unclean;
}

void uat_link_wait(int link, uint64_t end)
{
    struct uat_bulk *b = uat_links.bulk;
    if (b->link[link].completed < end) /* over verbs, polls uat_ibv_bulk_progress(), transport_ibv/bulk_posting.c */
        uat_check(uat_bulk_wait(b, link, end));
}

uint64_t uat_link_post(int link, const struct uat_bulk_op *op)
{
    struct uat_bulk *b = uat_links.bulk;
    /* over verbs: uat_ibv_bulk_post(), transport_ibv/bulk_posting.c */
    uat_check(b->class_->post(b, link, op));
    return b->link[link].posted;
}

/* Post a FETCH_ADD of 0 to a word of that host. All WRITEs posted before it take effect before it (B1). */
static void post_flush(int link)
{
    const struct uat_memobj *memobj = &uat_registry.parts->memobj[link];
    struct uat_bulk_op op = {.code = UAT_OP_FETCH_ADD,
                             .bytes = 8,
                             .local = uat_arena.landing,
                             .remote = memobj->key.base + UAT_FLUSH_OFFSET + uat_head_line(uat_self.rank),
                             .rkey = memobj->key.rkey};
    uat_link_post(link, &op);
}

/* Post a flush of the link's WRITEs and additions. Returns false if there are none. */
static bool begin_flush(int link)
{
    if (uat_links.unreleased[link].any)
        post_flush(link);
    return uat_links.unreleased[link].any;
}

/* Wait until that flush is complete. No WRITE may be posted between the two calls. */
static void end_flush(int link)
{
    struct uat_unreleased *u = &uat_links.unreleased[link];
    if (!u->any)
        return;
    uat_link_wait(link, uat_links.bulk->link[link].posted);
    u->any = false;
    u->ranges.count = 0;
}

/* Wait until the WRITEs and atomic additions posted on this link have reached the target's memory. */
static void flush(int link)
{
    if (begin_flush(link))
        end_flush(link);
}

bool uat_links_flush(void)
{
    bool waited = false;
    for (int link = 0; link < uat_hosts.count; link++) /* all flushes are posted before the first wait */
        waited |= begin_flush(link);
    for (int link = 0; link < uat_hosts.count; link++)
        end_flush(link);
    uat_links.unclean = false;
    return waited;
}

void uat_links_drain(void)
{
    for (int link = 0; uat_links.bulk && link < uat_hosts.count; link++)
        uat_link_wait(link, uat_links.bulk->link[link].posted);
}

void uat_link_note_addition(int link, uint64_t number)
{
    uat_links.unreleased[link].added = number;
    uat_links.unreleased[link].any = uat_links.unclean = true;
}

void uat_link_await_additions(int link)
{
    uat_link_wait(link, uat_links.unreleased[link].added);
}

/* Make an operation on bytes of array a whose home this is. */
static struct uat_bulk_op make_op(enum uat_opcode code, const struct uat_array *a, const struct uat_home *home,
                                  void *local, size_t bytes)
{
    const struct uat_bulk_key *key = &a->memobj[home->host].key;
    return (struct uat_bulk_op){
        .code = code, .bytes = bytes, .local = local, .remote = key->base + home->offset, .rkey = key->rkey};
}

uint64_t uat_link_write(const struct uat_array *a, const struct uat_home *home, uintptr_t at, const void *source,
                        size_t bytes)
{
    int link = home->host;
    struct uat_bulk_op op = make_op(UAT_OP_WRITE, a, home, (void *)(uintptr_t)source, bytes);
    struct uat_unreleased *u = &uat_links.unreleased[link];
    bool meets = uat_ranges_meet(&u->ranges, at, at + bytes);
    if (meets || !uat_ranges_add(&u->ranges, at, at + bytes)) {
        flush(link);
        uat_ranges_add(&u->ranges, at, at + bytes);
    }
    u->any = uat_links.unclean = true;
    bytes_written += bytes;
    return uat_link_post(link, &op);
}

uint64_t uat_link_read(const struct uat_array *a, const struct uat_home *home, uintptr_t at, void *to, size_t bytes)
{
    int link = home->host;
    struct uat_bulk_op op = make_op(UAT_OP_READ, a, home, to, bytes);
    const struct uat_unreleased *u = &uat_links.unreleased[link];
    if (u->any && uat_ranges_meet(&u->ranges, at, at + bytes))
        post_flush(link);
    bytes_read += bytes;
    return uat_link_post(link, &op);
}

void uat_link_count(uat_stats_detail_t *stats)
{
    stats->global_bytes_fetched = bytes_read;
    stats->global_bytes_written = bytes_written;
}
