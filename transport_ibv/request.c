/* SPDX-License-Identifier: MIT */
#include "transport_ibv/request.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

static const enum ibv_wr_opcode verbs_opcode[UAT_OP_KINDS] = {
    [UAT_OP_READ] = IBV_WR_RDMA_READ,
    [UAT_OP_WRITE] = IBV_WR_RDMA_WRITE,
    [UAT_OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
    [UAT_OP_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
};

/*
 * Must the request wait for earlier atomics? Only a READ must wait (O1, B2), and only if the peer's device has PCIe
 * atomics. PCIe atomics and READs are non-posted requests, and PCIe lets non-posted requests pass each other. An
 * adapter that executes atomics itself keeps the order without a fence. With such an adapter the fence flag would cost
 * a round trip. It can also stall Soft-RoCE under contention. WRITEs and further atomics need not wait (O2).
 */
static bool must_fence(const struct uat_ibv_connection *c, enum uat_opcode code)
{
    return code == UAT_OP_READ && c->fence && c->atomic_open;
}

void uat_ibv_request_build(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_request *r,
                           struct uat_ibv_wr *out)
{
    struct ibv_send_wr *wr = &out->wr;
    *wr = (struct ibv_send_wr){
        .wr_id = r->id, .sg_list = &out->sge, .num_sge = r->bytes > 0, .opcode = verbs_opcode[r->code]};
    out->sge = (struct ibv_sge){.addr = (uintptr_t)r->local, .length = (uint32_t)r->bytes, .lkey = r->lkey};
    if (must_fence(c, r->code)) {
        wr->send_flags |= IBV_SEND_FENCE;
        c->atomic_open = false;
        ibv->base.round_trips++; /* the request is sent only when the answer to the atomic has arrived */
    }
    if (uat_ibv_is_atomic(r->code)) {
        wr->wr.atomic.remote_addr = r->remote;
        wr->wr.atomic.rkey = r->rkey;
        wr->wr.atomic.compare_add = r->code == UAT_OP_CMP_SWAP ? r->compare : r->operand;
        wr->wr.atomic.swap = r->operand; /* FETCH_ADD does not use this field */
        c->atomic_open = true;
    } else {
        wr->wr.rdma.remote_addr = r->remote;
        wr->wr.rdma.rkey = r->rkey;
    }
    if (r->code == UAT_OP_WRITE && r->bytes <= ibv->inline_max)
        wr->send_flags |= IBV_SEND_INLINE;
}

int uat_ibv_post_failed(struct uat_ibv *ibv, const struct uat_ibv_connection *c, int rc, const char *what,
                        unsigned used, unsigned depth)
{
    ibv->error = rc < 0 ? -errno : -rc;
    uat_error(
        "posting %s to rank %d (%s) on %s failed: %s; with %u of %u requests in its send queue; look for messages of "
        "the adapter's driver (`dmesg`)",
        what, c->rank, c->host, ibv->port.device, strerror(-ibv->error), used, depth);
    return ibv->error;
}
