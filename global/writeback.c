/* SPDX-License-Identifier: MIT */
/*
 * What was checked in goes home. Small neighbouring ranges wait in their slot until they are one large one, or until
 * something needs them at home; then they are posted as WRITEs, and nobody waits before the next release.
 *
 * Two WRITEs have no order between them, and neither has a READ behind a WRITE (transport/bulk.h). So the bytes of all
 * WRITEs since the last flush are kept in a set of ranges: a WRITE that meets one of them waits for a flush; a READ
 * that does is posted behind an atomic, which stands behind those WRITEs (B1, B2).
 */
#include "base/mutant.h"
#include "global/state.h"
#include "runtime/watch/die.h"

enum { POST_AT = 2 * UAT_PART /* pending bytes that are worth an operation of their own */ };

void uat_global_wait(int link, uint64_t end)
{
    struct uat_bulk *b = uat_global.bulk;
    if (b->link[link].completed < end)
        uat_check(uat_bulk_wait(b, link, end));
}

void uat_global_post(int link, const struct uat_bulk_op *op)
{
    uat_check(uat_global.bulk->class_->post(uat_global.bulk, link, op));
}

/* FETCH_ADD of 0 to a word of that host: behind it all WRITEs before it have taken effect (B1). */
static void post_flush(int link)
{
    struct uat_global *g = &uat_global;
    const struct uat_object_card *card = &g->parts->card[link];
    struct uat_bulk_op op = {.code = UAT_OP_FETCH_ADD,
                             .bytes = 8,
                             .local = g->landing,
                             .remote = card->key.base + UAT_FLUSH_OFFSET + uat_head_line(g->config.transport->rank),
                             .rkey = card->key.rkey};
    uat_global_post(link, &op);
}

bool uat_writeback_flush_begin(int link)
{
    if (uat_global.unreleased[link].any)
        post_flush(link);
    return uat_global.unreleased[link].any;
}

void uat_writeback_flush_end(int link)
{
    struct uat_global *g = &uat_global;
    struct uat_unreleased *u = &g->unreleased[link];
    if (!u->any)
        return;
    uat_global_wait(link, g->bulk->link[link].posted);
    u->any = false;
    u->ranges.count = 0;
}

/* Wait until the link's WRITEs and additions are in its memory. */
static void flush(int link)
{
    if (uat_writeback_flush_begin(link))
        uat_writeback_flush_end(link);
}

/* The operation on [at, at + bytes), which lies in one chunk. */
static struct uat_bulk_op make_op(enum uat_opcode code, uintptr_t at, void *local, size_t bytes, int *link)
{
    const struct uat_array *a = uat_array_of(at);
    struct uat_home home = uat_array_home(a, at);
    const struct uat_bulk_key *key = &a->card[home.host].key;
    *link = home.host;
    return (struct uat_bulk_op){
        .code = code, .bytes = bytes, .local = local, .remote = key->base + home.offset, .rkey = key->rkey};
}

uint64_t uat_writeback_post(uintptr_t at, const void *source, size_t bytes)
{
    struct uat_global *g = &uat_global;
    int link;
    struct uat_bulk_op op = make_op(UAT_OP_WRITE, at, (void *)(uintptr_t)source, bytes, &link);
    struct uat_unreleased *u = &g->unreleased[link];
    bool meets = uat_ranges_meet(&u->ranges, at, at + bytes) && !uat_mutant("ww");
    if (meets || !uat_ranges_add(&u->ranges, at, at + bytes)) {
        flush(link);
        uat_ranges_add(&u->ranges, at, at + bytes);
    }
    u->any = g->must_release = true;
    uat_global_post(link, &op);
    g->count.bytes_written += bytes;
    return g->bulk->link[link].posted;
}

uint64_t uat_fetch_post(uintptr_t at, void *to, size_t bytes)
{
    struct uat_global *g = &uat_global;
    int link;
    struct uat_bulk_op op = make_op(UAT_OP_READ, at, to, bytes, &link);
    if (uat_ranges_meet(&g->unreleased[link].ranges, at, at + bytes) && !uat_mutant("G5"))
        post_flush(link);
    uat_global_post(link, &op);
    return g->bulk->link[link].posted;
}

void uat_writeback_slot(struct uat_slot_of_cache *s)
{
    uint32_t from = s->dirty, to = s->dirty_end;
    if (to == 0)
        return;
    s->dirty_end = 0;
    if (uat_mutant("G4")) { /* whole words: a neighbour's bytes go along */
        from &= ~7u;
        to = (to + 7) & ~7u;
    }
    s->write_end = uat_writeback_post((s->block << UAT_BLOCK_SHIFT) + from, uat_slot_place(s) + from, to - from);
}

void uat_writeback_mark(struct uat_slot_of_cache *s, size_t from, size_t to)
{
    struct uat_global *g = &uat_global;
    if (s->dirty_end && from <= s->dirty_end && to >= s->dirty) { /* G4: the union has no byte that is in neither */
        s->dirty = from < s->dirty ? (uint32_t)from : s->dirty;
        s->dirty_end = to > s->dirty_end ? (uint32_t)to : s->dirty_end;
    } else {
        uat_writeback_slot(s);
        s->dirty = (uint32_t)from;
        s->dirty_end = (uint32_t)to;
    }
    g->must_release = true;
    if (s->dirty_end - s->dirty >= POST_AT) {
        uat_writeback_slot(s);
    } else if (!s->listed) {
        s->listed = true;
        g->pending[g->pending_count++] = (uint32_t)(s - g->slot);
    }
}

void uat_writeback_range(uintptr_t at, size_t bytes)
{
    for (uint64_t block = at >> UAT_BLOCK_SHIFT; block <= (at + bytes - 1) >> UAT_BLOCK_SHIFT; block++) {
        struct uat_slot_of_cache *s = uat_slot_for(block);
        if (s->block == block)
            uat_writeback_slot(s);
    }
}
