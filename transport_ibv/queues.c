/* SPDX-License-Identifier: MIT */
/* The completion queue and the queue pairs, before they are connected. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/cure.h"

/* The kinds of operations that uat posts. A driver that knows them uses smaller requests. Otherwise mlx5 reserves space
 * for any operation in each request, about 192 bytes. */
static const uint64_t operations = IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE |
                                   IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

static struct ibv_qp *create_pair(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_queue *q,
                                  unsigned inline_wish, bool plain)
{
    struct ibv_qp_init_attr_ex init = {
        .qp_context = c,
        .send_cq = q->cq,
        .recv_cq = q->cq,
        .cap = {.max_send_wr = q->depth,
                .max_recv_wr = 1, /* unused, but some devices refuse 0 */
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = inline_wish},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 0,
        .comp_mask = IBV_QP_INIT_ATTR_PD | (plain ? 0 : IBV_QP_INIT_ATTR_SEND_OPS_FLAGS),
        .pd = ibv->queue_pd,
        .send_ops_flags = plain ? 0 : operations,
    };
    struct ibv_qp *qp = ibv_create_qp_ex(ibv->context, &init);
    if (qp && !ibv->settled && init.cap.max_inline_data < ibv->inline_max)
        ibv->inline_max = init.cap.max_inline_data;
    return qp;
}

/* For the first queue pairs of a worker, tries again without send_ops_flags if the device or driver refuses them, and
 * then without inline data. Later calls change nothing in *ibv, so several threads may make them. */
struct ibv_qp *uat_ibv_pair_create(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_queue *q)
{
    int drawn = uat_secret_draw(&c->psn, sizeof(c->psn));
    c->psn &= UAT_IBV_NUMBER_MAX;
    if (drawn) {
        errno = -drawn;
        return NULL;
    }
    if (ibv->settled)
        return c->qp = create_pair(ibv, c, q, ibv->inline_max, ibv->plain_queues);
    if (!ibv->plain_queues && (c->qp = create_pair(ibv, c, q, ibv->inline_max, false)))
        return c->qp;
    ibv->plain_queues = true;
    c->qp = create_pair(ibv, c, q, ibv->inline_max, true);
    if (!c->qp && errno == EINVAL && ibv->inline_max) {
        ibv->inline_max = 0;
        c->qp = create_pair(ibv, c, q, 0, true);
    }
    return c->qp;
}

int uat_ibv_queues_create(struct uat_ibv *ibv)
{
    ibv->cq = ibv_create_cq(ibv->context, (int)ibv->cq_entries, NULL, NULL, 0);
    if (!ibv->cq) {
        int error = errno;
        uat_error("cannot create a completion queue of %u entries on %s: %s; %s", ibv->cq_entries, ibv->port.device,
                  strerror(error), uat_ibv_cure(UAT_IBV_RESOURCE_QUEUE, error));
        return -error;
    }
    ibv->inline_max = UAT_UNSIGNALED_WRITE_MAX;
    const struct uat_ibv_queue queue = {ibv->cq, ibv->depth};
    for (int i = 0; i < ibv->connection_count; i++) {
        struct uat_ibv_connection *c = &ibv->connections[i];
        c->chains = aligned_alloc(_Alignof(struct uat_ibv_chain), ibv->depth * sizeof(*c->chains));
        if (!c->chains) {
            uat_error("no memory for the chains of queue pair %d of %d", i + 1, ibv->connection_count);
            return -ENOMEM;
        }
        if (!uat_ibv_pair_create(ibv, c, &queue)) {
            int error = errno;
            uat_error(
                "cannot create queue pair %d of %d on %s: %s; the device has %d for all processes of this host; %s",
                i + 1, ibv->connection_count, ibv->port.device, strerror(error), ibv->port.device_attr.orig_attr.max_qp,
                uat_ibv_cure(UAT_IBV_RESOURCE_QUEUE, error));
            return -error;
        }
    }
    ibv->settled = true;
    return 0;
}

void uat_ibv_queues_destroy(struct uat_ibv *ibv)
{
    for (int i = 0; i < ibv->connection_count; i++) {
        if (ibv->connections[i].qp)
            ibv_destroy_qp(ibv->connections[i].qp);
        free(ibv->connections[i].chains);
    }
    if (ibv->cq)
        ibv_destroy_cq(ibv->cq);
}

struct uat_ibv_connection *uat_ibv_connection_to(const struct uat_ibv *ibv, int rank)
{
    int low = 0, high = ibv->connection_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ibv->connections[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ibv->connection_count && ibv->connections[low].rank == rank ? &ibv->connections[low] : NULL;
}
