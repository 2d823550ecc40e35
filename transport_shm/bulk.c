/* SPDX-License-Identifier: MIT */
/*
 * Bulk data over shared memory. The memory objects of all hosts are mapped into this process, and this CPU copies the
 * data. Other hosts are simulated (UAT_GLOBAL_HOSTS).
 *
 * An operation takes effect when it is posted, unless torture delays it (delayed.h). This file keeps the promises of
 * bulk.h as follows:
 *   B1, B2  An atomic is a full fence: execute_atomic() in delayed.c.
 *   B3      This CPU itself does the loads of a READ, and a fence follows them.
 *   B4      Completions are reported in the order of posting: tell_due(), and tell_some() in delayed.c.
 *   B5      CPU atomics.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/bulk.h"
#include "transport_shm/delayed.h"

struct bulk_shm {
    struct uat_bulk head;
    struct uat_late *late; /* an array with one per link; NULL: no torture */
    struct uat_shuffle random;
    uint64_t latency; /* ns from posting to completion; ignored under torture */
    uint64_t *due;    /* DUE_ROOM entries per link: operation n completes at the time in entry n % DUE_ROOM */
};

enum { DUE_ROOM = 64 };

static void bulk_close(struct uat_bulk *head)
{
    struct bulk_shm *b = (struct bulk_shm *)head;
    for (int i = 0; b->late && i < head->links; i++)
        uat_delayed_close(&b->late[i]);
    free(b->late);
    free(b->due);
    free(head->link);
    free(b);
}

static int bulk_open(const struct uat_bulk_config *config, struct uat_bulk **out)
{
    struct bulk_shm *b = calloc(1, sizeof(*b));
    if (!b)
        return -ENOMEM;
    b->head = (struct uat_bulk){.class_ = &uat_bulk_shm,
                                .links = config->hosts,
                                .link = calloc((size_t)config->hosts, sizeof(*b->head.link)),
                                .transport = config->transport};
    b->latency = config->late ? 0 : (uint64_t)config->latency;
    b->due = calloc((size_t)config->hosts, DUE_ROOM * sizeof(*b->due));
    if (config->late)
        b->late = calloc((size_t)config->hosts, sizeof(*b->late));
    if (!b->head.link || !b->due || (config->late && !b->late)) {
        uat_error("transport shm: out of memory for the links to %d hosts", config->hosts);
        bulk_close(&b->head);
        return -ENOMEM;
    }
    uat_shuffle_init(&b->random, config->seed, config->transport->rank);
    *out = &b->head;
    return 0;
}

static int bulk_expose(struct uat_bulk *head, int fd, void *address, size_t bytes, struct uat_bulk_key *key)
{
    (void)head;
    (void)fd;
    (void)bytes;
    *key = (struct uat_bulk_key){.base = (uintptr_t)address};
    return 0;
}

static void bulk_conceal(struct uat_bulk *head, void *address)
{
    (void)head;
    (void)address;
}

static int step(struct bulk_shm *b, int link)
{
    int told = uat_delayed_step(&b->late[link], &b->random);
    if (told < 0) {
        uat_error("transport shm: out of memory for delayed operations (UAT_TORTURE=delay)");
        return told;
    }
    b->head.link[link].completed += (uint64_t)told;
    return 0;
}

/* Report the completions that are due. */
static void tell_due(struct bulk_shm *b, int link)
{
    struct uat_bulk_link *l = &b->head.link[link];
    uint64_t now = l->completed < l->posted ? uat_clock_ns() : 0;
    while (l->completed < l->posted && b->due[link * DUE_ROOM + (int)(l->completed % DUE_ROOM)] <= now)
        l->completed++;
}

static int bulk_post(struct uat_bulk *head, int link, const struct uat_bulk_op *op)
{
    struct bulk_shm *b = (struct bulk_shm *)head;
    struct uat_bulk_link *l = &head->link[link];
    head->transport->ops[op->code]++;
    if (!b->late) {
        uat_delayed_execute(op, op->local);
        if (!b->latency) {
            l->completed = ++l->posted;
            return 0;
        }
        while (l->posted - l->completed == DUE_ROOM)
            tell_due(b, link);
        b->due[link * DUE_ROOM + (int)(l->posted++ % DUE_ROOM)] = uat_clock_ns() + b->latency;
        return 0;
    }
    while (b->late[link].count == UAT_DELAYED_ROOM) {
        int rc = step(b, link);
        if (rc)
            return rc;
    }
    l->posted++;
    uat_delayed_put(&b->late[link], op);
    return 0;
}

static int bulk_progress(struct uat_bulk *head)
{
    struct bulk_shm *b = (struct bulk_shm *)head;
    int rc = 0;
    for (int i = 0; b->late && i < head->links && !rc; i++)
        rc = step(b, i);
    for (int i = 0; b->latency && i < head->links; i++)
        tell_due(b, i);
    return rc;
}

/* A CPU reaches all memory. But under torture half of the answers are no, so that the caller uses bounce buffers, as
 * over verbs. */
static bool bulk_reaches(const struct uat_bulk *head, const void *local, size_t bytes)
{
    struct bulk_shm *b = (struct bulk_shm *)(uintptr_t)head;
    (void)local;
    (void)bytes;
    return !b->late || uat_shuffle_random(&b->random, 2);
}

const struct uat_bulk_class uat_bulk_shm = {
    .cpu_atomics = true,
    .maps = true,
    .open = bulk_open,
    .expose = bulk_expose,
    .conceal = bulk_conceal,
    .post = bulk_post,
    .progress = bulk_progress,
    .reaches = bulk_reaches,
    .close = bulk_close,
};
