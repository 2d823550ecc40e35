/* SPDX-License-Identifier: MIT */
/* Bring the queue pairs to RTS, with the addresses that the peers published. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/cure.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/gid.h"
#include "transport_ibv/rdmacm.h"
#include "transport_ibv/share.h"

enum {
    HOPS = 64,
    RNR_TIMER = 12 /* 0.64 ms; the field must be valid, although uat uses no receive buffers */
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
    /* RoCE has no LIDs. On InfiniBand the LID is the address, unless the subnet requires a GID or the user chooses a
     * GID. */
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

/* Advice for a queue pair that cannot enter a state. Only the step to RTR uses the peer's address. */
static const char *state_cure(enum ibv_qp_state state, int error)
{
    if (state != IBV_QPS_RTR ||
        (error != EINVAL && error != ETIMEDOUT && error != ENETUNREACH && error != EHOSTUNREACH))
        return uat_ibv_cure(UAT_IBV_RESOURCE_QUEUE, error);
    if (error == ETIMEDOUT)
        return "nobody answered for that address (ARP): is it reachable from there? Hosts with several interfaces in "
               "one "
               "subnet need net.ipv4.conf.all.arp_ignore=1 and arp_announce=2; UAT_NET_DEVICES and UAT_GID_INDEX name "
               "another address";
    return "is that address reachable from there? See UAT_NET_DEVICES and UAT_GID_INDEX";
}

bool uat_ibv_says_first(struct uat_ibv *ibv)
{
    /* Relaxed: only one of the threads of side.c reports, and nothing else depends on it. Pairs with itself. */
    return !__atomic_exchange_n(&ibv->said, true, __ATOMIC_RELAXED);
}

int uat_ibv_pair_connect(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_endpoint *e,
                         struct uat_ibv_end end, unsigned access)
{
    char text[UAT_IBV_GID_TEXT];
    static const char *const names[] = {[IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR", [IBV_QPS_RTS] = "RTS"};
    enum ibv_qp_state state = IBV_QPS_INIT;
    int rc = to_init(ibv, c, access);
    if (!rc) {
        state = IBV_QPS_RTR;
        rc = to_rtr(ibv, c, e, end);
    }
    if (!rc) {
        state = IBV_QPS_RTS;
        rc = to_rts(ibv, c, e);
    }
    if (!rc)
        return 0;
    if (rc < 0)
        rc = errno;
    if (uat_ibv_says_first(ibv))
        uat_error("the queue pair of %s:%d, GID index %d, to rank %d (%s, %s:%d, GID %s, LID %u) cannot enter state "
                  "%s: %s; %s",
                  ibv->port.device, ibv->port.number, ibv->gid_index, c->rank, c->host, e->device, e->port,
                  uat_ibv_gid_text(&e->gid, text), e->lid, names[state], strerror(rc), state_cure(state, rc));
    return -rc;
}

/* Report how long after the first unanswered operation a worker notices that the network is cut. */
static void say_retry_bound(const struct uat_ibv_settings *settings)
{
    int tries = settings->retries + 1;
    double bound = uat_ibv_retry_bound(settings);
    uat_info(
        "retry bound %.1f s: an operation that is not answered is sent %d times, every %.2f s, then it fails and the "
        "job ends (UAT_IB_RETRY); an adapter may take up to %d times as long",
        bound, tries, bound / tries, UAT_IBV_SLACK);
}

/* Read the endpoint published by the worker at the connection's other end: its queue pair and the keys of its pool. */
static int take_endpoint(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_endpoint *published,
                         struct uat_ibv_endpoint *e, struct uat_ibv_end *end)
{
    int rc = uat_ibv_endpoint_read(ibv, c->rank, published, e, end);
    if (rc)
        return rc;
    snprintf(c->host, sizeof(c->host), "%s", published->host ? published->host : "?");
    c->fence = e->atomics == UAT_IBV_ATOMICS_PCIE;
    memcpy(c->rkey, e->rkey, sizeof(c->rkey));
    return 0;
}

int uat_ibv_connect(struct uat_transport *t, const struct uat_endpoint *peers)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    bool by_manager = ibv->settings.connect == UAT_CONNECT_RDMACM;
    uat_ibv_share_end(ibv);
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
    /* One worker for each adapter of a host tests the adapter. If there are others to reach, uat_ibv_look() does so. */
    bool tests = ibv->neighbours[0] == t->rank && ibv->groups.count == 1;
    return rc || !tests ? rc : uat_ibv_litmus(ibv);
}
