/* SPDX-License-Identifier: MIT */
/*
 * Of the two workers of a connection, the lower rank requests the connection and the higher rank accepts it. One loop
 * over the events of one channel handles both roles. The queue pair to the worker itself needs no route. It is
 * connected in the same way as without rdmacm.
 */
#include "transport_ibv/rdmacm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/gid.h"

enum {
    RESOLVE_MS = 5000, /* time limit for resolving an address, and for resolving a route */
    LOOK_MS = 500      /* time between two checks of the port while no event arrives */
};

/* The endpoint that a peer published. A connection to this peer must end at the queue pair of this endpoint. */
struct published {
    struct uat_ibv_endpoint head;
    struct uat_ibv_end end;
};

struct uat_ibv_rdmacm {
    struct rdma_event_channel *channel;
    struct rdma_cm_id *listener;
    struct rdma_cm_id **ids;     /* per rank; NULL: none yet */
    struct published *published; /* per rank, during connect */
    bool *established;           /* per rank */
    struct rdma_cm_id *stranger; /* a rejected connection, to be destroyed */
    bool warned;                 /* a stranger has been reported */
    int missing;                 /* number of connections not established yet */
    uint64_t looked_ns;          /* time of the last event or check of the port */
    int silent_ms, down_ms;      /* silent_ms: time without an event; down_ms: time with the port down */
};

static int fail(const struct uat_ibv *ibv, int rank, const char *what, int error)
{
    if (rank < 0)
        uat_error("rdmacm: %s on %s:%d: %s; is rdma_ucm loaded? UAT_CONNECT=host needs no rdmacm", what,
                  ibv->port.device, ibv->port.number, strerror(error));
    else
        uat_error("rdmacm: %s, rank %d (%s), from %s:%d: %s; is its address reachable from here (`ip route get`)? "
                  "UAT_CONNECT=host needs no rdmacm",
                  what, rank, uat_ibv_connection_to(ibv, rank)->host, ibv->port.device, ibv->port.number,
                  strerror(error));
    return -error;
}

int uat_ibv_rdmacm_listen(struct uat_ibv *ibv)
{
    struct sockaddr_storage address;
    int kind = (int)uat_ibv_gid_kind_of(&ibv->gid);
    size_t size = (size_t)ibv->base.size;
    if (uat_ibv_gid_address(&ibv->gid.gid, kind, 0, &address)) {
        uat_error("UAT_CONNECT=rdmacm needs a RoCE v2 address made of an IP address; GID index %d of %s:%d is %s: see "
                  "UAT_GID_INDEX, or use UAT_CONNECT=host",
                  ibv->gid_index, ibv->port.device, ibv->port.number,
                  uat_ibv_gid_kind_name((enum uat_ibv_gid_kind)kind));
        return -EINVAL;
    }
    struct uat_ibv_rdmacm *cm = ibv->cm = calloc(1, sizeof(*cm));
    if (cm) {
        cm->ids = calloc(size, sizeof(*cm->ids));
        cm->published = calloc(size, sizeof(*cm->published));
        cm->established = calloc(size, sizeof(*cm->established));
    }
    if (!cm || !cm->ids || !cm->published || !cm->established)
        return fail(ibv, -1, "connecting", ENOMEM);
    cm->channel = rdma_create_event_channel();
    if (!cm->channel)
        return fail(ibv, -1, "opening the connection manager", errno);
    fcntl(cm->channel->fd, F_SETFL, fcntl(cm->channel->fd, F_GETFL) | O_NONBLOCK);
    if (rdma_create_id(cm->channel, &cm->listener, NULL, RDMA_PS_TCP) ||
        rdma_bind_addr(cm->listener, (struct sockaddr *)&address) || rdma_listen(cm->listener, ibv->base.size))
        return fail(ibv, -1, "listening", errno);
    ibv->cm_port = rdma_get_src_port(cm->listener);
    return 0;
}

static void fill_parameters(struct uat_ibv *ibv, int rank, const struct uat_ibv_greeting *greeting,
                            struct rdma_conn_param *out)
{
    const struct uat_ibv_endpoint *e = &ibv->cm->published[rank].head;
    *out = (struct rdma_conn_param){
        .private_data = greeting,
        .private_data_len = sizeof(*greeting),
        .responder_resources = (uint8_t)uat_ibv_incoming_reads(ibv, e),
        .initiator_depth = (uint8_t)uat_ibv_outgoing_reads(ibv, e),
        .retry_count = (uint8_t)ibv->settings.retries,
        .rnr_retry_count = UAT_IBV_RNR_RETRIES,
        .qp_num = uat_ibv_connection_to(ibv, rank)->qp->qp_num,
    };
}

/* Does this request or answer come from the queue pair that the rank published? The token alone is no proof, because a
 * stranger may have overheard the token. */
