/* SPDX-License-Identifier: MIT */
#include "runtime/global/link.h"

#include "runtime/job/fatal.h"

struct uat_release uat_release;

void uat_link_wait(int link, uint64_t end)
{
    struct uat_bulk *b = uat_global.bulk;
    if (b->link[link].completed < end) /* over verbs, polls uat_ibv_bulk_progress(), transport_ibv/bulk_posting.c */
        uat_check(uat_bulk_wait(b, link, end));
}

void uat_link_post(int link, const struct uat_bulk_op *op)
{
    /* over verbs: uat_ibv_bulk_post(), transport_ibv/bulk_posting.c */
    uat_check(uat_global.bulk->class_->post(uat_global.bulk, link, op));
}

/* Post a FETCH_ADD of 0 to a word of that host. All WRITEs posted before it take effect before it (B1). */
static void post_flush(int link)
{
    struct uat_global *g = &uat_global;
    const struct uat_memobj *memobj = &uat_registry.parts->memobj[link];
    struct uat_bulk_op op = {.code = UAT_OP_FETCH_ADD,
                             .bytes = 8,
                             .local = uat_arena.landing,
                             .remote = memobj->key.base + UAT_FLUSH_OFFSET + uat_head_line(g->config.transport->rank),
                             .rkey = memobj->key.rkey};
    uat_link_post(link, &op);
}

bool uat_link_flush_begin(int link)
{
    if (uat_release.unreleased[link].any)
        post_flush(link);
    return uat_release.unreleased[link].any;
}

void uat_link_flush_end(int link)
{
    struct uat_global *g = &uat_global;
    struct uat_unreleased *u = &uat_release.unreleased[link];
    if (!u->any)
        return;
    uat_link_wait(link, g->bulk->link[link].posted);
    u->any = false;
    u->ranges.count = 0;
}

/* Wait until the WRITEs and atomic additions posted on this link have reached the target's memory. */
static void flush(int link)
{
    if (uat_link_flush_begin(link))
        uat_link_flush_end(link);
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
    struct uat_global *g = &uat_global;
    int link = home->host;
    struct uat_bulk_op op = make_op(UAT_OP_WRITE, a, home, (void *)(uintptr_t)source, bytes);
    struct uat_unreleased *u = &uat_release.unreleased[link];
    bool meets = uat_ranges_meet(&u->ranges, at, at + bytes);
    if (meets || !uat_ranges_add(&u->ranges, at, at + bytes)) {
        flush(link);
        uat_ranges_add(&u->ranges, at, at + bytes);
    }
    u->any = uat_release.needed = true;
    uat_link_post(link, &op);
    g->count.bytes_written += bytes;
    return g->bulk->link[link].posted;
}

uint64_t uat_link_read(const struct uat_array *a, const struct uat_home *home, uintptr_t at, void *to, size_t bytes)
{
    struct uat_global *g = &uat_global;
    int link = home->host;
    struct uat_bulk_op op = make_op(UAT_OP_READ, a, home, to, bytes);
    const struct uat_unreleased *u = &uat_release.unreleased[link];
    if (u->any && uat_ranges_meet(&u->ranges, at, at + bytes))
        post_flush(link);
    uat_link_post(link, &op);
    return g->bulk->link[link].posted;
}
