/* SPDX-License-Identifier: MIT */
/* The queue pairs for bulk data: which workers share one, how they are created and connected. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/bulk.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/memlock.h"

enum { SLICE = 64 /* ranks in one step of the exchange of queue pair numbers */ };

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

/* Compute the depths, and check that the device has room. */
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
    if (b->pair_count <= attr->max_qp)
        return 0;
    uat_error("global memory takes %d queue pairs on the worker that serves this host's memory, more than the %d of "
              "%s; use fewer workers",
              b->pair_count, attr->max_qp, b->ibv->port.device);
    return -E2BIG;
}

static int create_pairs(struct uat_ibv_bulk *b, const struct uat_bulk_config *config)
{
    b->pairs = calloc((size_t)b->pair_count, sizeof(*b->pairs));
    b->links = calloc((size_t)config->hosts, sizeof(*b->links));
    if (!b->pairs || !b->links) {
        uat_error("no memory for %d queue pairs of global memory", b->pair_count);
        return -ENOMEM;
    }
    b->cq = ibv_create_cq(b->ibv->context, (int)b->cq_entries, NULL, NULL, 0);
    struct uat_ibv_connection *c = b->pairs;
    for (int rank = 0; b->cq && rank < config->transport->size; rank++) {
        if (!is_paired(config, rank))
            continue;
        /* A queue pair that only serves needs no depth: this worker posts nothing to it. */
        const struct uat_ibv_queue queue = {b->cq, is_leader(config, rank) ? b->depth : 1};
        c->rank = rank;
        snprintf(c->host, sizeof(c->host), "%s", uat_ibv_way(b->ibv, rank)->host);
        if (!uat_ibv_pair_create(b->ibv, c, &queue))
            break;
        c++;
    }
    if (c == b->pairs + b->pair_count)
        return 0;
    int error = errno ? errno : EIO;
    uat_error("cannot create queue pair %d of %d for global memory on %s: %s; the device has %d for all processes of "
              "this host, and queues are locked memory: " UAT_MEMLOCK_ADVICE,
              (int)(c - b->pairs) + 1, b->pair_count, b->ibv->port.device, strerror(error),
              b->ibv->port.device_attr.orig_attr.max_qp);
    return -error;
}

static struct uat_ibv_connection *pair_to(const struct uat_ibv_bulk *b, int rank)
{
    for (int i = 0; i < b->pair_count; i++)
        if (b->pairs[i].rank == rank)
            return &b->pairs[i];
    return NULL;
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

/* Each worker gives every other worker its end of their pair, or 0 if there is none. Each step covers a slice of the
 * ranks; a worker in the slice keeps the ends that are meant for it. ends[i] receives the peer's end of pair i. */
static int exchange_ends(const struct uat_ibv_bulk *b, const struct uat_bulk_config *config,
                         struct uat_ibv_end (*all)[SLICE], struct uat_ibv_end *ends)
{
    int own = config->transport->rank, size = config->transport->size, rc = 0;
    for (int base = 0; base < size && !rc; base += SLICE) {
        struct uat_ibv_end mine[SLICE] = {0};
        for (int i = 0; i < b->pair_count && b->pairs; i++)
            if (b->pairs[i].qp && b->pairs[i].rank >= base && b->pairs[i].rank < base + SLICE)
                mine[b->pairs[i].rank - base] = (struct uat_ibv_end){b->pairs[i].qp->qp_num, b->pairs[i].psn};
        rc = config->gather(mine, sizeof(mine), all);
        for (int i = 0; own >= base && own < base + SLICE && i < b->pair_count && b->pairs; i++)
            ends[i] = all[b->pairs[i].rank][own - base];
    }
    return rc;
}

/* serves: the peer may access this worker's part of global memory through the pair. Otherwise only this worker accesses
 * the peer's part. */
static int connect_pair(struct uat_ibv_bulk *b, struct uat_ibv_connection *c, struct uat_ibv_endpoint *peer,
                        struct uat_ibv_end end, bool serves)
{
    char text[320];
    struct uat_ibv_endpoint own;
    const char *wrong = uat_ibv_endpoint_wrong(b->ibv, c->rank, peer);
    if (!wrong && !uat_ibv_end_is_valid(end))
        wrong = "the numbers of its queue pair or of its packets are out of range";
    if (wrong) {
        uat_error("what rank %d (%s) published for global memory is no endpoint of a verbs transport: %s", c->rank,
                  c->host, wrong);
        return -EPROTO;
    }
    uat_ibv_endpoint_describe(b->ibv, &own);
    if (uat_ibv_endpoint_mismatch(&own, peer, text, sizeof(text))) {
        uat_error("rank %d (%s:%d on %s) and rank %d (%s:%d on %s) cannot reach each other's global memory: %s",
                  b->ibv->base.rank, own.device, own.port, b->ibv->host, c->rank, peer->device, peer->port, c->host,
                  text);
        return -EHOSTUNREACH;
    }
    c->fence = peer->atomics == UAT_IBV_ATOMICS_PCIE;
    return uat_ibv_pair_connect(b->ibv, c, peer, end, serves ? UAT_IBV_SERVES : 0);
}

/* Allocate a table for the exchange. This must succeed, or the peers would hang. */
static void *table(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        uat_error("no memory for the exchange of %zu workers' queue pairs", count);
        abort();
    }
    return p;
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
    struct uat_ibv_end(*all)[SLICE] = table(size, sizeof(*all)), *ends = table(size, sizeof(*ends));
    bool serves = is_leader(config, config->transport->rank);
    uat_ibv_endpoint_describe(b->ibv, &own);
    int exchanged = config->gather(&own, sizeof(own), endpoints);
    if (!exchanged)
        exchanged = exchange_ends(b, config, all, ends);
    if (!rc)
        rc = exchanged;
    for (int i = 0; i < b->pair_count && !rc; i++)
        if (ends[i].qpn) /* 0: the peer has failed and reported it; all workers will give up */
            rc = connect_pair(b, &b->pairs[i], &endpoints[b->pairs[i].rank], ends[i], serves);
    free(endpoints);
    free(all);
    free(ends);
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
