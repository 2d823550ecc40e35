/* SPDX-License-Identifier: MIT */
/*
 * The cache of far memory: a ring of places. Block b of global memory has its place in slot b mod slots. The ring is
 * mapped twice in a row (arena.c), so that a range of several blocks is contiguous. A miss takes no system call.
 *
 * Here are checkout and checkin of ranges that are neither near nor shown as valid. For near and for shown ranges,
 * include/uat/detail/global.h makes no call.
 */
#include "runtime/global/cache.h"

#include <string.h>

#include "runtime/global/link.h"
#include "runtime/global/record.h"
#include "runtime/job/fatal.h"
#include "runtime/trace/trace.h"

enum { POST_AT = 2 * UAT_PART /* this number of pending bytes justifies an operation */ };

/* Publish the run of valid parts around this valid part. A hit checks only that run. */
static void show(const struct uat_slot_of_cache *s, unsigned part)
{
    struct uat_shown_run *r = &uat_cache.shown[s - uat_cache.slot];
    if (!uat_cache.shows)
        return;
    unsigned first = part, end = part + 1;
    while (first > 0 && s->valid >> (first - 1) & 1)
        first--;
    while (end < UAT_PARTS && s->valid >> end & 1)
        end++;
    r->size = (end - first) << UAT_PART_SHIFT;
    r->end = (s->block << UAT_BLOCK_SHIFT) + ((uintptr_t)end << UAT_PART_SHIFT) + uat_far.epoch;
}

/* Publish the run of the range, if it lies in one block and all of it is valid. s: the slot for the first byte. Returns
 * whether the run was published. */
static bool show_range(const struct uat_array *a, const struct uat_slot_of_cache *s, uintptr_t at, size_t bytes)
{
    size_t from = at % UAT_BLOCK;
    if (!uat_cache.shows)
        return false;
    if (bytes - 1 >= UAT_BLOCK - from || s->block != at >> UAT_BLOCK_SHIFT || s->epoch != uat_epoch_of(a) ||
        uat_parts_touched(from, from + bytes) & ~(unsigned)s->valid)
        return false;
    show(s, (unsigned)(from >> UAT_PART_SHIFT));
    return true;
}

/* Bytes [from, to) of the slot were checked in: post them, or keep them pending. */
static void mark_slot(struct uat_slot_of_cache *s, size_t from, size_t to)
{
    if (s->dirty_end && from <= s->dirty_end && to >= s->dirty) { /* G4: no byte lies between the two ranges */
        s->dirty = from < s->dirty ? (uint32_t)from : s->dirty;
        s->dirty_end = to > s->dirty_end ? (uint32_t)to : s->dirty_end;
    } else {
        uat_cache_post_slot(s);
        s->dirty = (uint32_t)from;
        s->dirty_end = (uint32_t)to;
    }
    uat_links_soil();
    if (s->dirty_end - s->dirty >= POST_AT) {
        uat_cache_post_slot(s);
    } else if (!s->listed) {
        s->listed = true;
        uat_cache.pending[uat_cache.pending_count++] = (uint32_t)(s - uat_cache.slot);
    }
}

/* May the slot take this block? Not while another block in it is checked out. */
static bool may_take(const struct uat_slot_of_cache *s, uint64_t block)
{
    return !s->block || s->block == block || uat_far.last == uat_opens || !uat_open_has_block(s->block);
}

/* Let the slot hold a block of array a, in the current epoch. The slot may take the block. host: the block's home. */
static void prepare(struct uat_slot_of_cache *s, const struct uat_array *a, uint64_t block, int host)
{
    uint64_t epoch = uat_epoch_of(a);
    if (s->block != block) {
        uat_slot_claim(s, block, (uint32_t)host, epoch);
    } else if (s->epoch != epoch) {
        if (s->arriving)
            uat_slot_settle(s);
        s->valid = 0; /* no run of the slot is shown, because an acquire changed the epoch, and so hid all runs */
        s->epoch = epoch;
    }
}

/* The home of the first byte of the block that has the byte `at`, whose home is `home`. A chunk has whole blocks. */
static struct uat_home home_of_block(struct uat_home home, uintptr_t at)
{
    home.offset -= at % UAT_BLOCK;
    home.run += at % UAT_BLOCK;
    return home;
}

/* READ [at, end) of one block, except for bytes that are checked out for writing. The values of these bytes are only in
 * the slot (G10). block: the home of the block. */
