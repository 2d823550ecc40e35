/* SPDX-License-Identifier: MIT */
/*
 * transport_shm: the peers are processes of this host. Their segments are mapped into this process, and this CPU
 * executes a chain when it is posted. This file keeps the promises of transport.h as follows. docs/protocol.md says how
 * each processor guarantees each order.
 *
 *   O1  WRITE -> atomic: an atomic is a release. The release fence before each WRITE orders more than is promised.
 *       WRITE, atomic -> READ: a load may pass an older store that is still in the store buffer, but it cannot pass a
 *       full fence. So a full fence precedes each READ, and do_atomic() is also a full fence. These fences pair with
 *       the full fence that the words' owner executes between its store and its load. For example, uat_deque_pop()
 *       stores the invalid mark, executes the fence and loads claims. So either the owner sees the thief's claim, or
 *       the thief's READ after the claim sees the mark.
 *   O4  words.h
 *   O5  The full fence precedes a chain's first READ, so it orders all chains posted before. It also orders the CPU's
 *       own stores before the post, as an adapter's doorbell does.
 *   O6  CPU atomics.
 *   O7  This CPU itself stores the data of a READ. A fence in progress() orders the READ's loads before later loads.
 *
 * A chain is executed when it is posted, but it is done only when progress() reports it. So callers cannot depend on
 * immediate results. A full fence drains the stores of WRITEs before a completion is reported.
 *
 * Under torture a chain waits in a backlog. Its operations are executed in any order that O1 allows: some when the
 * chain is posted, the rest by later calls. So a fire-and-forget chain may be delayed until its worker next calls the
 * transport. An adapter would not delay the chain that long, but no code may depend on that.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "transport/bulk.h"
#include "transport/check.h"
#include "transport/handover.h"
#include "transport/transport.h"
#include "transport_shm/backlog.h"
#include "transport/attach_info.h"
#include "transport_shm/shuffle.h"
#include "transport/words.h"

enum {
    FLIGHTS_START = 64,
    FORGOTTEN_LATE = 16 /* torture: one in FORGOTTEN_LATE fire-and-forget chains is left to a later call */
};

struct shm_peer {
    char *base;                  /* the peer's segment, mapped into this process */
    uint64_t held;               /* torture: number of the last pass of progress() that held back completions of this
                                  * peer */
    struct uat_backlog *backlog; /* torture: operations not executed yet */
};

struct shm_flight {
    struct uat_pending *pending;
    int peer;
};

struct shm {
    struct uat_transport head;
    struct uat_bounds bounds; /* the segment; peers can access all of it */
    const char *host;
    const char *fallback; /* see struct uat_transport_config */
    struct uat_attach_info info;
    struct shm_peer *peers;     /* array of head.size elements */
    struct shm_flight *flights; /* chains executed but not yet reported, oldest first */
    size_t flight_count, flight_room;
    struct uat_shuffle *shuffle; /* NULL: no torture */
    uint64_t pass;               /* number of the current pass of progress() */
    bool wrote;                  /* true: a WRITE was executed after the last full fence in drain() */
};

static struct shm *shm_of(struct uat_transport *t)
{
    return (struct shm *)t;
}

static void shm_close(struct uat_transport *head)
{
    struct shm *t = shm_of(head);
    for (int i = 0; t->peers && i < head->size; i++) {
        free(t->peers[i].backlog);
        if (t->peers[i].base && i != head->rank)
            munmap(t->peers[i].base, t->bounds.size);
    }
    uat_handover_close();
    free(t->flights);
    free(t->shuffle);
    free(t->peers);
    free(t);
}

static int check_config(const struct uat_transport_config *c)
{
    uintptr_t segment = (uintptr_t)c->segment, scratch = (uintptr_t)c->scratch;
    if (segment % 4096 == 0 && scratch % 8 == 0 && scratch >= segment && c->segment_size >= UAT_TRANSPORT_SCRATCH &&
        scratch - segment <= c->segment_size - UAT_TRANSPORT_SCRATCH)
        return 0;
    uat_error("transport shm: the scratch area at %p does not lie in the segment of %zu bytes at %p", c->scratch,
              c->segment_size, c->segment);
    return -EINVAL;
}

/* Allocate the state for torture. Returns 0 or -ENOMEM. */
static int open_torture(struct shm *t, const struct uat_transport_config *config)
{
    t->shuffle = malloc(sizeof(*t->shuffle));
    if (!t->shuffle)
        return -ENOMEM;
    uat_shuffle_init(t->shuffle, config->seed, config->rank);
    for (int i = 0; i < config->size; i++)
        if (!(t->peers[i].backlog = calloc(1, sizeof(*t->peers[i].backlog))))
            return -ENOMEM;
    return 0;
}

