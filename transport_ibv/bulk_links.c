/* SPDX-License-Identifier: MIT */
/* The queue pairs for bulk data: which two workers share one, and how queue pairs are created and connected. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/bulk.h"
#include "transport_ibv/cure.h"
#include "transport_ibv/endpoint.h"

static bool is_leader(const struct uat_bulk_config *c, int rank)
{
    return c->leader[c->host_of[rank]] == rank;
}

static bool is_paired(const struct uat_bulk_config *c, int rank)
{
    return is_leader(c, rank) || is_leader(c, c->transport->rank);
}

static unsigned smaller(unsigned a, int b)
{
    return b >= 0 && (unsigned)b < a ? (unsigned)b : a;
}

/* Compute the depths of the queues, and check that the device has enough queue pairs. */
static int measure(struct uat_ibv_bulk *b, const struct uat_bulk_config *config)
{
    const struct ibv_device_attr *attr = &b->ibv->port.device_attr.orig_attr;
    for (int rank = 0; rank < config->transport->size; rank++)
        b->pair_count += is_paired(config, rank);
    b->depth = smaller(UAT_IBV_BULK_DEPTH, attr->max_qp_wr);
    b->cq_entries = smaller(UAT_IBV_BULK_CQ_MAX, attr->max_cqe);
    if ((unsigned)config->hosts <= b->cq_entries / b->depth)
        b->cq_entries = (unsigned)config->hosts * b->depth;
    b->locked += (uint64_t)config->hosts * b->depth * UAT_IBV_BULK_REQUEST_BYTES;
    int64_t pairs = b->ibv->group_connections; /* queue pairs of all workers that share this adapter */
    for (int i = 0; i < b->ibv->neighbour_count; i++)
        pairs += is_leader(config, b->ibv->neighbours[i]) ? config->transport->size : config->hosts;
    if (pairs <= attr->max_qp)
        return 0;
    uat_error("global memory takes %d queue pairs of this worker; the %d workers of this host need %" PRId64
              " in all, more than the %d that %s has; use fewer workers on a host",
              b->pair_count, b->ibv->neighbour_count, pairs, attr->max_qp, b->ibv->port.device);
    return -E2BIG;
}

/* Both ends of each pair between a worker and a leader. */
struct ends {
    struct uat_ibv_end *at_workers; /* [worker][host]: the worker's end of the pair of this worker and the host's
                                     * leader */
    struct uat_ibv_end *at_leaders; /* [host][worker]: the leader's end of the same pair */
};

/* What the threads that make the pairs share. */
struct making {
    struct uat_ibv_bulk *b;
    const struct uat_bulk_config *config;
    const struct uat_ibv_endpoint *endpoints; /* of all workers */
    const struct ends *ends;
};

/* Only a leader makes many pairs while others wait for it. The workers that are no leaders make theirs side by side. */
static int threads_of(const struct uat_bulk_config *config)
{
    return is_leader(config, config->transport->rank) ? UAT_IBV_SIDES : 1;
}

static int create_one(void *context, int i)
{
    const struct making *m = context;
    struct uat_ibv_connection *c = &m->b->pairs[i];
    /* This worker posts only to leaders. So its other queue pairs get the least depth. */
    const struct uat_ibv_queue queue = {m->b->cq, is_leader(m->config, c->rank) ? m->b->depth : 1};
    errno = 0;
    return uat_ibv_pair_create(m->b->ibv, c, &queue) ? 0 : -(errno ? errno : EIO);
}

