/* SPDX-License-Identifier: MIT */
/*
 * Do the hosts reach each other? The first worker of each group READs the nonce of each worker to which it has a
 * connection. It posts up to uat_ibv.cq_entries of these READs at once. If all workers answer, each such batch takes
 * one round trip. Two ports with addresses in one network may still be on different fabrics: separate InfiniBand
 * fabrics often have the same subnet prefix.
 */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/relax.h"

int uat_ibv_looker(struct uat_transport *t, int rank)
{
    const struct uat_ibv_groups *g = &uat_ibv_of(t)->groups;
    return g->count > 1 ? g->first[g->of[rank]] : -1;
}

/* The destination of a connection's answer: a payload slot. The slots are free, because nothing has been posted yet. */
static uint64_t *landing(const struct uat_ibv *ibv, int i)
{
    return (uint64_t *)(void *)ibv->scratch->slots[i % UAT_IBV_SLOTS];
}

static int post_look(struct uat_ibv *ibv, int i)
{
    struct uat_ibv_connection *c = &ibv->connections[i];
    size_t place = ibv->peers[c->rank].place * ibv->pool.part[UAT_IBV_WORDS];
    struct ibv_sge sge = {.addr = (uintptr_t)landing(ibv, i), .length = sizeof(uint64_t), .lkey = ibv->mr->lkey};
    struct ibv_send_wr *bad,
        wr = {.wr_id = (uint64_t)i,
              .sg_list = &sge,
              .num_sge = 1,
              .opcode = IBV_WR_RDMA_READ,
              .send_flags = IBV_SEND_SIGNALED,
              .wr.rdma = {.remote_addr = (uintptr_t)&ibv->scratch->nonce + place, .rkey = c->rkey[UAT_IBV_WORDS]}};
    int rc = ibv_post_send(c->qp, &wr, &bad);
    if (!rc)
        return 0;
    rc = rc < 0 ? -errno : -rc;
    uat_error("posting a READ to rank %d (%s) on %s failed: %s; look for messages of the adapter's driver (`dmesg`)",
              c->rank, c->host, ibv->port.device, strerror(-rc));
    return rc;
}

/* Record a connection that did not answer, or whose answer is wrong. */
static void judge(const struct uat_ibv *ibv, const struct ibv_wc *wc, struct uat_reach *found)
{
    const struct uat_ibv_connection *c = &ibv->connections[wc->wr_id];
    bool answered = wc->status == IBV_WC_SUCCESS;
    if (answered && *landing(ibv, (int)wc->wr_id) == c->nonce)
        return;
    if (found->count < UAT_REACH_ROWS) {
        struct uat_reach_row *row = &found->row[found->count];
        row->rank = c->rank;
        snprintf(row->host, sizeof(row->host), "%s", c->host);
        snprintf(row->why, sizeof(row->why), "%s",
                 answered ? "another worker answered: two ports have one address" : ibv_wc_status_str(wc->status));
    }
    found->count++;
}

/* Wait for the answers of `left` connections. */
static int take_answers(struct uat_ibv *ibv, int left, struct uat_reach *found)
{
    struct ibv_wc wc[UAT_IBV_POLL];
    struct uat_relax relax = {0};
    while (left > 0) {
        int n = ibv_poll_cq(ibv->cq, UAT_IBV_POLL, wc), rc = n ? 0 : uat_ibv_events_poll_seldom(ibv);
        if (n < 0) {
            uat_error("polling a completion queue of %s failed: %s; look for messages of its driver (`dmesg`)",
                      ibv->port.device, strerror(errno));
            rc = -EIO;
        }
        if (rc)
            return rc;
        for (int i = 0; i < n; i++)
            judge(ibv, &wc[i], found);
        left -= n;
        if (!n)
            uat_relax(&relax);
    }
    return 0;
}

int uat_ibv_look(struct uat_transport *t, struct uat_reach *found)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    int batch = ibv->cq_entries < UAT_IBV_SLOTS ? (int)ibv->cq_entries : UAT_IBV_SLOTS, rc = 0;
    snprintf(found->from, sizeof(found->from), "%s", ibv->host);
    snprintf(found->port, sizeof(found->port), "%s:%d", ibv->port.device, ibv->port.number);
    for (int first = 0; first < ibv->connection_count && !rc; first += batch) {
        int end = first + batch < ibv->connection_count ? first + batch : ibv->connection_count;
        for (int i = first; i < end && !rc; i++)
            rc = post_look(ibv, i);
        if (!rc)
            rc = take_answers(ibv, end - first, found);
    }
    return rc || found->count ? rc : uat_ibv_litmus(ibv);
}
