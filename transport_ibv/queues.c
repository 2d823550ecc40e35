/* SPDX-License-Identifier: MIT */
/* The completion queue and the queue pairs, before they are connected. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/memlock.h"

static struct ibv_qp *create_pair(struct uat_ibv *ibv, struct uat_ibv_peer *peer, unsigned inline_wish)
{
    struct ibv_qp_init_attr init = {
        .qp_context = peer,
        .send_cq = ibv->cq,
        .recv_cq = ibv->cq,
        .cap = {.max_send_wr = ibv->depth,
                .max_recv_wr = 1, /* never used, but some devices refuse 0 */
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = inline_wish},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 0,
    };
    struct ibv_qp *qp = ibv_create_qp(ibv->pd, &init);
    if (qp && init.cap.max_inline_data < ibv->inline_max)
        ibv->inline_max = init.cap.max_inline_data;
    return qp;
}

int uat_ibv_queues_create(struct uat_ibv *ibv)
{
    ibv->cq = ibv_create_cq(ibv->context, (int)ibv->cq_entries, NULL, NULL, 0);
    if (!ibv->cq) {
        int error = errno;
        uat_error("cannot create a completion queue of %u entries on %s: %s; the queues are locked "
                  "memory: " UAT_MEMLOCK_ADVICE,
                  ibv->cq_entries, ibv->port.device, strerror(error));
        return -error;
    }
    ibv->inline_max = UAT_FORGET_WRITE_MAX;
    for (int i = 0; i < ibv->base.size; i++) {
        struct uat_ibv_peer *peer = &ibv->peers[i];
        peer->chains = aligned_alloc(_Alignof(struct uat_ibv_chain), ibv->depth * sizeof(*peer->chains));
        if (!peer->chains) {
            uat_error("no memory for the chains of queue pair %d of %d", i + 1, ibv->base.size);
            return -ENOMEM;
        }
        peer->qp = create_pair(ibv, peer, ibv->inline_max);
        if (!peer->qp && errno == EINVAL && ibv->inline_max) { /* a device may refuse the inline size asked for */
            ibv->inline_max = 0;
            peer->qp = create_pair(ibv, peer, 0);
        }
        if (!peer->qp) {
            int error = errno;
            uat_error("cannot create queue pair %d of %d on %s: %s; the device has %d for all processes of this host, "
                      "and queues are locked memory: " UAT_MEMLOCK_ADVICE,
                      i + 1, ibv->base.size, ibv->port.device, strerror(error), ibv->port.device_attr.orig_attr.max_qp);
            return -error;
        }
    }
    return 0;
}

void uat_ibv_queues_destroy(struct uat_ibv *ibv)
{
    for (int i = 0; i < ibv->base.size; i++) {
        if (ibv->peers[i].qp)
            ibv_destroy_qp(ibv->peers[i].qp);
        free(ibv->peers[i].chains);
    }
    if (ibv->cq)
        ibv_destroy_cq(ibv->cq);
}