static int create_pairs(struct uat_ibv_bulk *b, const struct uat_bulk_config *config)
{
    b->pairs = calloc((size_t)b->pair_count, sizeof(*b->pairs));
    b->links = calloc((size_t)config->hosts, sizeof(*b->links));
    if (!b->pairs || !b->links) {
        uat_error("no memory for %d queue pairs of global memory", b->pair_count);
        return -ENOMEM;
    }
    struct uat_ibv_connection *c = b->pairs;
    for (int rank = 0; rank < config->transport->size; rank++) {
        if (!is_paired(config, rank))
            continue;
        c->rank = rank;
        snprintf(c->host, sizeof(c->host), "%s", uat_ibv_way(b->ibv, rank)->host);
        c++;
    }
    struct making making = {.b = b, .config = config};
    int failed = 0, rc;
    b->cq = ibv_create_cq(b->ibv->context, (int)b->cq_entries, NULL, NULL, 0);
    rc = b->cq ? uat_ibv_side_by_side(create_one, &making, b->pair_count, threads_of(config), &failed)
               : -(errno ? errno : EIO);
    if (rc)
        uat_error("cannot create queue pair %d of %d for global memory on %s: %s; the device has %d for all processes "
                  "of this host; %s",
                  failed + 1, b->pair_count, b->ibv->port.device, strerror(-rc),
                  b->ibv->port.device_attr.orig_attr.max_qp, uat_ibv_cure(UAT_IBV_RESOURCE_QUEUE, -rc));
    return rc;
}

static int by_rank(const void *rank, const void *pair)
{
    int a = *(const int *)rank, b = ((const struct uat_ibv_connection *)pair)->rank;
    return (a > b) - (a < b);
}

/* This worker's pair with worker `rank`, or NULL. */
static struct uat_ibv_connection *pair_to(const struct uat_ibv_bulk *b, int rank)
{
    struct uat_ibv_connection *c = b->pairs;
    c = c ? bsearch(&rank, c, (size_t)b->pair_count, sizeof(*c), by_rank) : NULL;
    return c;
}

static int make_links(struct uat_ibv_bulk *b, const struct uat_bulk_config *config)
{
    for (int host = 0; host < config->hosts; host++) {
        struct uat_ibv_bulk_link *link = &b->links[host];
        link->pair = pair_to(b, config->leader[host]);
        link->ring = calloc(b->depth, sizeof(*link->ring));
        if (!link->ring) {
            uat_error("no memory for the operations in flight to host %d of %d", host + 1, config->hosts);
            return -ENOMEM;
        }
    }
    return 0;
}

/* Allocate a table for the exchange. The allocation must succeed, or the peers would hang. */
static void *table(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        uat_error("no memory for the exchange of %zu workers' queue pairs", count);
        abort();
    }
    return p;
}

/* This worker's end of a pair; all 0 if there is no pair. */
static struct uat_ibv_end end_of(const struct uat_ibv_connection *c)
{
    return c && c->qp ? (struct uat_ibv_end){c->qp->qp_num, c->psn} : (struct uat_ibv_end){0};
}

/* Exchange the ends of all pairs; the ends of a missing pair are 0. Each worker gathers two tables of workers x
 * hosts. */
static int exchange_ends(const struct uat_ibv_bulk *b, const struct uat_bulk_config *config, struct ends *all)
{
    size_t size = (size_t)config->transport->size, hosts = (size_t)config->hosts;
    struct uat_ibv_end *mine = all->at_leaders; /* uses the memory of at_leaders, which is filled only later */
    for (int host = 0; host < config->hosts; host++)
        mine[host] = end_of(pair_to(b, config->leader[host]));
    int rc = config->gather(NULL, config->transport->size, mine, hosts * sizeof(*mine), all->at_workers);
    struct uat_ibv_end *served = table(size, sizeof(*served));
    for (int rank = 0; rank < config->transport->size; rank++)
        served[rank] = end_of(pair_to(b, rank));
    if (!rc)
        rc = config->gather(config->leader, config->hosts, served, size * sizeof(*served), all->at_leaders);
    free(served);
    return rc;
}

/* The peer's end of its pair with this worker. */
static struct uat_ibv_end peers_end(const struct uat_bulk_config *config, const struct ends *all, int peer)
{
    size_t own = (size_t)config->transport->rank, size = (size_t)config->transport->size;
    size_t host = (size_t)config->host_of[peer];
    return is_leader(config, peer) ? all->at_leaders[host * size + own]
                                   : all->at_workers[(size_t)peer * (size_t)config->hosts + (size_t)config->host];
}

