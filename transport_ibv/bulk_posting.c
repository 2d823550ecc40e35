/* SPDX-License-Identifier: MIT */
/* Bulk operations: from operation to work requests, and their completions. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/relax.h"
#include "transport_ibv/bulk.h"

/* In wr_id: the link, whether the request is the last one of its operation, and the operation's place in the ring. */
#define LAST ((uint64_t)1 << 31)

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

static bool contains(const struct ibv_mr *mr, const void *local, size_t bytes)
{
    uintptr_t offset = (uintptr_t)local - (uintptr_t)mr->addr;
    return offset <= mr->length && bytes <= mr->length - offset;
}

/* The region in which a local buffer lies; NULL: in none. */
static const struct ibv_mr *region_of(const struct uat_ibv_bulk *b, const void *local, size_t bytes)
{
    if (contains(b->arena, local, bytes))
        return b->arena;
    if (contains(b->ibv->mr, local, bytes))
        return b->ibv->mr;
    for (const struct uat_ibv_bulk_region *r = b->regions; r; r = r->next)
        if (contains(r->mr, local, bytes))
            return r->mr;
    return NULL;
}

bool uat_ibv_bulk_reaches(const struct uat_bulk *head, const void *local, size_t bytes)
{
    return region_of(uat_ibv_bulk_of(head), local, bytes) != NULL;
}

/* The first failure, once, and in words: the operation, whose memory, what to look at. */
static int report(struct uat_ibv_bulk *b, const struct ibv_wc *wc)
{
    struct uat_ibv *ibv = b->ibv;
    const struct uat_ibv_bulk_link *link = &b->links[wc->wr_id >> 32];
    const struct uat_ibv_bulk_request *r = &link->ring[wc->wr_id & (LAST - 1)];
    struct ibv_port_attr now = {.state = IBV_PORT_NOP};
    ibv_query_port(ibv->context, (uint8_t)ibv->port.number, &now); /* if it fails, the state says so */
    uat_error("%s of %zu bytes of the global memory that rank %d (%s) serves failed on %s:%d (port %s): %s (status %d, "
              "vendor error 0x%x); %s",
              uat_ibv_names[r->code], r->bytes, link->pair->rank, link->pair->host, ibv->port.device, ibv->port.number,
              ibv_port_state_str(now.state), ibv_wc_status_str(wc->status), wc->status, wc->vendor_err,
              uat_ibv_status_advice(wc->status));
    return uat_ibv_status_errno(wc->status);
}

/* Of several completions the one that tells a cause: what is flushed behind it tells none. */
static int fail(struct uat_ibv_bulk *b, const struct ibv_wc *wc, int n)
{
    const struct ibv_wc *cause = NULL;
    for (int i = n - 1; i >= 0; i--)
        if (wc[i].status != IBV_WC_SUCCESS && (!cause || wc[i].status != IBV_WC_WR_FLUSH_ERR))
            cause = &wc[i];
    int rc = cause->status == IBV_WC_WR_FLUSH_ERR ? uat_ibv_events_poll(b->ibv) : 0;
    b->ibv->error = rc ? rc : report(b, cause);
    return b->ibv->error;
}

static void retire(struct uat_ibv_bulk *b, const struct ibv_wc *wc)
{
    uint64_t link = wc->wr_id >> 32;
    b->links[link].used--;
    b->under_way--;
    if (wc->wr_id & LAST)
        b->head.link[link].completed++; /* B4: completions of one queue pair come in the order of posting */
}

int uat_ibv_bulk_progress(struct uat_bulk *head)
{
    struct uat_ibv_bulk *b = uat_ibv_bulk_of(head);
    struct uat_ibv *ibv = b->ibv;
    struct ibv_wc wc[UAT_IBV_POLL];
    if (ibv->error)
        return ibv->error;
    int n = ibv_poll_cq(b->cq, UAT_IBV_POLL, wc);
    if (n < 0) {
        uat_error("polling the completion queue of %s for global memory failed: %s", ibv->port.device, strerror(errno));
        return ibv->error = -EIO;
    }
    for (int i = 0; i < n; i++) {
        if (wc[i].status != IBV_WC_SUCCESS)
            return fail(b, wc + i, n - i);
        retire(b, &wc[i]);
    }
    if (n)
        ibv->idle_polls = 0;
    else
        ibv->error = uat_ibv_events_poll_seldom(ibv);
    return ibv->error;
}

