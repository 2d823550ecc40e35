/* SPDX-License-Identifier: MIT */
/* Completion queues and queue pairs. */
#include "tests/fakeverbs/fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FAKE_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
                                         struct ibv_comp_channel *channel, int vector)
{
    int error = fake_enter(FAKE_CREATE_CQ);
    (void)vector;
    if (!error && (cqe < 1 || cqe > fake_device_of(context)->attr.max_cqe))
        error = EINVAL;
    struct fake_cq *cq = error ? NULL : calloc(1, sizeof(*cq));
    if (!cq) {
        errno = error ? error : ENOMEM;
        return NULL;
    }
    cq->cq = (struct ibv_cq){.context = context, .channel = channel, .cq_context = cq_context, .cqe = cqe};
    cq->size = (unsigned)cqe;
    cq->ring = calloc(cq->size, sizeof(*cq->ring));
    cq->from = calloc(cq->size, sizeof(struct fake_qp *));
    cq->ends = calloc(cq->size, sizeof(*cq->ends));
    return &cq->cq;
}

FAKE_EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
    struct fake_cq *c = (struct fake_cq *)cq;
    fake_enter(FAKE_DESTROY_CQ);
    free(c->ring);
    free((void *)c->from);
    free(c->ends);
    free(c);
    return 0;
}

/* Refuse what the device does not support. Returns 0 or an errno. */
static int check_pair(const struct fake_device *d, const struct ibv_qp_init_attr_ex *init)
{
    if (!d->has_rc)
        return EOPNOTSUPP;
    if (init->qp_type != IBV_QPT_RC || init->cap.max_send_wr > (unsigned)d->attr.max_qp_wr ||
        init->cap.max_recv_wr > (unsigned)d->attr.max_qp_wr || init->cap.max_send_sge > (unsigned)d->attr.max_sge ||
        init->cap.max_inline_data > (unsigned)d->max_inline)
        return EINVAL;
    /* Relaxed: only the number matters. */
    int used = __atomic_load_n(&fake_state->used_pairs[fake_host()][d - fake_state->device], __ATOMIC_RELAXED);
    return used < d->attr.max_qp ? 0 : ENOMEM;
}

struct ibv_qp *fake_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init)
{
    const struct fake_device *d = fake_device_of(context);
    int device = fake_context_of(context)->device, host = fake_host(), error = fake_enter(FAKE_CREATE_QP);
    fake_pair_call(d);
    if (!error)
        error = check_pair(d, init);
    struct fake_qp *qp = error ? NULL : calloc(1, sizeof(*qp));
    if (!qp) {
        errno = error ? error : ENOMEM;
        return NULL;
    }
    __atomic_add_fetch(&fake_state->used_pairs[host][device], 1, __ATOMIC_RELAXED); /* as in check_pair() */
    uint32_t number = fake_number(&fake_state->pairs, FAKE_PAIRS, "queue pairs");
    fake_state->pair[number] =
        (struct fake_pair){.live = 1, .pid = getpid(), .device = device, .host = host, .domain = init->pd->handle};
    qp->qp = (struct ibv_qp){.context = context,
                             .qp_context = init->qp_context,
                             .pd = init->pd,
                             .send_cq = init->send_cq,
                             .recv_cq = init->recv_cq,
                             .handle = number,
                             .qp_num = number,
                             .state = IBV_QPS_RESET,
                             .qp_type = init->qp_type};
    qp->depth = init->cap.max_send_wr;
    qp->signal_all = init->sq_sig_all;
    init->cap.max_inline_data = (unsigned)d->max_inline;
    return &qp->qp;
}

FAKE_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
    struct ibv_qp_init_attr_ex all = {0};
    memcpy(&all, init, sizeof(*init)); /* the extended structure starts with the same members */
    all.pd = pd;
    struct ibv_qp *qp = fake_create_qp_ex(pd->context, &all);
    init->cap = all.cap;
    return qp;
}

FAKE_EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
    fake_enter(FAKE_DESTROY_QP);
    fake_state->pair[qp->qp_num].live = 0;
    /* Relaxed: as in check_pair(). */
    __atomic_sub_fetch(&fake_state->used_pairs[fake_host()][fake_context_of(qp->context)->device], 1, __ATOMIC_RELAXED);
    free(qp);
    return 0;
}

/* Returns an errno if the device would refuse the values of this change of state, otherwise 0. */
static int check_step(const struct fake_device *d, const struct fake_pair *p, const struct ibv_qp_attr *attr)
{
    switch (attr->qp_state) {
    case IBV_QPS_INIT:
        return attr->port_num < 1 || attr->port_num > d->attr.phys_port_cnt ||
                       attr->pkey_index >= d->port[attr->port_num - 1].pkeys
                   ? EINVAL
                   : 0;
    case IBV_QPS_RTR:
        return p->state != IBV_QPS_INIT || attr->max_dest_rd_atomic > d->attr.max_qp_rd_atom ||
                       attr->path_mtu > d->port[p->port - 1].attr.active_mtu
                   ? EINVAL
                   : 0;
    case IBV_QPS_RTS:
        return p->state != IBV_QPS_RTR || attr->max_rd_atomic > d->attr.max_qp_init_rd_atom ? EINVAL : 0;
    default:
        return 0;
    }
}

FAKE_EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    struct fake_pair *p = &fake_state->pair[qp->qp_num];
    int error = fake_enter(FAKE_MODIFY_QP);
    fake_pair_call(fake_device_of(qp->context));
    if (!error && mask & IBV_QP_STATE)
        error = check_step(fake_device_of(qp->context), p, attr);
    if (error)
        return error;
    if (mask & IBV_QP_PORT)
        p->port = attr->port_num;
    if (mask & IBV_QP_ACCESS_FLAGS)
        p->access = (uint32_t)attr->qp_access_flags;
    if (mask & IBV_QP_DEST_QPN)
        p->peer = attr->dest_qp_num;
    if (mask & IBV_QP_AV)
        p->service_level = attr->ah_attr.sl, p->traffic_class = attr->ah_attr.grh.traffic_class;
    if (mask & IBV_QP_TIMEOUT)
        p->timeout = attr->timeout;
    if (mask & IBV_QP_RETRY_CNT)
        p->retries = attr->retry_cnt;
    if (mask & IBV_QP_RQ_PSN)
        p->rq_psn = attr->rq_psn;
    if (mask & IBV_QP_SQ_PSN)
        p->sq_psn = attr->sq_psn;
    /* Release: a peer that sees the state also sees the values above. Pairs with the acquire in peer_of() of
     * request.c. */
    if (mask & IBV_QP_STATE)
        __atomic_store_n(&p->state, (int)(qp->state = attr->qp_state), __ATOMIC_RELEASE);
    return 0;
}

FAKE_EXPORT int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
    (void)mask;
    memset(init, 0, sizeof(*init));
    *attr = (struct ibv_qp_attr){.qp_state = qp->state, .cap.max_send_wr = ((struct fake_qp *)qp)->depth};
    return 0;
}

/* Promise no order of the bytes of one operation, although all operations are carried out in order. */
FAKE_EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
    (void)qp, (void)op, (void)flags;
    return 0;
}
