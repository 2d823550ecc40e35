/* SPDX-License-Identifier: MIT */
/* The slots of the cache: their memory, what they show, and the bytes in them that must go home. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "runtime/global/arena.h"
#include "runtime/global/cache.h"
#include "runtime/global/hosts.h"
#include "runtime/global/link.h"
#include "runtime/global/record.h"
#include "runtime/global/settings.h"

struct uat_cache uat_cache = {.epoch = 1};
_Static_assert((int)UAT_FAR_BLOCK_SHIFT == UAT_BLOCK_SHIFT, "slots have a run each");

size_t uat_cache_plan(void)
{
    size_t slots = 1;
    while (2 * slots * UAT_BLOCK <= uat_global_settings.cache_size)
        slots *= 2;
    uat_cache.ring_size = uat_hosts.far ? slots * UAT_BLOCK : 0;
    uat_cache.ring_mask = uat_cache.ring_size - 1;
    uat_cache.slot_mask = slots - 1;
    return uat_cache.ring_size;
}

int uat_cache_open(void)
{
    size_t slots = uat_cache.slot_mask + 1;
    uat_cache.slot = aligned_alloc(_Alignof(struct uat_slot_of_cache), slots * sizeof(*uat_cache.slot));
    uat_cache.shown = calloc(slots, sizeof(*uat_cache.shown));
    uat_cache.pending = calloc(slots, sizeof(*uat_cache.pending));
    if (!uat_cache.slot || !uat_cache.shown || !uat_cache.pending) {
        uat_error("no memory for the %zu slots of the cache of far memory; lower UAT_CACHE_SIZE", slots);
        return -ENOMEM;
    }
    memset(uat_cache.slot, 0, slots * sizeof(*uat_cache.slot));
    uat_cache.ring = uat_arena.ring;
    uat_cache.shows = uat_hosts.far && !uat_registry.strict;
    if (uat_hosts.far) {
        uat_far.shown = uat_cache.shown;
        uat_far.ring = uat_cache.ring;
        uat_far.mask = uat_cache.ring_mask;
    }
    return 0;
}

void uat_cache_close(void)
{
    uat_open_reset(); /* no run is shown any more */
    free(uat_cache.slot);
    free(uat_cache.shown);
    free(uat_cache.pending);
    uat_cache = (struct uat_cache){.epoch = 1};
}

void uat_slot_settle(struct uat_slot_of_cache *s)
{
    uat_link_wait((int)s->link, s->read_end);
    s->valid |= s->arriving;
    s->arriving = 0;
}

static void hide(const struct uat_slot_of_cache *s)
{
    uat_cache.shown[s - uat_cache.slot].size = 0;
}

void uat_cache_hide(void)
{
    for (uint64_t i = 0; uat_cache.shows && i <= uat_cache.slot_mask; i++)
        hide(&uat_cache.slot[i]);
}

/*
 * Write-back: bytes that were checked in are written to their homes. Small neighbouring ranges wait in their slot until
 * they form one large range, until a range that does not touch them is checked in, or until something needs them at
 * home. Then these ranges are posted as WRITEs. This worker waits for the WRITEs at its next release, or earlier if it
 * needs the slot for another block or writes the same bytes again.
 */
void uat_cache_post_slot(struct uat_slot_of_cache *s)
{
    uint32_t from = s->dirty, to = s->dirty_end;
    if (to == 0)
        return;
    uintptr_t at = (s->block << UAT_BLOCK_SHIFT) + from;
    const struct uat_array *a = uat_array_of(at);
    struct uat_home home = uat_array_home(a, at);
    s->dirty_end = 0;
    s->write_end = uat_link_write(a, &home, at, uat_slot_place(s) + from, to - from);
}

void uat_cache_post_all(void)
{
    for (uint32_t i = 0; i < uat_cache.pending_count; i++) {
        struct uat_slot_of_cache *s = &uat_cache.slot[uat_cache.pending[i]];
        s->listed = false;
        uat_cache_post_slot(s);
    }
    uat_cache.pending_count = 0;
}

void uat_cache_post_range(uintptr_t at, size_t bytes)
{
    for (uint64_t block = at >> UAT_BLOCK_SHIFT; block <= (at + bytes - 1) >> UAT_BLOCK_SHIFT; block++) {
        struct uat_slot_of_cache *s = uat_slot_for(block);
        if (s->block == block)
            uat_cache_post_slot(s);
    }
}

void uat_slot_claim(struct uat_slot_of_cache *s, uint64_t block, uint32_t link, uint64_t epoch)
{
    if (s->dirty_end)
        uat_cache_post_slot(s);
    if (s->block)
        uat_link_wait((int)s->link, s->write_end > s->read_end ? s->write_end : s->read_end);
    bool listed = s->listed;
    hide(s);
    *s = (struct uat_slot_of_cache){.block = block, .epoch = epoch, .link = link, .listed = listed};
}

void uat_cache_update(uintptr_t at, const void *from, size_t bytes)
{
    const char *source = from;
    for (size_t done = 0; done < bytes;) {
        uintptr_t p = at + done;
        size_t inside = p % UAT_BLOCK, n = bytes - done < UAT_BLOCK - inside ? bytes - done : UAT_BLOCK - inside;
        struct uat_slot_of_cache *s = uat_slot_for(p >> UAT_BLOCK_SHIFT);
        if (s->block == p >> UAT_BLOCK_SHIFT) {
            if (s->arriving)
                uat_slot_settle(s); /* wait: otherwise the READ of the prefetch might arrive after this copy */
            memcpy(uat_slot_place(s) + inside, source + done, n);
        }
        done += n;
    }
}

void uat_cache_drop(const struct uat_array *a)
{
    for (uint64_t i = 0; uat_cache.ring_size && i <= uat_cache.slot_mask; i++) {
        struct uat_slot_of_cache *s = &uat_cache.slot[i];
        if (s->block && (s->block << UAT_BLOCK_SHIFT) - a->start < a->size)
            uat_slot_claim(s, 0, s->link, 0);
    }
}
