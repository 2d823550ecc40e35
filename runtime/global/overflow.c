/* SPDX-License-Identifier: MIT */
/*
 * Ranges that the ring cannot hold in one piece. These are ranges that lie partly near and partly far, and ranges whose
 * blocks would evict blocks that are checked out. Such a range is copied to a place in an area beside the ring, and is
 * written back from this place. G7: bytes that are written home from this area are also copied into the slots, so that
 * a byte is never cached with two values.
 */
#include <string.h>

#include "runtime/global/arena.h"
#include "runtime/global/hosts.h"
#include "runtime/global/cache.h"
#include "runtime/global/record.h"
#include "runtime/global/array.h"
#include "runtime/global/link.h"
#include "runtime/trace/trace.h"
#include "runtime/job/fatal.h"

/* A place of `bytes` bytes in the lowest gap between the places in use, `in_page` bytes after the start of a part; NULL
 * if no gap is large enough. */
static char *find_gap(size_t bytes, size_t in_page)
{
    char *at = uat_arena.overflow;
    for (bool moved = true; moved;) {
        moved = false;
        for (const struct uat_open *o = uat_opens + 1; o <= uat_far.last; o++) {
            if (!(uat_open_kind(o) & UAT_OPEN_OVERFLOW))
                continue;
            char *from = o->place - o->at % UAT_PART;
            size_t size = (o->at % UAT_PART + uat_open_bytes(o) + UAT_PART - 1) / UAT_PART * UAT_PART;
            if (from < at + in_page + bytes && at < from + size) {
                at = from + size;
                moved = true;
            }
        }
    }
    return at + in_page + bytes <= uat_arena.overflow + uat_arena.overflow_size ? at + in_page : NULL;
}

static __attribute__((cold)) _Noreturn void refuse(uintptr_t at, size_t bytes)
{
    size_t need = 8 * bytes > 2 * uat_cache.ring_size ? 8 * bytes : 2 * uat_cache.ring_size;
    uat_fatal(
        "uat_global_checkout(): %zu bytes at %p do not fit into the cache beside the %llu ranges that are checked "
        "out; set "
        "UAT_CACHE_SIZE=%zuk (now %zuk) or check out less",
        bytes, (void *)at, (unsigned long long)uat_open_count(), need >> 10, uat_cache.ring_size >> 10);
}

/* The number of bytes from p on, at most n, in one block. */
static size_t piece(uintptr_t p, size_t n)
{
    size_t rest = UAT_BLOCK - p % UAT_BLOCK;
    return n < rest ? n : rest;
}

size_t uat_global_checkout_limit(void)
{
    return uat_hosts.far ? uat_arena.overflow_size : SIZE_MAX;
}

void *uat_overflow_checkout(const struct uat_array *a, uintptr_t at, size_t bytes, enum uat_access access)
{
    char *place = find_gap(bytes, at % UAT_PART);
    if (!place)
        refuse(at, bytes);
    uint64_t since = uat_trace_begin();
    for (size_t done = 0, n; done < bytes && access != UAT_WRITE; done += n) {
        n = piece(at + done, bytes - done);
        struct uat_home home = uat_array_home(a, at + done);
        if (home.near) {
            memcpy(place + done, (void *)(at + done), n);
            continue;
        }
        uat_cache_post_range(at + done, n);
        uint64_t end = uat_link_read(a, &home, at + done, place + done, n);
        uat_link_wait(home.host, end);
    }
    uat_trace_end(UAT_TRACE_MISS, since, bytes, -1);
    uat_open_push(at, bytes, (uint64_t)access | UAT_OPEN_OVERFLOW)->place = place;
    return place;
}

void uat_overflow_checkin(struct uat_open *o)
{
    const struct uat_array *a = uat_array_of(o->at);
    size_t bytes = uat_open_kind(o) & UAT_WRITE ? uat_open_bytes(o) : 0;
    for (size_t done = 0, n; done < bytes; done += n) {
        n = piece(o->at + done, bytes - done);
        struct uat_home home = uat_array_home(a, o->at + done);
        if (home.near) {
            memcpy((void *)(o->at + done), o->place + done, n);
            continue;
        }
        uat_cache_post_range(o->at + done, n);
        uint64_t end = uat_link_write(a, &home, o->at + done, o->place + done, n);
        uat_link_wait(home.host, end); /* after this the place may be reused */
        uat_cache_update(o->at + done, o->place + done, n);
    }
}