/* Connect a pair to the peer's end. If `serves`, the peer may access this worker's part of global memory through the
 * pair. Otherwise only this worker uses the pair, to access the peer's part. */
static int connect_pair(struct uat_ibv_bulk *b, struct uat_ibv_connection *c, struct uat_ibv_endpoint *peer,
                        struct uat_ibv_end end, bool serves)
{
    char text[320];
    struct uat_ibv_endpoint own;
    const char *wrong = uat_ibv_endpoint_wrong(b->ibv, c->rank, peer);
    if (!wrong && !uat_ibv_end_is_valid(end))
        wrong = "the numbers of its queue pair or of its packets are out of range";
    if (wrong) {
        if (uat_ibv_says_first(b->ibv))
            uat_error("rank %d (%s) published no valid endpoint for global memory: %s", c->rank, c->host, wrong);
        return -EPROTO;
    }
    uat_ibv_endpoint_describe(b->ibv, &own);
    if (uat_ibv_endpoint_mismatch(&own, peer, text, sizeof(text))) {
        if (uat_ibv_says_first(b->ibv))
            uat_error("rank %d (%s:%d on %s) and rank %d (%s:%d on %s) cannot reach each other's global memory: %s",
                      b->ibv->base.rank, own.device, own.port, b->ibv->host, c->rank, peer->device, peer->port, c->host,
                      text);
        return -EHOSTUNREACH;
    }
    c->fence = peer->atomics == UAT_IBV_ATOMICS_PCIE;
    return uat_ibv_pair_connect(b->ibv, c, peer, end, serves ? UAT_IBV_SERVES : 0);
}

static int connect_one(void *context, int i)
{
    const struct making *m = context;
    struct uat_ibv_connection *c = &m->b->pairs[i];
    struct uat_ibv_endpoint peer = m->endpoints[c->rank];
    struct uat_ibv_end end = peers_end(m->config, m->ends, c->rank);
    /* qpn 0: the peer has failed and reported the error, and all workers will give up */
    return end.qpn ? connect_pair(m->b, c, &peer, end, is_leader(m->config, m->config->transport->rank)) : 0;
}

int uat_ibv_bulk_links_open(struct uat_ibv_bulk *b, const struct uat_bulk_config *config)
{
    size_t size = (size_t)config->transport->size;
    int rc = measure(b, config);
    if (!rc)
        rc = create_pairs(b, config);
    if (!rc)
        rc = make_links(b, config);
    struct uat_ibv_endpoint own, *endpoints = table(size, sizeof(*endpoints));
    size_t between = size * (size_t)config->hosts;
    struct ends all = {table(between, sizeof(struct uat_ibv_end)), table(between, sizeof(struct uat_ibv_end))};
    uat_ibv_endpoint_describe(b->ibv, &own);
    int exchanged = config->gather(NULL, config->transport->size, &own, sizeof(own), endpoints);
    if (!exchanged)
        exchanged = exchange_ends(b, config, &all);
    if (!rc)
        rc = exchanged;
    struct making making = {b, config, endpoints, &all};
    int failed;
    if (!rc)
        rc = uat_ibv_side_by_side(connect_one, &making, b->pair_count, threads_of(config), &failed);
    free(endpoints);
    free(all.at_workers);
    free(all.at_leaders);
    if (!rc)
        uat_info("global memory: %d queue pairs of its own on %s, %d of them to post to, of %u requests", b->pair_count,
                 b->ibv->port.device, config->hosts, b->depth);
    return rc;
}

void uat_ibv_bulk_links_close(struct uat_ibv_bulk *b)
{
    for (int i = 0; b->pairs && i < b->pair_count; i++)
        if (b->pairs[i].qp)
            ibv_destroy_qp(b->pairs[i].qp);
    for (int host = 0; b->links && host < b->head.links; host++)
        free(b->links[host].ring);
    if (b->cq)
        ibv_destroy_cq(b->cq);
    free(b->pairs);
    free(b->links);
}