static bool is_published(struct uat_ibv *ibv, struct rdma_cm_id *id, int rank)
{
    const struct published *p = &ibv->cm->published[rank];
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
    int mask = 0;
    return !rdma_init_qp_attr(id, &attr, &mask) && (mask & IBV_QP_AV) && (mask & IBV_QP_DEST_QPN) &&
           attr.dest_qp_num == p->end.qpn && attr.ah_attr.is_global &&
           !memcmp(&attr.ah_attr.grh.dgid, &p->head.gid, sizeof(p->head.gid));
}

/* Bring a queue pair to a state, with the attributes that the route has. */
static int enter(struct uat_ibv *ibv, int rank, enum ibv_qp_state state)
{
    const struct uat_ibv_endpoint *e = &ibv->cm->published[rank].head;
    struct ibv_qp_attr attr = {.qp_state = state};
    int mask = 0;
    if (rdma_init_qp_attr(ibv->cm->ids[rank], &attr, &mask))
        return fail(ibv, rank, "the route gives no attributes for the queue pair", errno);
    mask &= IBV_QP_DEST_QPN | (IBV_QP_DEST_QPN - 1); /* higher bits belong to the kernel, and verbs do not define
                                                      * them */
    attr.qp_access_flags = UAT_IBV_SERVES;
    attr.max_dest_rd_atomic = (uint8_t)uat_ibv_incoming_reads(ibv, e);
    attr.max_rd_atomic = (uint8_t)uat_ibv_outgoing_reads(ibv, e);
    attr.timeout = (uint8_t)ibv->settings.timeout;
    attr.retry_cnt = (uint8_t)ibv->settings.retries;
    attr.rnr_retry = UAT_IBV_RNR_RETRIES;
    int rc = ibv_modify_qp(uat_ibv_connection_to(ibv, rank)->qp, &attr, mask);
    return rc ? fail(ibv, rank, "the queue pair cannot be connected", rc < 0 ? errno : rc) : 0;
}

/* The steps of the worker that requests the connection. */

static int start(struct uat_ibv *ibv, int rank)
{
    struct uat_ibv_rdmacm *cm = ibv->cm;
    const struct uat_ibv_endpoint *e = &cm->published[rank].head;
    struct sockaddr_storage from, to;
    uint8_t service = (uint8_t)ibv->settings.traffic_class;
    int rc = uat_ibv_gid_address(&ibv->gid.gid, (int)uat_ibv_gid_kind_of(&ibv->gid), 0, &from);
    if (!rc)
        rc = uat_ibv_gid_address(&e->gid, e->gid_kind, e->cm_port, &to);
    if (rc)
        return fail(ibv, rank, "no IP address", -rc);
    if (rdma_create_id(cm->channel, &cm->ids[rank], (void *)(intptr_t)rank, RDMA_PS_TCP))
        return fail(ibv, rank, "connecting", errno);
    if (service && rdma_set_option(cm->ids[rank], RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &service, sizeof(service)))
        return fail(ibv, rank, "setting the traffic class (UAT_IB_PATH)", errno);
    if (rdma_resolve_addr(cm->ids[rank], (struct sockaddr *)&from, (struct sockaddr *)&to, RESOLVE_MS))
        return fail(ibv, rank, "resolving the address", errno);
    return 0;
}

static int request(struct uat_ibv *ibv, int rank)
{
    struct rdma_cm_id *id = ibv->cm->ids[rank];
    struct uat_ibv_greeting greeting = uat_ibv_greeting_make(ibv);
    struct rdma_conn_param parameters;
    if (strcmp(ibv_get_device_name(id->verbs->device), ibv->port.device) || id->port_num != ibv->port.number) {
        uat_error("rdmacm: the route to rank %d (%s) leads over %s:%d, the segment is registered with %s:%d; set "
                  "UAT_NET_DEVICES to the former",
                  rank, uat_ibv_connection_to(ibv, rank)->host, ibv_get_device_name(id->verbs->device), id->port_num,
                  ibv->port.device, ibv->port.number);
        return -EHOSTUNREACH;
    }
    int rc = enter(ibv, rank, IBV_QPS_INIT);
    if (rc)
        return rc;
    fill_parameters(ibv, rank, &greeting, &parameters);
    return rdma_connect(id, &parameters) ? fail(ibv, rank, "connecting", errno) : 0;
}

static void established(struct uat_ibv *ibv, int rank)
{
    if (!ibv->cm->established[rank])
        ibv->cm->missing--;
    ibv->cm->established[rank] = true;
}

