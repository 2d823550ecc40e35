/* SPDX-License-Identifier: MIT */
/*
 * Get and put: copies from and to global memory. They do not go through the cache, but a put updates the cached copy of
 * the same bytes (G8).
 */
#include <string.h>

#include "include/uat/transfer.h"
#include "runtime/global/arena.h"
#include "runtime/global/cache.h"
#include "runtime/global/array.h"
#include "runtime/global/link.h"
#include "runtime/job/fatal.h"

static struct {
    uint64_t next, end[UAT_BOUNCES];
    uint32_t link[UAT_BOUNCES];
    bool held[UAT_BOUNCES]; /* a READ to this buffer is not yet copied to its caller */
    unsigned held_count;
} bounces;

void uat_transfer_reset(void)
{
    memset(&bounces, 0, sizeof(bounces));
}

enum {
    WINDOW = 32 /* maximum READs of one uat_global_get() in flight; enough buffers remain even if half are held */
};

#define BEGUN UINT64_C(0x75617420626567) /* "uat beg" */

_Static_assert(UAT_BOUNCES / 2 > WINDOW, "a bounce buffer is always free for a uat_global_put()");

/* A bounce buffer that no transfer uses any more. The search ends, because split-phase transfers hold at most half of
 * the buffers, and a uat_global_get() holds at most WINDOW more. */
static char *take_bounce(int link, unsigned *number)
{
    unsigned i = (unsigned)(bounces.next++ % UAT_BOUNCES);
    while (bounces.held[i])
        i = (unsigned)(bounces.next++ % UAT_BOUNCES);
    uat_link_wait((int)bounces.link[i], bounces.end[i]);
    bounces.link[i] = (uint32_t)link;
    *number = i;
    return uat_arena.bounces + (size_t)i * UAT_BOUNCE;
}

/* The number of bytes from `at` on that one operation can carry. These bytes lie in one chunk, and fit in a bounce
 * buffer if the operation needs one. */
static size_t portion(const struct uat_home *home, size_t bytes, bool direct)
{
    size_t n = bytes < home->run ? bytes : home->run;
    if (direct)
        return n < UAT_TRANSFER_MAX ? n : UAT_TRANSFER_MAX;
    return n < UAT_BOUNCE ? n : UAT_BOUNCE;
}

/* Post the READ of a range that one operation can carry. */
static void begin_far(uat_global_transfer_t *t, const struct uat_array *a, char *local, uintptr_t at, size_t bytes,
                      const struct uat_home *home, bool direct)
{
    unsigned number = 0;
    uat_cache_post_range(at, bytes);
    char *to = direct ? local : take_bounce(home->host, &number);
    uint64_t end = uat_link_read(a, home, at, to, bytes);
    *t = (uat_global_transfer_t){.mark = BEGUN, .end = end, .bytes = (uint32_t)bytes, .link = (uint32_t)home->host};
    if (direct)
        return;
    bounces.end[number] = end;
    bounces.held[number] = true; /* held until its bytes have been copied to the caller */
    bounces.held_count++;
    t->from = to;
    t->to = local;
}

static void finish(uat_global_transfer_t *t)
{
    if (t->end)
        uat_link_wait((int)t->link, t->end);
    if (t->from) {
        memcpy(t->to, t->from, t->bytes);
        bounces.held[((char *)t->from - uat_arena.bounces) / UAT_BOUNCE] = false;
        bounces.held_count--;
    }
    *t = (uat_global_transfer_t){0};
}

/* Post a put's WRITE, and return its number. Pending bytes of the range are posted before. The put's WRITE then
 * overlaps the range of these bytes in the link's set, so it waits for a flush. */
static uint64_t put_far(const struct uat_array *a, const struct uat_home *home, uintptr_t at, const void *source,
                        size_t bytes)
{
    uat_cache_post_range(at, bytes);
    uat_cache_update(at, source, bytes);
    return uat_link_write(a, home, at, source, bytes);
}

void uat_get_unchecked(void *local, uintptr_t at, size_t bytes)
{
    const struct uat_array *a = uat_array_of(at);
    bool direct = uat_links.bulk->class_->reaches(uat_links.bulk, local, bytes);
    uat_global_transfer_t window[WINDOW];
    unsigned begun = 0, ended = 0;
    for (size_t done = 0, n; done < bytes; done += n) {
        struct uat_home home = uat_array_home(a, at + done);
        n = portion(&home, bytes - done, direct || home.near);
        if (home.near) {
            memcpy((char *)local + done, (void *)(at + done), n);
            continue;
        }
        if (begun - ended == WINDOW)
            finish(&window[ended++ % WINDOW]);
        begin_far(&window[begun++ % WINDOW], a, (char *)local + done, at + done, n, &home, direct);
    }
    while (ended < begun)
        finish(&window[ended++ % WINDOW]);
}

