/* SPDX-License-Identifier: MIT */
/* Bringing the queue pairs to RTS with the addresses that the peers published. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/gid.h"
#include "transport_ibv/rdmacm.h"

enum {
    HOPS = 64,
    RNR_TIMER = 12 /* 0.64 ms; the field must be valid, although nothing here uses receive buffers */
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int to_init(struct uat_ibv *ibv, struct uat_ibv_connection *c, unsigned access)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_INIT,
        .pkey_index = ibv->pkey_index,
        .port_num = (uint8_t)ibv->port.number,
        .qp_access_flags = access,
    };
    return ibv_modify_qp(c->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

static int to_rtr(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_endpoint *e,
                  struct uat_ibv_end end)
{
    bool roce = ibv->port.attr.link_layer == IBV_LINK_LAYER_ETHERNET;
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTR,
        .ah_attr = {.dlid = e->lid, .sl = (uint8_t)ibv->settings.service_level, .port_num = (uint8_t)ibv->port.number},
        .path_mtu = (enum ibv_mtu)smaller(ibv->port.attr.active_mtu, e->mtu),
        .dest_qp_num = end.qpn,
        .rq_psn = end.psn,
        .max_dest_rd_atomic = (uint8_t)uat_ibv_incoming_reads(ibv, e),
        .min_rnr_timer = RNR_TIMER,
    };
    /* RoCE has no LIDs. On InfiniBand the LID is the address, unless the subnet demands a GID or the user names one. */
    if (roce || ibv->settings.gid_index >= 0 || (ibv->port.attr.flags & IBV_QPF_GRH_REQUIRED)) {
        attr.ah_attr.is_global = 1;
        attr.ah_attr.grh.dgid = e->gid;
        attr.ah_attr.grh.sgid_index = (uint8_t)ibv->gid_index;
        attr.ah_attr.grh.hop_limit = HOPS;
        attr.ah_attr.grh.traffic_class = (uint8_t)ibv->settings.traffic_class;
    }
    return ibv_modify_qp(c->qp, &attr,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_endpoint *e)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTS,
        .timeout = (uint8_t)ibv->settings.timeout,
        .retry_cnt = (uint8_t)ibv->settings.retries,
        .rnr_retry = UAT_IBV_RNR_RETRIES,
        .sq_psn = c->psn,
        .max_rd_atomic = (uint8_t)uat_ibv_outgoing_reads(ibv, e),
    };
    return ibv_modify_qp(c->qp, &attr,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                             IBV_QP_MAX_QP_RD_ATOMIC);
}

int uat_ibv_pair_connect(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_endpoint *e,
                         struct uat_ibv_end end, unsigned access)
{
    char text[UAT_IBV_GID_TEXT];
    const char *state = "INIT";
    int rc = to_init(ibv, c, access);
    if (!rc) {
        state = "RTR";
        rc = to_rtr(ibv, c, e, end);
    }
    if (!rc) {
        state = "RTS";
        rc = to_rts(ibv, c, e);
    }
    if (!rc)
        return 0;
    if (rc < 0)
        rc = errno;
    uat_error(
        "the queue pair to rank %d (%s, %s:%d, GID %s, LID %u) cannot enter state %s: %s; is that address reachable "
        "from GID index %d of %s:%d? see UAT_NET_DEVICES and UAT_GID_INDEX",
        c->rank, c->host, e->device, e->port, uat_ibv_gid_text(&e->gid, text), e->lid, state, strerror(rc),
        ibv->gid_index, ibv->port.device, ibv->port.number);
    return -rc;
}

/* Report how long it takes, from the first operation that is not answered, until a cut network is noticed. */
static void say_retry_bound(const struct uat_ibv_settings *settings)
{
    int tries = settings->retries + 1;
    double bound = uat_ibv_retry_bound(settings);
    uat_info(
        "retry bound %.1f s: an operation that is not answered is sent %d times, every %.2f s, then it fails and the "
        "job ends (UAT_IB_RETRY); an adapter may take up to %d times as long",
        bound, tries, bound / tries, UAT_IBV_SLACK);
}

/* Take the queue pair of the worker at the connection's other end from the bytes that this worker published. If the
 * connection is the way to that worker's group, also take the keys of the group's segments. */
static int take_endpoint(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_endpoint *published,
                         struct uat_ibv_endpoint *e, struct uat_ibv_end *end)
{
    const struct uat_ibv_groups *g = &ibv->groups;
    int rc = uat_ibv_endpoint_read(ibv, c->rank, published, e, end);
    if (rc)
        return rc;
    snprintf(c->host, sizeof(c->host), "%s", published->host ? published->host : "?");
    c->fence = e->atomics == UAT_IBV_ATOMICS_PCIE;
    if (!uat_ibv_groups_is_gateway(g, ibv->base.rank, c->rank))
        return 0;
    for (int i = g->first[g->of[c->rank]], place = 0; i < g->size; i++)
        if (g->of[i] == g->of[c->rank]) /* the keys are in rank order */
            for (int window = 0; window < UAT_IBV_WINDOWS; window++)
                ibv->peers[i].rkey[window] = uat_ibv_endpoint_key(e, published, place++);
    return 0;
}

int uat_ibv_connect(struct uat_transport *t, const struct uat_endpoint *peers)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    bool by_manager = ibv->settings.connect == UAT_CONNECT_RDMACM;
    say_retry_bound(&ibv->settings);
    for (int i = 0; i < ibv->connection_count; i++) {
        struct uat_ibv_connection *c = &ibv->connections[i];
        struct uat_ibv_endpoint e;
        struct uat_ibv_end end;
        int rc = take_endpoint(ibv, c, &peers[c->rank], &e, &end);
        if (!rc && (!by_manager || c->rank == t->rank))
            rc = uat_ibv_pair_connect(ibv, c, &e, end, UAT_IBV_SERVES);
        if (rc)
            return rc;
    }
    int rc = by_manager ? uat_ibv_rdmacm_connect(ibv, peers) : 0;
    uat_ibv_groups_close(&ibv->groups);
    return rc;
}