static int confirm(struct uat_ibv *ibv, int rank, const struct rdma_conn_param *answered)
{
    const char *why;
    int answers = uat_ibv_greeting_read(ibv, answered->private_data, answered->private_data_len, &why);
    if (answers >= 0 && (answers != rank || !is_published(ibv, ibv->cm->ids[rank], rank)))
        why = "it comes from another rank, or from another queue pair than the one that this rank published";
    if (why) {
        uat_error("rdmacm: the answer of rank %d (%s) is refused: %s; does another program use its address? "
                  "UAT_CONNECT=host needs no requests over the network",
                  rank, uat_ibv_connection_to(ibv, rank)->host, why);
        return -EPROTO;
    }
    int rc = enter(ibv, rank, IBV_QPS_RTR);
    if (!rc)
        rc = enter(ibv, rank, IBV_QPS_RTS);
    if (!rc && rdma_establish(ibv->cm->ids[rank]))
        rc = fail(ibv, rank, "establishing the connection", errno);
    if (!rc)
        established(ibv, rank);
    return rc;
}

/* Reject a stranger's request, so that it does not take a rank's place. Report only the first such request; otherwise
 * strangers could fill a log. */
static void turn_down(struct uat_ibv *ibv, struct rdma_cm_id *id, const char *why)
{
    char from[INET6_ADDRSTRLEN] = "?";
    const struct sockaddr *a = rdma_get_peer_addr(id);
    bool ipv4 = a->sa_family == AF_INET;
    inet_ntop(a->sa_family,
              ipv4 ? (const void *)&((const struct sockaddr_in *)a)->sin_addr
                   : (const void *)&((const struct sockaddr_in6 *)a)->sin6_addr,
              from, sizeof(from));
    if (!ibv->cm->warned)
        uat_warn("rdmacm: a request from %s is rejected: %s; further ones are not reported", from, why);
    ibv->cm->warned = true;
    rdma_reject(id, NULL, 0);
    ibv->cm->stranger = id; /* the id's event must be acknowledged before the id can be destroyed */
}

/* The step of the worker that accepts the connection. */
static int accept_request(struct uat_ibv *ibv, struct rdma_cm_id *id, const struct rdma_conn_param *asked)
{
    struct uat_ibv_greeting answer = uat_ibv_greeting_make(ibv);
    struct rdma_conn_param parameters;
    const char *why;
    int rank = uat_ibv_greeting_read(ibv, asked->private_data, asked->private_data_len, &why);
    if (!why && rank >= ibv->base.rank)
        why = "its rank is one that this worker asks itself";
    else if (!why && ibv->cm->ids[rank])
        why = "its rank is connected already";
    else if (!why && !is_published(ibv, id, rank))
        why = "it leads to another address or queue pair than its rank has published";
    if (why) {
        turn_down(ibv, id, why);
        return 0;
    }
    ibv->cm->ids[rank] = id;
    id->context = (void *)(intptr_t)rank;
    int rc = enter(ibv, rank, IBV_QPS_INIT);
    if (!rc)
        rc = enter(ibv, rank, IBV_QPS_RTR);
    if (!rc)
        rc = enter(ibv, rank, IBV_QPS_RTS);
    if (rc)
        return rc;
    fill_parameters(ibv, rank, &answer, &parameters);
    return rdma_accept(id, &parameters) ? fail(ibv, rank, "accepting the connection", errno) : 0;
}

static int handle(struct uat_ibv *ibv, struct rdma_cm_event *event)
{
    int rank = (int)(intptr_t)event->id->context;
    switch (event->event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
        return rdma_resolve_route(event->id, RESOLVE_MS) ? fail(ibv, rank, "resolving the route", errno) : 0;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
        return request(ibv, rank);
    case RDMA_CM_EVENT_CONNECT_REQUEST:
        return accept_request(ibv, event->id, &event->param.conn);
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
        return confirm(ibv, rank, &event->param.conn);
    case RDMA_CM_EVENT_ESTABLISHED:
        established(ibv, rank);
        return 0;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_DISCONNECTED:
        return fail(ibv, rank, rdma_event_str(event->event), event->status < 0 ? -event->status : ECONNREFUSED);
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        return fail(ibv, -1, "the device was removed", ENODEV);
    default:
        return 0;
    }
}

/* Warn or give up if no event has arrived for too long. silent_ms: the time without an event; passed_ms: the part of
 * this time since the last check. The connection manager gives up later than this function. It gives up only on
 * connections that this worker requested. */
