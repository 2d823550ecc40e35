/* SPDX-License-Identifier: MIT */
/* Get and put: copies from and to global memory that leave the cache alone, but for what is cached of the same bytes (G8). */
#include <string.h>

#include "base/mutant.h"
#include "global/state.h"
#include "runtime/watch/die.h"

/* A bounce buffer that no transfer uses any more. At least half of them are not held. */
static char *take_bounce(int link, unsigned *number)
{
    struct uat_global *g = &uat_global;
    unsigned i = (unsigned)(g->bounce_next++ % UAT_BOUNCES);
    while (g->bounce_held[i])
        i = (unsigned)(g->bounce_next++ % UAT_BOUNCES);
    uat_global_wait((int)g->bounce_link[i], g->bounce_end[i]);
    g->bounce_link[i] = (uint32_t)link;
    *number = i;
    return g->bounce + (size_t)i * UAT_BOUNCE;
}

/* Bytes that one operation can carry from at on: in one chunk, and in a bounce buffer if it needs one. */
static size_t portion(const struct uat_home *home, size_t bytes, bool direct)
{
    size_t n = bytes < home->run ? bytes : home->run;
    return direct || n <= UAT_BOUNCE ? n : UAT_BOUNCE;
}

static void get_far(char *local, uintptr_t at, size_t bytes, const struct uat_home *home, bool direct)
{
    struct uat_global *g = &uat_global;
    unsigned number;
    uat_writeback_range(at, bytes);
    char *to = direct ? local : take_bounce(home->host, &number);
    uat_global_wait(home->host, uat_fetch_post(at, to, bytes));
    if (to != local)
        memcpy(local, to, bytes);
    g->count.bytes_fetched += bytes;
}

/* What is pending of these bytes goes first; then the WRITE meets it in the set of ranges, and waits for a flush. */
static uint64_t put_far(uintptr_t at, const void *source, size_t bytes)
{
    uat_writeback_range(at, bytes);
    if (!uat_mutant("G8"))
        uat_cache_update(at, source, bytes);
    return uat_writeback_post(at, source, bytes);
}

void uat_get(void *local, const void *global, size_t bytes)
{
    const struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)global;
    const struct uat_array *a = uat_array_check("uat_get()", at, bytes);
    bool direct = g->bulk->class_->reaches(g->bulk, local, bytes);
    for (size_t done = 0, n; done < bytes; done += n) {
        struct uat_home home = uat_array_home(a, at + done);
        n = portion(&home, bytes - done, direct || home.host == g->host);
        if (home.host == g->host)
            memcpy((char *)local + done, (void *)(at + done), n);
        else
            get_far((char *)local + done, at + done, n, &home, direct);
    }
}

void uat_put(void *global, const void *local, size_t bytes)
{
    struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)global;
    const struct uat_array *a = uat_array_check("uat_put()", at, bytes);
    for (size_t done = 0, n; done < bytes; done += n) {
        struct uat_home home = uat_array_home(a, at + done);
        const char *from = (const char *)local + done;
        n = portion(&home, bytes - done, home.host == g->host);
        if (home.host == g->host) {
            memcpy((void *)(at + done), from, n);
            continue;
        }
        unsigned number;
        char *bounce = take_bounce(home.host, &number);
        g->bounce_end[number] = put_far(at + done, memcpy(bounce, from, n), n);
    }
}

void uat_get_begin(uat_transfer_t *t, void *local, const void *global, size_t bytes)
{
    struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)global;
    const struct uat_array *a = uat_array_check("uat_get_begin()", at, bytes);
    *t = (uat_transfer_t){0};
    uat_global_opened.transfers++;
    if (bytes == 0)
        return;
    struct uat_home home = uat_array_home(a, at);
    bool direct = g->bulk->class_->reaches(g->bulk, local, bytes);
    /* What does not go by one operation is done at once; so is what would need more bounce buffers than there are. */
    if (home.host == g->host || bytes > home.run || bytes > UAT_TRANSFER_MAX || (!direct && bytes > UAT_BOUNCE) ||
        (!direct && g->bounces_held >= UAT_BOUNCES / 2)) {
        uat_get(local, global, bytes);
        return;
    }
    unsigned number = 0;
    uat_writeback_range(at, bytes);
    char *to = direct ? local : take_bounce(home.host, &number);
    uint64_t end = uat_fetch_post(at, to, bytes);
    g->count.bytes_fetched += bytes;
    *t = (uat_transfer_t){.end = end, .bytes = (uint32_t)bytes, .link = (uint32_t)home.host};
    if (!direct) {
        g->bounce_end[number] = end;
        g->bounce_held[number] = true; /* until the bytes have been copied away */
        g->bounces_held++;
        t->from = to;
        t->to = local;
    }
}

void uat_put_begin(uat_transfer_t *t, void *global, const void *local, size_t bytes)
{
    struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)global;
    const struct uat_array *a = uat_array_check("uat_put_begin()", at, bytes);
    *t = (uat_transfer_t){0};
    uat_global_opened.transfers++;
    if (bytes == 0)
        return;
    struct uat_home home = uat_array_home(a, at);
    if (home.host == g->host || bytes > home.run || bytes > UAT_TRANSFER_MAX || bytes <= 64 ||
        !g->bulk->class_->reaches(g->bulk, local, bytes)) {
        uat_put(global, local, bytes); /* returns without waiting for the home as well */
        return;
    }
    *t = (uat_transfer_t){.end = put_far(at, local, bytes), .bytes = (uint32_t)bytes, .link = (uint32_t)home.host};
}

void uat_transfer_wait(uat_transfer_t *t)
{
    struct uat_global *g = &uat_global;
    if (uat_global_opened.transfers == 0)
        uat_die("uat_transfer_wait(): no transfer is under way; each one that is begun is waited for once");
    uat_global_opened.transfers--;
    if (t->end)
        uat_global_wait((int)t->link, t->end);
    if (t->from) {
        memcpy(t->to, t->from, t->bytes);
        g->bounce_held[((char *)t->from - g->bounce) / UAT_BOUNCE] = false;
        g->bounces_held--;
    }
    t->end = 0;
    t->from = NULL;
}
