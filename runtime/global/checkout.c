/* SPDX-License-Identifier: MIT */
/*
 * Checkout and checkin of ranges that are neither near nor in the cache. For near and cached ranges
 * include/uat/detail/global.h makes no call.
 */
#include "runtime/global/cache.h"
#include "runtime/global/record.h"
#include "runtime/job/fatal.h"

static __attribute__((noinline, cold)) void check_access(const char *call, uintptr_t at, size_t bytes,
                                                         enum uat_access access)
{
    if (access != UAT_READ && access != UAT_WRITE && access != UAT_READ_WRITE)
        uat_fatal("%s: %p: the access is %d, not UAT_READ, UAT_WRITE or UAT_READ_WRITE", call, (void *)at, (int)access);
    if (bytes == 0)
        return;
    const struct uat_array *a = uat_array_check(call, at, bytes);
    if (access & UAT_WRITE)
        uat_array_refuse_frozen(call, a, at, bytes);
    if (uat_global.config.watch && uat_global_is_array((const void *)at))
        uat_global.config.watch(at, bytes, (access & UAT_WRITE) != 0);
}

void *uat_global_checkout_elsewhere(const void *p, size_t bytes, enum uat_access access)
{
    uintptr_t at = (uintptr_t)p;
    void *place = uat_cache_show(at, bytes) ? uat_far_hit(at, bytes, access) : NULL;
    if (place)
        return place;
    check_access("uat_global_checkout()", at, bytes, access);
    if (bytes == 0 || uat_global_near(p, bytes) == bytes) {
        uat_open_push(at, bytes, (uint64_t)access | UAT_OPEN_NEAR);
        return (void *)at;
    }
    return uat_cache_checkout(at, bytes, access);
}

/* Note a write to a range of the ring. */
static __attribute__((noinline)) void mark(uintptr_t at, size_t bytes)
{
    for (uintptr_t p = at, end = at + bytes; p < end;) {
        struct uat_slot_of_cache *s = uat_slot_for(p >> UAT_BLOCK_SHIFT);
        size_t from = p % UAT_BLOCK, to = end - p < UAT_BLOCK - from ? from + (end - p) : UAT_BLOCK;
        uat_writeback_mark(s, from, to);
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
    uintptr_t at = (uintptr_t)p;
    if (bytes && !uat_near_holds(at, bytes) && bytes <= uat_global.cache.ring_size / 2)
        uat_cache_prefetch(at, bytes);
}
