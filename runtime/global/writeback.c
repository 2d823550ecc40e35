/* SPDX-License-Identifier: MIT */
/*
 * Write-back: bytes that were checked in are written to their homes. Small neighbouring ranges wait in their slot until
 * they form one large range, or until something needs them at home. Then these ranges are posted as WRITEs. No worker
 * waits for the WRITEs before the next release.
 */
#include "runtime/global/cache.h"
#include "runtime/global/link.h"

enum { POST_AT = 2 * UAT_PART /* this number of pending bytes justifies an operation */ };

void uat_writeback_slot(struct uat_slot_of_cache *s)
{
    uint32_t from = s->dirty, to = s->dirty_end;
    if (to == 0)
        return;
    s->dirty_end = 0;
    s->write_end = uat_link_write((s->block << UAT_BLOCK_SHIFT) + from, uat_slot_place(s) + from, to - from);
}

void uat_writeback_mark(struct uat_slot_of_cache *s, size_t from, size_t to)
{
    struct uat_global *g = &uat_global;
    if (s->dirty_end && from <= s->dirty_end && to >= s->dirty) { /* G4: no byte lies between the two ranges */
        s->dirty = from < s->dirty ? (uint32_t)from : s->dirty;
        s->dirty_end = to > s->dirty_end ? (uint32_t)to : s->dirty_end;
    } else {
        uat_writeback_slot(s);
        s->dirty = (uint32_t)from;
        s->dirty_end = (uint32_t)to;
    }
    g->release.needed = true;
    if (s->dirty_end - s->dirty >= POST_AT) {
        uat_writeback_slot(s);
    } else if (!s->listed) {
        s->listed = true;
        g->cache.pending[g->cache.pending_count++] = (uint32_t)(s - g->cache.slot);
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