static void fetch_around(struct uat_slot_of_cache *s, const struct uat_array *a, const struct uat_home *block,
                         uintptr_t at, uintptr_t end)
{
    while (at < end) {
        uintptr_t stop = end, next = uat_far.last == uat_opens ? end : uat_open_written(at, &stop);
        if (at < stop) {
            struct uat_home home = *block;
            home.offset += at % UAT_BLOCK;
            s->read_end = uat_link_read(a, &home, at, uat_cache.ring + (at & uat_cache.ring_mask), stop - at);
        }
        at = next;
    }
}

/* READ the parts that are missing; the caller must wait until operation s->read_end has completed. */
static void fetch(struct uat_slot_of_cache *s, const struct uat_array *a, const struct uat_home *block,
                  unsigned missing)
{
    uintptr_t start = (uintptr_t)s->block << UAT_BLOCK_SHIFT;
    if (s->dirty_end) /* the READ would overwrite bytes that are not yet posted */
        uat_cache_post_slot(s);
    while (missing) { /* run by run of missing parts */
        unsigned part = (unsigned)__builtin_ctz(missing), end = part + (unsigned)__builtin_ctz(~(missing >> part));
        fetch_around(s, a, block, start + ((uintptr_t)part << UAT_PART_SHIFT),
                     start + ((uintptr_t)end << UAT_PART_SHIFT));
        missing &= ~0u << end;
    }
}

/* The parts of [from, to) that a write must fetch first: those that [from, to) covers incompletely (G2). */
static unsigned edges_of(size_t from, size_t to)
{
    unsigned edges = 0;
    if (from % UAT_PART)
        edges |= uat_parts_touched(from, from + 1);
    if (to % UAT_PART)
        edges |= uat_parts_touched(to - 1, to);
    return edges;
}

/* Start to fetch the missing parts of [at, end), block by block. The ring can hold the range. home: of the first byte.
 * s: the slot for the first byte. An access that reads needs every part that it touches. */
static void begin(const struct uat_array *a, struct uat_home home, struct uat_slot_of_cache *s, uintptr_t at,
                  uintptr_t end, enum uat_access access)
{
    home = home_of_block(home, at);
    for (uintptr_t p = at; p < end;) {
        uint64_t block = p >> UAT_BLOCK_SHIFT;
        size_t from = p % UAT_BLOCK, to = end - p < UAT_BLOCK - from ? from + (end - p) : UAT_BLOCK;
        if (p > at)
            s = uat_slot_for(block);
        prepare(s, a, block, home.host);
        unsigned touched = uat_parts_touched(from, to);
        if (s->arriving & touched)
            uat_slot_settle(s);
        unsigned missing = (access == UAT_WRITE ? edges_of(from, to) : touched) & ~s->valid;
        if (missing)
            fetch(s, a, &home, missing);
        s->valid |= touched; /* this becomes true once checkout_by_cache() has waited and the caller has written */
        show(s, (unsigned)(from >> UAT_PART_SHIFT));
        p += to - from;
        if (p < end)
            home = uat_home_after(a, home, block << UAT_BLOCK_SHIFT, UAT_BLOCK);
    }
}

/* Wait until the READs of these blocks are complete. s: the slot for the first byte. Over verbs, uat_link_wait() polls
 * by uat_ibv_bulk_progress(), transport_ibv/bulk_posting.c. retire() there counts the link's completed operations, up
 * to read_end. */
static void await_range(const struct uat_slot_of_cache *s, uintptr_t at, uintptr_t end)
{
    uint64_t block = at >> UAT_BLOCK_SHIFT, last = (end - 1) >> UAT_BLOCK_SHIFT;
    for (uat_link_wait((int)s->link, s->read_end); block < last; uat_link_wait((int)s->link, s->read_end))
        s = uat_slot_for(++block);
}

/* Is the whole range far, and can the ring hold it now? home: of the first byte. s: the slot for the first byte. */
static bool fits_ring(const struct uat_array *a, struct uat_home home, const struct uat_slot_of_cache *s, uintptr_t at,
                      size_t bytes)
{
    if (at % UAT_BLOCK + bytes > uat_cache.ring_size || home.near)
        return false;
    for (uintptr_t p = at; home.run < at + bytes - p;) {
        p += home.run;
        home = uat_array_home(a, p);
        if (home.near)
            return false;
    }
    uint64_t block = at >> UAT_BLOCK_SHIFT, last = (at + bytes - 1) >> UAT_BLOCK_SHIFT;
    bool fits = may_take(s, block);
    while (fits && block++ < last)
        fits = may_take(uat_slot_for(block), block);
    return fits;
}

