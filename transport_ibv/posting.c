/* SPDX-License-Identifier: MIT */
/* Posting a chain of operations as work requests. */
#include "transport_ibv/request.h"

#include <stdio.h>
#include <string.h>

#include "base/relax.h"
#include "transport/check.h"

/* The work requests of one chain, under construction. */
struct batch {
    struct uat_ibv_wr request[UAT_CHAIN_MAX];
    int count;
};

/* Wait until the queues have room for `count` more requests and `count` payload slots are free. The wait always ends,
 * because a full send queue contains a signalled request (see must_signal()). */
static int make_room(struct uat_ibv *ibv, struct uat_ibv_connection *c, unsigned count)
{
    struct uat_relax relax = {0};
    while (c->used + count > ibv->depth || ibv->signalled >= ibv->cq_entries || ibv->free_count < count) {
        int rc = uat_ibv_progress(&ibv->base);
        if (rc)
            return rc;
        uat_relax(&relax);
    }
    return 0;
}

/* The address from which the device will read the payload of a WRITE. */
static const void *payload(struct uat_ibv *ibv, struct uat_ibv_chain *chain, const struct uat_op *op)
{
    if (chain->pending)
        return op->local; /* the caller keeps the data until the chain is complete */
    uint16_t slot = ibv->free_slots[--ibv->free_count];
    chain->slot[chain->slot_count++] = slot;
    return memcpy(ibv->scratch->slots[slot], op->local, op->size);
}

static void add_request(struct uat_ibv *ibv, struct uat_ibv_connection *c, struct uat_ibv_chain *chain, struct batch *b,
                        const struct uat_op *op)
{
    int i = b->count++;
    enum uat_ibv_window window = uat_ibv_window_of(ibv, op->remote);
    size_t place = ibv->peers[chain->peer].place; /* the segments of a group lie in a row: see struct uat_ibv_pool */
    struct uat_ibv_request r = {.id = (uintptr_t)chain + (unsigned)i,
                                .code = op->code,
                                .local = op->local ? op->local : &ibv->scratch->sink,
                                .lkey = ibv->mr->lkey,
                                .rkey = c->rkey[window],
                                .bytes = op->size,
                                .remote = (uintptr_t)op->remote + place * ibv->pool.part[window],
                                .operand = op->operand,
                                .compare = op->compare};
    if (op->code == UAT_OP_WRITE && op->size > ibv->inline_max)
        r.local = payload(ibv, chain, op);
    uat_ibv_request_build(ibv, c, &r, &b->request[i]); /* translates r, and sets flags for fence and inline data */
    if (i)
        b->request[i - 1].wr.next = &b->request[i].wr;
    if (uat_ibv_is_atomic(op->code))
        c->atomic_end = c->head + 1;
    if (op->code != UAT_OP_READ)
        c->written = true;
    ibv->base.requests[op->code]++;
    chain->code[i] = (uint8_t)op->code;
    chain->remote[i] = op->remote;
}

/* Must the chain's last request be signalled? A fire-and-forget chain needs no completion of its own. But signal at
 * least one request per half queue; otherwise completions never free entries of the queue. Also signal each chain that
 * holds payload slots, because the connections to all peers share the slots. */
static bool must_signal(const struct uat_ibv *ibv, const struct uat_ibv_connection *c,
                        const struct uat_ibv_chain *chain)
{
    return chain->pending || chain->slot_count || c->unsignalled + chain->count >= ibv->depth / 2;
}

/*
 * Post the whole chain with one call and one doorbell. But if `alone` is true (UAT_CONNECT=post=alone), post a leading
 * atomic with its own call, and then the rest. mlx5 writes a single request to the adapter by BlueFlame, so the adapter
 * need not fetch this request from memory. Posts to one queue stay in order, so the chain's order is unchanged.
 */
static int ring(struct uat_ibv *ibv, struct uat_ibv_connection *c, struct batch *b, bool alone)
{
    struct ibv_send_wr *first = &b->request[0].wr, *bad;
    int rc = 0;
    if (alone) {
        b->request[0].wr.next = NULL;
        first = &b->request[1].wr;
        ibv->base.doorbells++;
        rc = ibv_post_send(c->qp, &b->request[0].wr, &bad);
    }
    ibv->base.doorbells++;
    return rc ? rc : ibv_post_send(c->qp, first, &bad);
}

static int hand_over(struct uat_ibv *ibv, struct uat_ibv_connection *c, struct uat_ibv_chain *chain, struct batch *b)
{
    chain->count = (uint8_t)b->count;
    chain->signalled = must_signal(ibv, c, chain);
    if (chain->signalled)
        b->request[b->count - 1].wr.send_flags |= IBV_SEND_SIGNALED;
    bool alone =
        ibv->settings.post == UAT_POST_ALONE && b->count > 1 && uat_ibv_is_atomic((enum uat_opcode)chain->code[0]);
    int rc = ring(ibv, c, b, alone);
    if (rc) {
        char what[64];
        snprintf(what, sizeof(what), "%d operations for rank %d", b->count, chain->peer);
        return uat_ibv_post_failed(ibv, c, rc, what, c->used, ibv->depth);
    }
    c->head++;
    c->used += chain->count;
    c->unsignalled = chain->signalled ? 0 : c->unsignalled + chain->count;
    ibv->signalled += chain->signalled;
    return 0;
}

int uat_ibv_post(struct uat_transport *t, int rank, const struct uat_op *ops, int count, struct uat_pending *p)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    struct uat_ibv_connection *c = uat_ibv_way(ibv, rank);
    struct uat_bounds bounds = {ibv->segment, ibv->segment_size, ibv->read_only, ibv->closed};
    int rc = ibv->error ? ibv->error : uat_transport_check(t, &bounds, rank, ops, count, !p);
    if (!rc && uat_ibv_neighbour_do(ibv, rank, ops, count)) { /* on this host: this processor has done it */
        if (p)
            p->done = true;
        return 0;
    }
    if (!rc)
        rc = make_room(ibv, c, (unsigned)count);
    if (rc)
        return rc;
    struct uat_ibv_chain *chain = &c->chains[c->head % ibv->depth];
    struct batch b;
    b.count = 0;
    chain->pending = p;
    chain->peer = rank;
    chain->slot_count = 0;
    for (int i = 0; i < count; i++)
        if (ops[i].size)
            add_request(ibv, c, chain, &b, &ops[i]);
    if (b.count)
        return hand_over(ibv, c, chain, &b);
    if (p)
        p->done = true; /* all operations were empty */
    return 0;
}