static int make_room(struct uat_ibv_bulk *b, const struct uat_ibv_bulk_link *link)
{
    struct uat_relax relax = {0};
    while (link->used == b->depth || b->under_way == b->cq_entries) {
        int rc = uat_ibv_bulk_progress(&b->head);
        if (rc)
            return rc;
        uat_relax(&relax);
    }
    return 0;
}

/* Part of an operation. Every request is signalled, so a full queue always empties. */
struct piece {
    const struct uat_bulk_op *op;
    size_t from, bytes;
    uint64_t id;
    uint32_t lkey;
};

static int post_piece(struct uat_ibv_bulk *b, struct uat_ibv_bulk_link *link, const struct piece *p)
{
    const struct uat_bulk_op *op = p->op;
    struct ibv_sge sge = {.addr = (uintptr_t)op->local + p->from, .length = (uint32_t)p->bytes, .lkey = p->lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = p->id,
                                   .sg_list = &sge,
                                   .num_sge = p->bytes > 0,
                                   .opcode = verbs_opcode[op->code],
                                   .send_flags = IBV_SEND_SIGNALED};
    if (is_atomic(op->code)) {
        wr.wr.atomic.remote_addr = op->remote;
        wr.wr.atomic.rkey = (uint32_t)op->rkey;
        wr.wr.atomic.compare_add = op->code == UAT_OP_CMP_SWAP ? op->compare : op->operand;
        wr.wr.atomic.swap = op->operand; /* FETCH_ADD has no use for it */
        link->atomic_open = true;
    } else {
        wr.wr.rdma.remote_addr = op->remote + p->from;
        wr.wr.rdma.rkey = (uint32_t)op->rkey;
    }
    if (op->code == UAT_OP_WRITE && p->bytes <= b->ibv->inline_max)
        wr.send_flags |= IBV_SEND_INLINE;
    /* B2, where atomics are PCIe atomics, which a READ may pass: see must_fence() in posting.c. */
    if (op->code == UAT_OP_READ && link->pair->fence && link->atomic_open) {
        wr.send_flags |= IBV_SEND_FENCE;
        link->atomic_open = false;
        b->head.transport->round_trips++;
    }
    int rc = ibv_post_send(link->pair->qp, &wr, &bad);
    if (rc) {
        b->ibv->error = rc < 0 ? -errno : -rc;
        uat_error("posting %s of %zu bytes to rank %d (%s) on %s failed: %s; with %u of %u requests in its send queue",
                  uat_ibv_names[op->code], op->bytes, link->pair->rank, link->pair->host, b->ibv->port.device,
                  strerror(-b->ibv->error), link->used, b->depth);
        return b->ibv->error;
    }
    link->used++;
    b->under_way++;
    return 0;
}

static void count(struct uat_transport *t, const struct uat_bulk_op *op)
{
    t->ops[op->code]++;
    if (op->code == UAT_OP_READ)
        t->bytes_read += op->bytes;
    else if (op->code == UAT_OP_WRITE)
        t->bytes_written += op->bytes;
}

int uat_ibv_bulk_post(struct uat_bulk *head, int number, const struct uat_bulk_op *op)
{
    struct uat_ibv_bulk *b = uat_ibv_bulk_of(head);
    struct uat_ibv_bulk_link *link = &b->links[number];
    const struct ibv_mr *mr = region_of(b, op->local, op->bytes);
    size_t most = b->ibv->port.attr.max_msg_sz < UAT_IBV_BULK_PIECE ? b->ibv->port.attr.max_msg_sz : UAT_IBV_BULK_PIECE;
    uint64_t place = head->link[number].posted % b->depth, id = (uint64_t)number << 32 | place;
    if (!mr) {
        uat_error("%s: the local buffer of %zu bytes at %p is not in registered memory", uat_ibv_names[op->code],
                  op->bytes, op->local);
        return -EFAULT;
    }
    size_t from = 0;
    do {
        size_t bytes = op->bytes - from < most ? op->bytes - from : most;
        struct piece p = {op, from, bytes, from + bytes == op->bytes ? id | LAST : id, mr->lkey};
        int rc = b->ibv->error ? b->ibv->error : make_room(b, link);
        if (!rc && from == 0) /* only now is the place in the ring free */
            link->ring[place] = (struct uat_ibv_bulk_request){op->code, op->bytes, op->remote};
        if (!rc)
            rc = post_piece(b, link, &p);
        if (rc)
            return rc;
        from += bytes;
    } while (from < op->bytes);
    head->link[number].posted++;
    count(head->transport, op);
    return 0;
}