static int shm_open_transport(const struct uat_transport_config *config, struct uat_transport **out)
{
    int rc = check_config(config);
    if (rc)
        return rc;
    struct shm *t = calloc(1, sizeof(*t));
    if (!t)
        goto no_memory;
    t->head = (struct uat_transport){.class_ = &uat_transport_shm, .rank = config->rank, .size = config->size};
    t->head.cpu_atomics = !config->shuffle; /* under torture all atomics must go through the transport */
    t->bounds = (struct uat_bounds){.segment = config->segment, .size = config->segment_size};
    t->host = config->host;
    t->fallback = config->fallback;
    t->flight_room = FLIGHTS_START;
    t->peers = calloc((size_t)config->size, sizeof(*t->peers));
    t->flights = malloc(FLIGHTS_START * sizeof(*t->flights));
    if (!t->peers || !t->flights || (config->shuffle && open_torture(t, config)))
        goto close;
    rc = uat_attach_info_make(&t->info, config, "shm");
    if (rc) {
        shm_close(&t->head);
        return rc;
    }
    *out = &t->head;
    return 0;

close:
    shm_close(&t->head);
no_memory:
    uat_error("transport shm: out of memory for the tables of %d peers", config->size);
    return -ENOMEM;
}

static int shm_endpoint(struct uat_transport *head, void *data, size_t *size)
{
    _Static_assert(sizeof(struct uat_attach_info) <= UAT_ENDPOINT_MAX, "attach info is published as a whole");
    memcpy(data, &shm_of(head)->info, sizeof(struct uat_attach_info));
    *size = sizeof(struct uat_attach_info);
    return 0;
}

static int shm_connect(struct uat_transport *head, const struct uat_endpoint *peers)
{
    struct shm *t = shm_of(head);
    char instead[768] = "UAT_TRANSPORT=ibv";
    if (t->fallback)
        snprintf(instead, sizeof(instead), "a network adapter that uat can use; none was found (%s), see uat_info",
                 t->fallback);
    const struct uat_attach_user user = {.host = t->host, .transport = "shm", .instead = instead};
    t->peers[head->rank].base = t->bounds.segment;
    for (int i = 0; i < head->size; i++) {
        if (i == head->rank)
            continue;
        int rc = uat_attach_segment(&t->info, &user, i, &peers[i], &t->peers[i].base);
        if (rc)
            return rc;
    }
    return 0;
}

static void do_reads(struct shm *t, const struct uat_op *ops, int n, uintptr_t shift)
{
    struct uat_shuffle_copy reads[UAT_CHAIN_MAX];
    for (int i = 0; i < n; i++) {
        reads[i] = (struct uat_shuffle_copy){ops[i].local, (void *)((uintptr_t)ops[i].remote + shift), ops[i].size / 8};
        if (!t->shuffle)
            uat_words_copy(reads[i].to, reads[i].from, reads[i].words);
    }
    if (t->shuffle)
        uat_shuffle_copies(t->shuffle, reads, n);
}

static void do_write(struct shm *t, const struct uat_op *op, uat_word *remote)
{
    struct uat_shuffle_copy write = {remote, op->local, op->size / 8};
    if (t->shuffle)
        uat_shuffle_copies(t->shuffle, &write, 1);
    else
        uat_words_copy(write.to, write.from, write.words);
    t->wrote = true;
}

