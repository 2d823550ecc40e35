/* SPDX-License-Identifier: MIT */
/* Checkout and checkin: what every access goes through. The near case and the far hit are here; all else is out of line. */
#include "global/state.h"
#include "runtime/watch/die.h"

/* Is the range in the run of near chunks that the array keeps at hand? */
static inline bool is_at_hand(const struct uat_array *a, uintptr_t at, size_t bytes)
{
    uintptr_t offset = at - a->near_low;
    return offset <= a->near_size && bytes <= a->near_size - offset;
}

static __attribute__((noinline, cold)) void check_access(const char *call, uintptr_t at, size_t bytes,
                                                         enum uat_access access)
{
    if (access != UAT_READ && access != UAT_WRITE && access != UAT_READ_WRITE)
        uat_die("%s: %p: the access is %d, not UAT_READ, UAT_WRITE or UAT_READ_WRITE", call, (void *)at, (int)access);
    uat_array_check(call, at, bytes);
}

/* Near, but not at hand; or under torture, where every checkout is recorded. */
static __attribute__((noinline)) void *checkout_slowly(uintptr_t at, size_t bytes, enum uat_access access)
{
    check_access("uat_checkout()", at, bytes, access);
    if (bytes == 0 || uat_global_near((void *)at, bytes) == bytes) {
        uat_open_push(at, bytes, access, (char *)at)->near = true;
        uat_global_opened.recorded++;
        return (void *)at;
    }
    uat_global_opened.recorded++;
    return uat_cache_checkout(at, bytes, access);
}

/* The place of a range that lies in one block and is valid; else NULL. */
static inline char *hit(const struct uat_array *a, uintptr_t at, size_t bytes)
{
    const struct uat_global *g = &uat_global;
    size_t from = at % UAT_BLOCK;
    if (bytes == 0 || from + bytes > UAT_BLOCK || !g->ring_size)
        return NULL;
    struct uat_slot_of_cache *s = uat_slot_for(at >> UAT_BLOCK_SHIFT);
    unsigned parts = uat_parts_touched(from, from + bytes);
    if (s->block != at >> UAT_BLOCK_SHIFT || s->epoch != uat_epoch_of(a) || (s->valid & parts) != parts || s->arriving)
        return NULL;
    s->pins++;
    return uat_slot_place(s) + from;
}

void *uat_checkout(const void *p, size_t bytes, enum uat_access access)
{
    struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = uat_array_of(at);
    if (__builtin_expect(a && is_at_hand(a, at, bytes), 1)) {
        uat_global_opened.near++;
        return (void *)at;
    }
    char *place = a && !g->strict && g->records < UAT_OPEN_MAX ? hit(a, at, bytes) : NULL;
    if (!place)
        return checkout_slowly(at, bytes, access);
    uat_global_opened.recorded++;
    g->count.hits++;
    g->record[g->records++] = (struct uat_open){.at = at, .bytes = bytes, .access = access, .place = place};
    return place;
}

/* Unpin the blocks of a range, and note what was written. */
static inline void give_back(const struct uat_open *o)
{
    for (uintptr_t p = o->at, end = o->at + o->bytes; p < end;) {
        struct uat_slot_of_cache *s = uat_slot_for(p >> UAT_BLOCK_SHIFT);
        size_t from = p % UAT_BLOCK, to = end - p < UAT_BLOCK - from ? from + (end - p) : UAT_BLOCK;
        s->pins--;
        if (o->access & UAT_WRITE)
            uat_writeback_mark(s, from, to);
        p += to - from;
    }
}

static __attribute__((noinline, cold)) void refuse_checkin(uintptr_t at, size_t bytes)
{
    check_access("uat_checkin()", at, bytes, UAT_READ);
    uat_die("uat_checkin(): %zu bytes at %p are not checked out", bytes, (void *)at);
}

static __attribute__((noinline)) void checkin_recorded(uintptr_t at, size_t bytes, enum uat_access access)
{
    struct uat_open o;
    uat_open_pop(at, bytes, access, &o);
    uat_global_opened.recorded--;
    if (o.near)
        return;
    if (o.side)
        uat_side_checkin(&o);
    else
        give_back(&o);
}

void uat_checkin(const void *p, size_t bytes, enum uat_access access)
{
    struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = uat_array_of(at);
    if (__builtin_expect(a && is_at_hand(a, at, bytes), 1)) {
        if (__builtin_expect(uat_global_opened.near == 0, 0))
            refuse_checkin(at, bytes);
        uat_global_opened.near--;
        return;
    }
    struct uat_open *o = g->records ? &g->record[g->records - 1] : NULL;
    if (__builtin_expect(o && o->at == at && o->bytes == bytes && o->access == access && !o->side && !o->near, 1)) {
        g->records--; /* the last one, as a rule */
        uat_global_opened.recorded--;
        give_back(o);
        return;
    }
    checkin_recorded(at, bytes, access);
}

void uat_prefetch(const void *p, size_t bytes)
{
    const struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)p;
    if (bytes == 0 || (uat_array_of(at) && is_at_hand(uat_array_of(at), at, bytes)))
        return;
    if (bytes <= g->ring_size / 2)
        uat_cache_prefetch(at, bytes);
}
