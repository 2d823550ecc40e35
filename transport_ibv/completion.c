/* SPDX-License-Identifier: MIT */
/* Taking completions, and waiting for all of them. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

/* A completion ends its chain and, since one queue pair completes in order, all that were posted before. */
static void retire(struct uat_ibv *ibv, struct uat_ibv_chain *last)
{
    struct uat_ibv_connection *c = uat_ibv_way(ibv, last->peer);
    struct uat_ibv_chain *chain;
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

static struct uat_ibv_chain *chain_of(const struct ibv_wc *wc)
{
    return (struct uat_ibv_chain *)(uintptr_t)(wc->wr_id & ~(uint64_t)(_Alignof(struct uat_ibv_chain) - 1));
}

/* Report the first completion that says what went wrong: those of requests flushed behind it only say that something
 * did. Nothing but flushed ones: the device may have told the reason as an event. */
static int fail(struct uat_ibv *ibv, const struct ibv_wc *wc, int n)
{
    const struct ibv_wc *cause = NULL;
    for (int i = n - 1; i >= 0; i--)
        if (wc[i].status != IBV_WC_SUCCESS && (!cause || wc[i].status != IBV_WC_WR_FLUSH_ERR))
            cause = &wc[i];
    int rc = cause->status == IBV_WC_WR_FLUSH_ERR ? uat_ibv_events_poll(ibv) : 0;
    ibv->error = rc ? rc : uat_ibv_report_completion(ibv, cause);
    return ibv->error;
}

int uat_ibv_progress(struct uat_transport *t)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    struct ibv_wc wc[UAT_IBV_POLL];
    if (ibv->error)
        return ibv->error;
    int n = ibv_poll_cq(ibv->cq, UAT_IBV_POLL, wc);
    if (n < 0) {
        uat_error("polling the completion queue of %s failed: %s", ibv->port.device, strerror(errno));
        return ibv->error = -EIO;
    }
    for (int i = 0; i < n; i++) {
        if (wc[i].status != IBV_WC_SUCCESS)
            return fail(ibv, wc + i, n - i);
        retire(ibv, chain_of(&wc[i]));
    }
    if (n)
        ibv->idle_polls = 0;
    else
        ibv->error = uat_ibv_events_poll_seldom(ibv);
    return ibv->error;
}
