/* SPDX-License-Identifier: MIT */
/*
 * The cache of far memory: a ring of places. Block b of global memory has its place in slot b mod slots. The ring is
 * mapped twice in a row, so that a range of several blocks is contiguous. A miss takes no system call.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdlib.h>

#include "base/log.h"
#include "runtime/global/settings.h"
#include "runtime/global/cache.h"
#include "runtime/global/record.h"
#include "runtime/global/array.h"
#include "runtime/global/link.h"
#include "runtime/trace/trace.h"

enum { LANDING = 4096 /* bytes reserved around the landing word */ };

static const struct uat_shown_run nothing; /* shown before global memory is open, and in a job on one host */
struct uat_far uat_far = {.shown = &nothing,
                          .epoch = UINT64_C(1) << UAT_FAR_EPOCH_SHIFT,
                          .last = uat_opens,
                          .full = uat_opens + UAT_OPEN_MAX};
_Static_assert((int)UAT_FAR_BLOCK_SHIFT == UAT_BLOCK_SHIFT, "slots have a run each");

/*
 * Map the arena, and right after it the ring a second time. The ring starts 1 MiB after a multiple of 2 MiB. So a
 * byte's place in the ring and a byte at the same offset in any array never collide in a first-level cache. The reason
 * is in place.c: bit 20 is 1 in one address and 0 in the other, and bit 15 is the same in both.
 */