/* A full fence (see O1 above): it orders all earlier WRITEs before all later READs. */
static void do_atomic(const struct uat_op *op, uat_word *remote)
{
    uint64_t old = op->compare;
    if (op->code == UAT_OP_FETCH_ADD)
        old = __atomic_fetch_add(remote, op->operand, __ATOMIC_SEQ_CST);
    else {
        uat_cpu_fence_atomic(); /* a swap that fails need not store, so its load could pass an earlier WRITE */
        __atomic_compare_exchange_n(remote, &old, op->operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    uat_cpu_fence_atomic();
    if (op->local)
        uat_word_store(op->local, old);
}

static void execute(struct shm *t, int peer, const struct uat_op *ops, int count)
{
    uintptr_t shift = (uintptr_t)t->peers[peer].base - (uintptr_t)t->bounds.segment;
    bool fenced = false; /* true: a full fence has followed the last store */
    for (int i = 0; i < count;) {
        uat_word *remote = (uat_word *)((uintptr_t)ops[i].remote + shift);
        if (t->shuffle)
            uat_shuffle_delay(t->shuffle);
        if (ops[i].code == UAT_OP_READ) {
            int first = i;
            while (i < count && ops[i].code == UAT_OP_READ)
                i++;
            /* The full fence of O1 and O5: orders this worker's stores before its loads of the peer's memory. */
            if (!fenced)
                uat_cpu_fence();
            fenced = true;
            do_reads(t, ops + first, i - first, shift);
            continue;
        }
        if (ops[i].code == UAT_OP_WRITE) {
            /* Orders earlier stores, including the caller's, before the stores of this WRITE. Pairs with the loads of
             * the peer's CPU. That CPU polls a word stored later, and then loads a word stored earlier. */
            __atomic_thread_fence(__ATOMIC_RELEASE);
            do_write(t, &ops[i], remote);
            fenced = false;
        } else {
            do_atomic(&ops[i], remote);
            fenced = true;
        }
        i++;
    }
}

struct backlog_context {
    struct shm *t;
    int peer;
};

static void execute_some(void *context, const struct uat_op *ops, int n)
{
    const struct backlog_context *c = context;
    execute(c->t, c->peer, ops, n);
}

static void run_backlog(struct shm *t, int peer, bool all)
{
    struct backlog_context context = {t, peer};
    uat_backlog_run(t->peers[peer].backlog, t->shuffle, all, execute_some, &context);
}

/* Torture: append the chain to the peer's backlog. */
static void hold(struct shm *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    struct uat_backlog *backlog = t->peers[peer].backlog;
    if (!uat_backlog_fits(backlog, count))
        run_backlog(t, peer, true);
    uat_backlog_add(backlog, ops, count, p);
    run_backlog(t, peer, !p && uat_shuffle_random(t->shuffle, FORGOTTEN_LATE) > 0);
}

static int shm_post(struct uat_transport *head, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    struct shm *t = shm_of(head);
    int rc = uat_transport_check(head, &t->bounds, peer, ops, count, p == NULL);
    if (rc)
        return rc;
    if (p && t->flight_count == t->flight_room) {
        struct shm_flight *more = realloc(t->flights, 2 * t->flight_room * sizeof(*more));
        if (!more) {
            uat_error("transport shm: out of memory with %zu chains in flight", t->flight_count);
            return -ENOMEM;
        }
        t->flights = more;
        t->flight_room *= 2;
    }
    if (t->shuffle)
        hold(t, peer, ops, count, p);
    else
        execute(t, peer, ops, count);
    if (p)
        t->flights[t->flight_count++] = (struct shm_flight){p, peer};
    return 0;
}

/* Full fence: a completed chain must have taken effect. So the stores of WRITEs leave this CPU's store buffer before
 * the caller loads anything. Pairs with any full fence of another CPU between its store and its load. */
static void drain(struct shm *t)
{
    if (t->wrote)
        uat_cpu_fence();
    t->wrote = false;
}

/* Torture: report some completions now, others later. Completions of one peer stay in order. Completions of different
 * peers may change order. */
static void complete_some(struct shm *t)
{
    size_t kept = 0;
    t->pass++;
    for (size_t i = 0; i < t->flight_count; i++) {
        struct shm_flight flight = t->flights[i];
        struct shm_peer *peer = &t->peers[flight.peer];
        bool late = uat_backlog_holds(peer->backlog, flight.pending) || uat_shuffle_random(t->shuffle, 4) == 0;
        if (peer->held != t->pass && late)
            peer->held = t->pass;
        if (peer->held == t->pass)
            t->flights[kept++] = flight;
        else
            flight.pending->done = true;
    }
    t->flight_count = kept;
}

static int shm_progress(struct uat_transport *head)
{
    struct shm *t = shm_of(head);
    for (int i = 0; t->shuffle && i < head->size; i++)
        run_backlog(t, i, false);
    if (t->flight_count == 0)
        return 0;
    drain(t);
    uat_cpu_fence_read(); /* O7; pairs with the release store whose value the caller finds in the data that it READ */
    if (t->shuffle) {
        complete_some(t);
        return 0;
    }
    for (size_t i = 0; i < t->flight_count; i++)
        t->flights[i].pending->done = true;
    t->flight_count = 0;
    return 0;
}

static int shm_flush(struct uat_transport *head)
{
    struct shm *t = shm_of(head);
    for (int i = 0; t->shuffle && i < head->size; i++)
        run_backlog(t, i, true);
    drain(t);
    while (t->flight_count > 0)
        shm_progress(head);
    return 0;
}

static void shm_ring(struct uat_transport *head, int peer, uint64_t *bell)
{
    struct shm *t = shm_of(head);
    uint64_t *there = (uint64_t *)(void *)(t->peers[peer].base + ((char *)bell - (char *)t->bounds.segment));
    /* Release: orders this worker's operations before the bell. Pairs with the load in uat_crew_bell(). */
    __atomic_fetch_add(there, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, there, FUTEX_WAKE, 1, NULL, NULL, 0);
}

const struct uat_transport_class uat_transport_shm = {
    .name = "shm",
    .open = shm_open_transport,
    .endpoint = shm_endpoint,
    .connect = shm_connect,
    .post = shm_post,
    .progress = shm_progress,
    .flush = shm_flush,
    .close = shm_close,
    .ring = shm_ring,
    .bulk = &uat_bulk_shm,
};