static void *checkout_by_cache(const struct uat_array *a, const struct uat_home *home, struct uat_slot_of_cache *s,
                               uintptr_t at, size_t bytes, enum uat_access access)
{
    uat_cache.misses++;
    if (!fits_ring(a, *home, s, at, bytes))
        return uat_overflow_checkout(a, at, bytes, access);
    uint64_t since = uat_trace_begin();
    begin(a, *home, s, at, at + bytes, access);
    await_range(s, at, at + bytes);
    uat_trace_end(UAT_TRACE_MISS, since, bytes, -1);
    uat_open_push(at, bytes, access);
    return uat_cache.ring + (at & uat_cache.ring_mask);
}

static void (*watched_by)(uintptr_t at, size_t bytes, bool writes);

void uat_global_watch(void (*watch)(uintptr_t at, size_t bytes, bool writes))
{
    watched_by = watch;
}

/* The array of a range that may be accessed in this way; ends the job otherwise. */
static const struct uat_array *check_access(const char *call, uintptr_t at, size_t bytes, enum uat_access access)
{
    if (access != UAT_READ && access != UAT_WRITE && access != UAT_READ_WRITE)
        uat_fatal("%s: %p: the access is %d, not UAT_READ, UAT_WRITE or UAT_READ_WRITE", call, (void *)at, (int)access);
    if (bytes == 0)
        return &uat_nowhere;
    const struct uat_array *a = uat_array_check(call, at, bytes);
    if (access & UAT_WRITE)
        uat_array_refuse_frozen(call, a, at, bytes);
    if (watched_by && uat_global_is_array((const void *)at))
        watched_by(at, bytes, (access & UAT_WRITE) != 0);
    return a;
}

void *uat_global_checkout_elsewhere(const void *p, size_t bytes, enum uat_access access)
{
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = check_access("uat_global_checkout()", at, bytes, access);
    struct uat_slot_of_cache *s = uat_slot_for(at >> UAT_BLOCK_SHIFT);
    void *place = show_range(a, s, at, bytes) ? uat_far_hit(at, bytes, access) : NULL;
    if (place)
        return place;
    struct uat_home home = bytes ? uat_array_home(a, at) : (struct uat_home){.near = true};
    if (home.near && (bytes <= home.run || uat_array_near(a, at, bytes) == bytes)) {
        uat_open_push(at, bytes, (uint64_t)access | UAT_OPEN_NEAR);
        return (void *)at;
    }
    return checkout_by_cache(a, &home, s, at, bytes, access);
}

/* Note a write to a range of the ring. */
static __attribute__((noinline)) void mark(uintptr_t at, size_t bytes)
{
    for (uintptr_t p = at, end = at + bytes; p < end;) {
        struct uat_slot_of_cache *s = uat_slot_for(p >> UAT_BLOCK_SHIFT);
        size_t from = p % UAT_BLOCK, to = end - p < UAT_BLOCK - from ? from + (end - p) : UAT_BLOCK;
        mark_slot(s, from, to);
        p += to - from;
    }
}

static __attribute__((noinline)) void checkin_slowly(uintptr_t at, size_t bytes, enum uat_access access)
{
    struct uat_open o;
    uat_open_pop(at, bytes, access, &o);
    if (uat_open_kind(&o) & UAT_OPEN_OVERFLOW)
        uat_overflow_checkin(&o);
    else if (!(uat_open_kind(&o) & UAT_OPEN_NEAR) && (access & UAT_WRITE))
        mark(at, bytes);
}

void uat_global_checkin_elsewhere(const void *p, size_t bytes, enum uat_access access)
{
    uintptr_t at = (uintptr_t)p;
    const struct uat_open *last = uat_far.last;
    if (last->at != at || last->what != uat_open_what(bytes, access)) {
        checkin_slowly(at, bytes, access);
        return;
    }
    uat_far.last--;
    if (access & UAT_WRITE)
        mark(at, bytes);
}

void uat_global_prefetch(const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p, end = at + bytes;
    if (!bytes || uat_near_holds(at, bytes) || bytes > uat_cache.ring_size / 2)
        return;
    const struct uat_array *a = uat_array_check("uat_global_prefetch()", at, bytes);
    while (at < end) {
        size_t from = at % UAT_BLOCK, to = end - at < UAT_BLOCK - from ? from + (end - at) : UAT_BLOCK;
        uint64_t block = at >> UAT_BLOCK_SHIFT;
        struct uat_home home = home_of_block(uat_array_home(a, at), at);
        struct uat_slot_of_cache *s = uat_slot_for(block);
        if (!home.near && may_take(s, block)) {
            prepare(s, a, block, home.host);
            unsigned missing = uat_parts_touched(from, to) & ~(s->valid | s->arriving);
            if (missing)
                fetch(s, a, &home, missing);
            s->arriving |= (uint16_t)missing;
        }
        at += to - from;
    }
}