static int map_arena(struct uat_global *g)
{
    const size_t unit = UINT64_C(2) << 20, apart = unit / 2, size = g->arena.size + g->cache.ring_size;
    char *p = mmap(NULL, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -errno;
    size_t before = (apart - ((uintptr_t)p + g->arena.size - g->cache.ring_size)) % unit;
    if (before)
        munmap(p, before);
    p += before;
    munmap(p + size, unit - before);
    g->arena.base = p;
    if (mmap(p, g->arena.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, g->arena.fd, 0) ==
        MAP_FAILED)
        return -errno;
    off_t ring = (off_t)(g->arena.size - g->cache.ring_size);
    if (g->cache.ring_size && mmap(p + g->arena.size, g->cache.ring_size, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_FIXED | MAP_POPULATE, g->arena.fd, ring) == MAP_FAILED)
        return -errno;
    return 0;
}

void uat_cache_plan(void)
{
    struct uat_global *g = &uat_global;
    size_t slots = 1;
    while (2 * slots * UAT_BLOCK <= uat_global_settings.cache_size)
        slots *= 2;
    g->cache.ring_size = g->far ? slots * UAT_BLOCK : 0;
    g->cache.ring_mask = g->cache.ring_size - 1;
    g->arena.overflow_size = g->cache.ring_size / 4;
    g->cache.slot_mask = slots - 1;
    g->arena.size = g->arena.overflow_size + (size_t)UAT_BOUNCES * UAT_BOUNCE + LANDING + g->cache.ring_size;
}

int uat_cache_open(void)
{
    struct uat_global *g = &uat_global;
    g->arena.fd = memfd_create("uat-cache", MFD_CLOEXEC);
    g->cache.slot =
        aligned_alloc(_Alignof(struct uat_slot_of_cache), (g->cache.slot_mask + 1) * sizeof(*g->cache.slot));
    g->cache.shown = calloc(g->cache.slot_mask + 1, sizeof(*g->cache.shown));
    g->cache.pending = calloc(g->cache.slot_mask + 1, sizeof(*g->cache.pending));
    int rc = !g->cache.slot || !g->cache.shown || !g->cache.pending ? -ENOMEM : g->arena.fd < 0 ? -errno : 0;
    if (g->cache.slot)
        memset(g->cache.slot, 0, (g->cache.slot_mask + 1) * sizeof(*g->cache.slot));
    if (!rc && ftruncate(g->arena.fd, (off_t)g->arena.size))
        rc = -errno;
    if (!rc)
        rc = map_arena(g);
    if (rc) {
        uat_error("no memory for the cache of far memory, %zu KiB: %s; lower UAT_CACHE_SIZE", g->arena.size >> 10,
                  strerror(-rc));
        return rc;
    }
    g->arena.overflow = g->arena.base;
    g->bounce.buffers = g->arena.overflow + g->arena.overflow_size;
    g->arena.landing = (uint64_t *)(g->bounce.buffers + (size_t)UAT_BOUNCES * UAT_BOUNCE);
    g->cache.ring = g->arena.base + g->arena.size - g->cache.ring_size;
    if (g->far) {
        uat_far.shown = g->cache.shown;
        uat_far.ring = g->cache.ring;
        uat_far.mask = g->cache.ring_mask;
    }
    return 0;
}

void uat_cache_close(void)
{
    struct uat_global *g = &uat_global;
    if (g->arena.base)
        munmap(g->arena.base, g->arena.size + g->cache.ring_size);
    if (g->cache.slot && g->arena.fd >= 0)
        close(g->arena.fd);
    uat_far.shown = &nothing;
    uat_far.mask = 0;
    free(g->cache.slot);
    free(g->cache.shown);
    free(g->cache.pending);
    g->arena.base = g->cache.ring = NULL;
    g->cache.slot = NULL;
    g->cache.shown = NULL;
    g->cache.pending = NULL;
    g->cache.pending_count = 0;
}

/* Record that a prefetch to the slot has completed. */
static void settle(struct uat_slot_of_cache *s)
{
    uat_link_wait((int)s->link, s->read_end);
    s->valid |= s->arriving;
    s->arriving = 0;
}

/* Publish the run of valid parts around this valid part. A hit checks only that run. */
static void show(const struct uat_slot_of_cache *s, unsigned part)
{
    struct uat_shown_run *r = &uat_global.cache.shown[s - uat_global.cache.slot];
    if (!uat_global.cache.shows)
        return;
    unsigned first = part, end = part + 1;
    while (first > 0 && s->valid >> (first - 1) & 1)
        first--;
    while (end < UAT_PARTS && s->valid >> end & 1)
        end++;
    r->size = (end - first) << UAT_PART_SHIFT;
    r->end = (s->block << UAT_BLOCK_SHIFT) + ((uintptr_t)end << UAT_PART_SHIFT) + uat_far.epoch;
}

static void hide(const struct uat_slot_of_cache *s)
{
    uat_global.cache.shown[s - uat_global.cache.slot].size = 0;
}

void uat_cache_hide(void)
{
    const struct uat_global *g = &uat_global;
    for (uint64_t i = 0; g->cache.shows && i <= g->cache.slot_mask; i++)
        hide(&g->cache.slot[i]);
}

bool uat_cache_show(uintptr_t at, size_t bytes)
{
    size_t from = at % UAT_BLOCK;
    if (!uat_global.cache.shows)
        return false;
    const struct uat_slot_of_cache *s = uat_slot_for(at >> UAT_BLOCK_SHIFT);
    if (bytes - 1 >= UAT_BLOCK - from || s->block != at >> UAT_BLOCK_SHIFT ||
        s->epoch != uat_epoch_of(uat_array_of(at)) || uat_parts_touched(from, from + bytes) & ~(unsigned)s->valid)
        return false;
    show(s, (unsigned)(from >> UAT_PART_SHIFT));
    return true;
}

/* Assign the slot to a block. Before that, the last WRITE from the slot and the last READ into it must be complete
 * (G6). */
static void evict_and_claim(struct uat_slot_of_cache *s, uint64_t block, uint32_t link, uint64_t epoch)
{
    uat_writeback_slot(s);
    if (s->block) {
        uat_link_wait((int)s->link, s->write_end);
        uat_link_wait((int)s->link, s->read_end);
    }
    bool listed = s->listed;
    hide(s);
    *s = (struct uat_slot_of_cache){.block = block, .epoch = epoch, .link = link, .listed = listed};
}

/* The slot for a block of array a, in the current epoch; NULL if another block in this slot is checked out. */
static struct uat_slot_of_cache *prepare(const struct uat_array *a, uint64_t block)
{
    struct uat_slot_of_cache *s = uat_slot_for(block);
    uint64_t epoch = uat_epoch_of(a);
    if (s->block != block) {
        if (s->block && uat_open_has_block(s->block))
            return NULL;
        struct uat_home home = uat_array_home(a, block << UAT_BLOCK_SHIFT);
        evict_and_claim(s, block, (uint32_t)home.host, epoch);
    } else if (s->epoch != epoch) {
        if (s->arriving)
            settle(s);
        s->valid = 0; /* no run of the slot is shown, because an acquire changed the epoch, and so hid all runs */
        s->epoch = epoch;
    }
    return s;
}

/* READ [at, end) of one block, except for bytes that are checked out for writing. The values of these bytes are only in
 * the slot (G10). */
static void fetch_around(struct uat_slot_of_cache *s, uintptr_t at, uintptr_t end)
{
    struct uat_global *g = &uat_global;
    while (at < end) {
        uintptr_t stop = end, next = uat_open_written(at, &stop);
        if (at < stop) {
            s->read_end = uat_link_read(at, g->cache.ring + (at & g->cache.ring_mask), stop - at);
            g->count.bytes_fetched += stop - at;
        }
        at = next;
    }
}

/* READ the parts that are missing; the caller must wait until operation s->read_end has completed. */
static void fetch(struct uat_slot_of_cache *s, unsigned missing)
{
    uintptr_t start = (uintptr_t)s->block << UAT_BLOCK_SHIFT;
    if (s->dirty_end) /* the READ would overwrite bytes that are not yet posted */
        uat_writeback_slot(s);
    for (unsigned part = 0; part < UAT_PARTS;) {
        unsigned end = part;
        while (end < UAT_PARTS && missing >> end & 1)
            end++;
        if (end == part) {
            part++;
            continue;
        }
        fetch_around(s, start + ((uintptr_t)part << UAT_PART_SHIFT), start + ((uintptr_t)end << UAT_PART_SHIFT));
        part = end;
    }
}

/* The parts of [from, to) whose content must come from their home before the access. An access that reads needs every
 * part that [from, to) touches. An access that only writes needs the parts that [from, to) covers incompletely (G2). */
static unsigned needed(size_t from, size_t to, enum uat_access access)
{
    unsigned parts = uat_parts_touched(from, to);
    if (access != UAT_WRITE)
        return parts;
    unsigned edges = 0;
    if (from % UAT_PART)
        edges |= uat_parts_touched(from, from + 1);
    if (to % UAT_PART)
        edges |= uat_parts_touched(to - 1, to);
    return edges;
}

/* Start to fetch the missing parts of [at, end), block by block. Returns false if the ring cannot hold the range
 * now. */
static bool begin(const struct uat_array *a, uintptr_t at, uintptr_t end, enum uat_access access)
{
    for (uintptr_t p = at; p < end;) {
        uint64_t block = p >> UAT_BLOCK_SHIFT;
        size_t from = p % UAT_BLOCK, to = end - p < UAT_BLOCK - from ? from + (end - p) : UAT_BLOCK;
        struct uat_slot_of_cache *s = prepare(a, block);
        if (!s)
            return false;
        unsigned touched = uat_parts_touched(from, to);
        if (s->arriving & touched)
            settle(s);
        unsigned missing = needed(from, to, access) & ~s->valid;
        if (missing)
            fetch(s, missing);
        s->valid |= touched; /* this becomes true once uat_cache_checkout() has waited and the caller has written */
        show(s, (unsigned)(from >> UAT_PART_SHIFT));
        p += to - from;
    }
    return true;
}

static void await_range(uintptr_t at, uintptr_t end)
{
    for (uint64_t block = at >> UAT_BLOCK_SHIFT; block <= (end - 1) >> UAT_BLOCK_SHIFT; block++) {
        const struct uat_slot_of_cache *s = uat_slot_for(block);
        uat_link_wait((int)s->link, s->read_end);
    }
}

/* Is the whole range far, and does it fit into the ring? */
static bool fits_ring(const struct uat_array *a, uintptr_t at, size_t bytes)
{
    const struct uat_global *g = &uat_global;
    if (at % UAT_BLOCK + bytes > g->cache.ring_size)
        return false;
    for (uintptr_t p = at; p < at + bytes;) {
        struct uat_home home = uat_array_home(a, p);
        if (home.near)
            return false;
        p += home.run;
    }
    for (uint64_t block = at >> UAT_BLOCK_SHIFT; block <= (at + bytes - 1) >> UAT_BLOCK_SHIFT; block++) {
        const struct uat_slot_of_cache *s = uat_slot_for(block);
        if (s->block && s->block != block && uat_open_has_block(s->block))
            return false;
    }
    return true;
}

void *uat_cache_checkout(uintptr_t at, size_t bytes, enum uat_access access)
{
    struct uat_global *g = &uat_global;
    const struct uat_array *a = uat_array_of(at);
    if (!fits_ring(a, at, bytes))
        return uat_overflow_checkout(at, bytes, access);
    uint64_t since = uat_trace_begin();
    begin(a, at, at + bytes, access);
    await_range(at, at + bytes);
    g->count.misses++;
    uat_trace_end(UAT_TRACE_MISS, since, bytes, -1);
    char *place = uat_slot_place(uat_slot_for(at >> UAT_BLOCK_SHIFT)) + at % UAT_BLOCK;
    uat_open_push(at, bytes, access);
    return place;
}

void uat_cache_prefetch(uintptr_t at, size_t bytes)
{
    const struct uat_array *a = uat_array_check("uat_global_prefetch()", at, bytes);
    for (uintptr_t p = at, end = at + bytes; p < end;) {
        size_t from = p % UAT_BLOCK, to = end - p < UAT_BLOCK - from ? from + (end - p) : UAT_BLOCK;
        bool far = !uat_array_home(a, p).near;
        struct uat_slot_of_cache *s = far ? prepare(a, p >> UAT_BLOCK_SHIFT) : NULL;
        unsigned missing = s ? uat_parts_touched(from, to) & ~(s->valid | s->arriving) : 0;
        if (missing) {
            fetch(s, missing);
            s->arriving |= (uint16_t)missing;
        }
        p += to - from;
    }
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
                settle(s); /* wait: otherwise the READ of the prefetch might arrive after this copy */
            memcpy(uat_slot_place(s) + inside, source + done, n);
        }
        done += n;
    }
}

void uat_cache_drop(const struct uat_array *a)
{
    struct uat_global *g = &uat_global;
    for (uint64_t i = 0; g->cache.ring_size && i <= g->cache.slot_mask; i++) {
        struct uat_slot_of_cache *s = &g->cache.slot[i];
        if (s->block && (s->block << UAT_BLOCK_SHIFT) - a->start < a->size)
            evict_and_claim(s, 0, s->link, 0);
    }
}