void uat_global_get_elsewhere(void *local, const void *global, size_t bytes)
{
    if (bytes == 0)
        return;
    uat_array_check("uat_global_get()", (uintptr_t)global, bytes);
    uat_get_unchecked(local, (uintptr_t)global, bytes);
}

void uat_put_unchecked(uintptr_t at, const void *local, size_t bytes)
{
    const struct uat_array *a = uat_array_of(at);
    for (size_t done = 0, n; done < bytes; done += n) {
        struct uat_home home = uat_array_home(a, at + done);
        const char *from = (const char *)local + done;
        n = portion(&home, bytes - done, home.near);
        if (home.near) {
            memcpy((void *)(at + done), from, n);
            continue;
        }
        unsigned number;
        char *bounce = take_bounce(home.host, &number);
        bounces.end[number] = put_far(a, &home, at + done, memcpy(bounce, from, n), n);
    }
}

void uat_global_put_elsewhere(void *global, const void *local, size_t bytes)
{
    uintptr_t at = (uintptr_t)global;
    if (bytes == 0)
        return;
    uat_array_refuse_frozen("uat_global_put()", uat_array_check("uat_global_put()", at, bytes), at, bytes);
    uat_put_unchecked(at, local, bytes);
}

void uat_global_get_begin(uat_global_transfer_t *t, void *local, const void *global, size_t bytes)
{
    uintptr_t at = (uintptr_t)global;
    *t = (uat_global_transfer_t){.mark = BEGUN};
    uat_transfers_open++;
    if (uat_near_holds(at, bytes)) {
        memcpy(local, global, bytes);
        return;
    }
    if (bytes == 0)
        return;
    const struct uat_array *a = uat_array_check("uat_global_get_begin()", at, bytes);
    struct uat_home home = uat_array_home(a, at);
    bool direct = uat_links.bulk->class_->reaches(uat_links.bulk, local, bytes);
    /* A near transfer is completed at once. So is a transfer that needs more than one operation, or a bounce buffer
     * while half of these buffers are held. */
    if (home.near || bytes > home.run || bytes > UAT_TRANSFER_MAX || (!direct && bytes > UAT_BOUNCE) ||
        (!direct && bounces.held_count >= UAT_BOUNCES / 2)) {
        uat_get_unchecked(local, at, bytes);
        return;
    }
    begin_far(t, a, local, at, bytes, &home, direct);
}

void uat_global_put_begin(uat_global_transfer_t *t, void *global, const void *local, size_t bytes)
{
    uintptr_t at = (uintptr_t)global;
    *t = (uat_global_transfer_t){.mark = BEGUN};
    uat_transfers_open++;
    if (uat_near_holds(at, bytes)) {
        memcpy(global, local, bytes);
        return;
    }
    if (bytes == 0)
        return;
    const struct uat_array *a = uat_array_check("uat_global_put_begin()", at, bytes);
    uat_array_refuse_frozen("uat_global_put_begin()", a, at, bytes);
    struct uat_home home = uat_array_home(a, at);
    if (home.near || bytes > home.run || bytes > UAT_TRANSFER_MAX || bytes <= 64 ||
        !uat_links.bulk->class_->reaches(uat_links.bulk, local, bytes)) {
        uat_put_unchecked(at, local, bytes); /* a plain put does not wait for the home, either */
        return;
    }
    uint64_t end = put_far(a, &home, at, local, bytes);
    *t = (uat_global_transfer_t){.mark = BEGUN, .end = end, .bytes = (uint32_t)bytes, .link = (uint32_t)home.host};
}

void uat_global_transfer_wait(uat_global_transfer_t *t)
{
    if (t->mark != BEGUN || uat_transfers_open == 0) /* not in flight, or a copy of a completed transfer */
        uat_fatal("uat_global_transfer_wait(): the transfer at %p is not in flight; every transfer must be waited for "
                  "once",
                  (void *)t);
    uat_transfers_open--;
    finish(t);
}
