/* SPDX-License-Identifier: MIT */
/* Completions of chains and of bulk operations. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/request.h"

static struct uat_ibv_chain *chain_of(const struct ibv_wc *wc)
{
    return (struct uat_ibv_chain *)(uintptr_t)(wc->wr_id & ~(uint64_t)(_Alignof(struct uat_ibv_chain) - 1));
}

/* A queue pair completes requests in order. So a completion ends its chain and all chains posted before. */
static void retire(void *context, const struct ibv_wc *wc)
{
    struct uat_ibv *ibv = context;
    struct uat_ibv_chain *chain, *last = chain_of(wc);
    struct uat_ibv_connection *c = uat_ibv_way(ibv, last->peer);
    do {
        chain = &c->chains[c->tail++ % ibv->depth];
        c->used -= chain->count;
        for (int i = 0; i < chain->slot_count; i++)
            ibv->free_slots[ibv->free_count++] = chain->slot[i];
        if (chain->pending)
            chain->pending->done = true;
    } while (chain != last);
    if (!c->used)
        c->atomic_open = false;
    ibv->signalled--;
}

static const struct uat_ibv_connection *describe(void *context, const struct ibv_wc *wc, char *text, size_t size)
{
    const struct uat_ibv *ibv = context;
    const struct uat_ibv_chain *chain = chain_of(wc);
    const struct uat_ibv_connection *way = uat_ibv_way(ibv, chain->peer);
    unsigned at = (unsigned)(wc->wr_id % _Alignof(struct uat_ibv_chain));
    snprintf(text, size, "%s at address %p of rank %d (%s), operation %u of %u in its chain,",
             uat_ibv_names[chain->code[at]], chain->remote[at], chain->peer, way->host, at + 1, chain->count);
    return way;
}

/* Report the first completion that names a cause. A completion of a flushed request only says that an earlier request
 * failed. If all completions are of flushed requests, the device may have reported the cause as an event. */
static int fail(struct uat_ibv *ibv, const struct uat_ibv_completer *q, const struct ibv_wc *wc, int n)
{
    const struct ibv_wc *cause = NULL;
    for (int i = n - 1; i >= 0; i--)
        if (wc[i].status != IBV_WC_SUCCESS && (!cause || wc[i].status != IBV_WC_WR_FLUSH_ERR))
            cause = &wc[i];
    int rc = cause->status == IBV_WC_WR_FLUSH_ERR ? uat_ibv_events_poll(ibv) : 0;
    if (!rc) {
        char what[256];
        const struct uat_ibv_connection *way = q->describe(q->context, cause, what, sizeof(what));
        rc = uat_ibv_report_completion(ibv, way, cause, what);
    }
    return ibv->error = rc;
}

int uat_ibv_take_completions(struct uat_ibv *ibv, const struct uat_ibv_completer *q)
{
    struct ibv_wc wc[UAT_IBV_POLL];
    if (ibv->error)
        return ibv->error;
    int n = ibv_poll_cq(q->cq, UAT_IBV_POLL, wc);
    if (n < 0) {
        uat_error("polling a completion queue of %s failed: %s; look for messages of its driver (`dmesg`)",
                  ibv->port.device, strerror(errno));
        return ibv->error = -EIO;
    }
    for (int i = 0; i < n; i++) {
        if (wc[i].status != IBV_WC_SUCCESS)
            return fail(ibv, q, wc + i, n - i);
        q->retire(q->context, &wc[i]);
    }
    if (n)
        ibv->idle_polls = 0;
    else
        ibv->error = uat_ibv_events_poll_seldom(ibv);
    return ibv->error;
}

int uat_ibv_progress(struct uat_transport *t)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    const struct uat_ibv_completer q = {.cq = ibv->cq, .context = ibv, .retire = retire, .describe = describe};
    return uat_ibv_take_completions(ibv, &q);
}