static int judge_peers(const struct uat_ibv *ibv, int passed_ms)
{
    const struct uat_ibv_rdmacm *cm = ibv->cm;
    int report = ibv->wait_report, limit = ibv->wait_limit, silent = cm->silent_ms / 1000, i = 0;
    bool last = limit > 0 && cm->silent_ms >= 1000 * limit;
    if (!last && (!report || cm->silent_ms < 1000 * report || cm->silent_ms - passed_ms >= 1000 * report))
        return 0;
    while (i < ibv->connection_count - 1 &&
           (cm->established[ibv->connections[i].rank] || ibv->connections[i].rank == ibv->base.rank))
        i++;
    const struct uat_ibv_connection *c = &ibv->connections[i];
    if (!last) {
        uat_warn("rdmacm: has waited %d s for %d connections, among them that of rank %d (%s) (UAT_STALL_TIMEOUT=%d)",
                 silent, cm->missing, c->rank, c->host, report);
        return 0;
    }
    uat_error("rdmacm: has waited %d s for %d connections, among them that of rank %d (%s); UAT_STALL_LIMIT=%d is "
              "reached, the job ends. Is its address reachable from %s:%d (`ip route get`)? UAT_CONNECT=host does "
              "without",
              silent, cm->missing, c->rank, c->host, limit, ibv->port.device, ibv->port.number);
    return -ETIMEDOUT;
}

/* Check the port and the peers after a time without events. The connection manager does not report that the port is
 * down. So without this check, a worker could wait for a peer's request forever. */
static int judge_silence(struct uat_ibv *ibv)
{
    struct uat_ibv_rdmacm *cm = ibv->cm;
    struct ibv_port_attr now = {.state = IBV_PORT_NOP};
    int passed_ms = (int)((uat_clock_ns() - cm->looked_ns) / 1000000);
    if (passed_ms < LOOK_MS) /* a signal ended the wait early */
        return 0;
    cm->looked_ns = uat_clock_ns();
    ibv_query_port(ibv->context, (uint8_t)ibv->port.number, &now); /* if it fails, the state remains NOP */
    cm->silent_ms += passed_ms;
    cm->down_ms = now.state == IBV_PORT_ACTIVE ? 0 : cm->down_ms + passed_ms;
    if (cm->down_ms > 1000 * uat_ibv_retry_bound(&ibv->settings)) {
        uat_error("rdmacm: %s:%d has been in state %s for %d s, and %d connections are missing; is its link up?",
                  ibv->port.device, ibv->port.number, ibv_port_state_str(now.state), cm->down_ms / 1000, cm->missing);
        return -ENETDOWN;
    }
    return judge_peers(ibv, passed_ms);
}

static int handle_next(struct uat_ibv *ibv)
{
    struct pollfd fd = {.fd = ibv->cm->channel->fd, .events = POLLIN};
    struct rdma_cm_event *event;
    int n = poll(&fd, 1, LOOK_MS);
    if (n < 0 && errno != EINTR)
        return fail(ibv, -1, "waiting for an event", errno);
    if (n <= 0)
        return judge_silence(ibv);
    if (rdma_get_cm_event(ibv->cm->channel, &event))
        return errno == EAGAIN ? 0 : fail(ibv, -1, "reading an event", errno);
    int rc = handle(ibv, event);
    rdma_ack_cm_event(event);
    if (ibv->cm->stranger) { /* a stranger's request does not count as an event */
        rdma_destroy_id(ibv->cm->stranger);
        ibv->cm->stranger = NULL;
        return judge_silence(ibv);
    }
    ibv->cm->silent_ms = 0;
    ibv->cm->looked_ns = uat_clock_ns();
    return rc;
}

int uat_ibv_rdmacm_connect(struct uat_ibv *ibv, const struct uat_endpoint *peers)
{
    struct uat_ibv_rdmacm *cm = ibv->cm;
    int rc = 0;
    cm->missing = ibv->connection_count - 1;
    cm->looked_ns = uat_clock_ns();
    for (int i = 0; i < ibv->connection_count && !rc; i++) {
        int rank = ibv->connections[i].rank;
        rc = uat_ibv_endpoint_read(ibv, rank, &peers[rank], &cm->published[rank].head, &cm->published[rank].end);
    }
    for (int i = 0; i < ibv->connection_count && !rc; i++)
        if (ibv->connections[i].rank > ibv->base.rank)
            rc = start(ibv, ibv->connections[i].rank);
    while (!rc && cm->missing)
        rc = handle_next(ibv);
    rdma_destroy_id(cm->listener);
    cm->listener = NULL;
    ibv->cm_port = 0;
    return rc;
}

void uat_ibv_rdmacm_close(struct uat_ibv *ibv)
{
    struct uat_ibv_rdmacm *cm = ibv->cm;
    if (!cm)
        return;
    for (int i = 0; cm->ids && i < ibv->base.size; i++)
        if (cm->ids[i])
            rdma_destroy_id(cm->ids[i]);
    if (cm->listener)
        rdma_destroy_id(cm->listener);
    if (cm->channel)
        rdma_destroy_event_channel(cm->channel);
    free(cm->established);
    free(cm->published);
    free(cm->ids);
    free(cm);
    ibv->cm = NULL;
}
