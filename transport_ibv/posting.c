/* SPDX-License-Identifier: MIT */
/* From a chain of operations to work requests. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/relax.h"
#include "transport/check.h"

/* The work requests of one chain while they are built. */
struct batch {
    struct ibv_send_wr wr[UAT_CHAIN_MAX];
    struct ibv_sge sge[UAT_CHAIN_MAX];
    int count;
};

static const enum ibv_wr_opcode verbs_opcode[UAT_OP_KINDS] = {
    [UAT_OP_READ] = IBV_WR_RDMA_READ,
    [UAT_OP_WRITE] = IBV_WR_RDMA_WRITE,
    [UAT_OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
    [UAT_OP_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
};

static bool is_atomic(enum uat_opcode code)
{
    return code == UAT_OP_FETCH_ADD || code == UAT_OP_CMP_SWAP;
}

/* Wait until the queues hold `count` more requests and the ring of payloads as many more slots. A full send queue
 * always has a signalled request in it (see must_signal), so this ends. */
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

/*
 * Whether a request has to wait for the atomics before it. Only a READ does (O1), and only where the peer's atomics are
 * PCIe atomics: there they travel to memory as requests that expect an answer, and PCIe lets a READ, a request of the
 * same kind, pass them. Where the adapter does its atomics itself it does them in order, and the flag would cost a
 * round trip (and can stall Soft-RoCE under contention). WRITEs and further atomics need not wait (O2).
 */
static bool must_fence(const struct uat_ibv_connection *c, enum uat_opcode code)
{
    return code == UAT_OP_READ && c->fence && c->atomic_open;
}

/* Where the payload of a WRITE is read from when the device comes to it. */
static const void *payload(struct uat_ibv *ibv, struct uat_ibv_chain *chain, const struct uat_op *op)
{
    if (chain->pending)
        return op->local; /* the caller keeps it until the chain is complete */
    uint16_t slot = ibv->free_slots[--ibv->free_count];
    chain->slot[chain->slot_count++] = slot;
    return memcpy(ibv->scratch->slots[slot], op->local, op->size);
}

static void add_request(struct uat_ibv *ibv, struct uat_ibv_connection *c, struct uat_ibv_chain *chain, struct batch *b,
                        const struct uat_op *op)
{
    int i = b->count++;
    struct ibv_send_wr *wr = &b->wr[i];
    const void *local = op->local ? op->local : &ibv->scratch->sink;
    bool atomic = is_atomic(op->code);
    *wr = (struct ibv_send_wr){
        .wr_id = (uintptr_t)chain + (unsigned)i, .sg_list = &b->sge[i], .num_sge = 1, .opcode = verbs_opcode[op->code]};
    if (i)
        b->wr[i - 1].next = wr;
    if (must_fence(c, op->code)) {
        wr->send_flags |= IBV_SEND_FENCE;
        c->atomic_open = false;
        ibv->base.round_trips++; /* the request leaves when the answer to the atomic is there */
    }
    if (atomic) {
        wr->wr.atomic.remote_addr = (uintptr_t)op->remote;
        wr->wr.atomic.rkey = uat_ibv_key(ibv, chain->peer, op->remote);
        wr->wr.atomic.compare_add = op->code == UAT_OP_CMP_SWAP ? op->compare : op->operand;
        wr->wr.atomic.swap = op->operand; /* FETCH_ADD has no use for it */
        c->atomic_open = true;
        c->atomic_end = c->head + 1;
    } else {
        wr->wr.rdma.remote_addr = (uintptr_t)op->remote;
        wr->wr.rdma.rkey = uat_ibv_key(ibv, chain->peer, op->remote);
    }
    if (op->code == UAT_OP_WRITE) {
        if (op->size <= ibv->inline_max)
            wr->send_flags |= IBV_SEND_INLINE;
        else
            local = payload(ibv, chain, op);
    }
    if (op->code != UAT_OP_READ)
        c->written = true;
    b->sge[i] = (struct ibv_sge){.addr = (uintptr_t)local, .length = op->size, .lkey = ibv->mr->lkey};
    ibv->base.requests[op->code]++;
    chain->code[i] = (uint8_t)op->code;
    chain->remote[i] = op->remote;
}

/* Fire-and-forget chains need no completion of their own, but one in half a queue, or nothing would say that there is
 * room again; and each one that holds payload slots, since those are common to all peers. */
static bool must_signal(const struct uat_ibv *ibv, const struct uat_ibv_connection *c,
                        const struct uat_ibv_chain *chain)
{
    return chain->pending || chain->slot_count || c->unsignalled + chain->count >= ibv->depth / 2;
}

/*
 * One call for the whole chain, one doorbell. Or, with UAT_IB_POST=alone, a leading atomic by a call of its own: mlx5
 * writes a post of one request to the adapter by BlueFlame, so that it need not fetch the request from memory; the rest
 * follows. Two posts to one queue are in order, so nothing else changes.
 */
static int ring(struct uat_ibv *ibv, struct uat_ibv_connection *c, struct batch *b, bool alone)
{
    struct ibv_send_wr *first = b->wr, *bad;
    int rc = 0;
    if (alone) {
        b->wr[0].next = NULL;
        first = &b->wr[1];
        ibv->base.doorbells++;
        rc = ibv_post_send(c->qp, b->wr, &bad);
    }
    ibv->base.doorbells++;
    return rc ? rc : ibv_post_send(c->qp, first, &bad);
}

static int hand_over(struct uat_ibv *ibv, struct uat_ibv_connection *c, struct uat_ibv_chain *chain, struct batch *b)
{
    chain->count = (uint8_t)b->count;
    chain->signalled = must_signal(ibv, c, chain);
    if (chain->signalled)
        b->wr[b->count - 1].send_flags |= IBV_SEND_SIGNALED;
    bool alone = ibv->network.post == UAT_POST_ALONE && b->count > 1 && is_atomic((enum uat_opcode)chain->code[0]);
    int rc = ring(ibv, c, b, alone);
    if (rc) {
        ibv->error = rc < 0 ? -errno : -rc;
        uat_error("posting %d operations to rank %d (%s) on %s failed: %s; with %u of %u requests in its send queue",
                  b->count, chain->peer, c->host, ibv->port.device, strerror(-ibv->error), c->used, ibv->depth);
        return ibv->error;
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
    struct uat_bounds bounds = {ibv->segment, ibv->segment_size};
    int rc = ibv->error ? ibv->error : uat_transport_check(t, bounds, rank, ops, count, !p);
    if (!rc && uat_ibv_neighbour_do(ibv, rank, ops, count)) {
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
        p->done = true; /* nothing but empty operations */
    return 0;
}
