/* SPDX-License-Identifier: MIT */
/*
 * transport_sim: a post adds the chain to the world's queue. At the chain's time, the process that has the token
 * executes it. The transport keeps the promises of transport.h. Under an adversary it orders no more than they require:
 * see plan.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "transport/bulk.h"
#include "transport/check.h"
#include "transport/transport.h"
#include "transport_sim/memory.h"
#include "transport_sim/operation.h"
#include "transport_sim/plan.h"
#include "transport_sim/token.h"

struct sim_transport {
    struct uat_transport head;
    struct uat_pending *pending[SIM_CHAINS]; /* pending[c] belongs to this worker's chain c; NULL: fire-and-forget, or
                                              * unused */
};

static struct sim_transport *of(struct uat_transport *t)
{
    return (struct sim_transport *)t;
}

static int open_transport(const struct uat_transport_config *config, struct uat_transport **out)
{
    struct sim_transport *t = calloc(1, sizeof(*t));
    if (!t || uat_sim_plan_open(config->size)) {
        uat_error("transport sim: no memory for the tables of %d peers", config->size);
        free(t);
        return -ENOMEM;
    }
    t->head = (struct uat_transport){.class_ = &uat_transport_sim, .rank = config->rank, .size = config->size};
    uat_sim.segment = config->segment;
    uat_sim.segment_size = config->segment_size;
    uat_sim.world->segment = uat_sim.segment; /* all workers store the same value; they meet before the first
                                               * operation */
    uat_sim.world->segment_size = uat_sim.segment_size;
    if (config->size > 1 && config->size <= SIM_MAPPED_MAX) { /* in a larger job, segments are accessed through the
                                                               * file */
        void *all = mmap(NULL, (size_t)config->size * config->segment_size, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_NORESERVE, uat_sim.world->object, 0);
        uat_sim.all = all == MAP_FAILED ? NULL : all;
    }
    *out = &t->head;
    return 0;
}

/* There is nothing to publish: each worker has had all data since the fork. */
static int endpoint(struct uat_transport *t, void *data, size_t *size)
{
    (void)t;
    (void)data;
    *size = 0;
    return 0;
}

static int connect_all(struct uat_transport *t, const struct uat_endpoint *peers)
{
    (void)t;
    (void)peers;
    return 0;
}

/* Report the chains that have ended. */
static int progress(struct uat_transport *head)
{
    struct sim_transport *t = of(head);
    for (int c = 0; c < SIM_CHAINS; c++) {
        struct sim_chain *chain = &uat_sim.world->chain[c * head->size + uat_sim.rank];
        if (!t->pending[c] || chain->state != SIM_ENDED)
            continue;
        t->pending[c]->done = true;
        t->pending[c] = NULL;
        chain->state = SIM_FREE;
    }
    return 0;
}

/* Get a free chain. If there is none, wait for one, as a worker waits over verbs for room in a send queue. */
static struct sim_chain *get_chain(struct uat_transport *head, uint32_t *number)
{
    struct sim_chain *chain;
    while (!(chain = uat_sim_chain_get(number))) {
        progress(head);
        if (!(chain = uat_sim_chain_get(number)) && uat_sim.me->chains > 0)
            uat_sim_sleep(SIM_WAITS_ANY);
        if (chain)
            break;
    }
    return chain;
}

static int post(struct uat_transport *head, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    struct sim_transport *t = of(head);
    struct uat_bounds bounds = {.segment = uat_sim.segment, .size = uat_sim.segment_size};
    int rc = uat_transport_check(head, &bounds, peer, ops, count, p == NULL);
    if (rc)
        return rc;
    uint32_t number;
    uat_sim_hook_enter();
    if (sim_adverse())
        uat_sim_pass(uat_sim.world->settings.network.post);
    else
        uat_sim_pass_later(
            uat_sim.world->settings.network.post); /* the chain affects no other worker before its item's turn */
    uat_sim_stores_drain(); /* the CPU's stores reach memory before the chain starts, as at a doorbell */
    struct sim_chain *chain = get_chain(head, &number);
    chain->initiator = uat_sim.rank;
    chain->target = peer;
    chain->count = (uint32_t)count;
    chain->unsignaled = p == NULL;
    memcpy(chain->ops, ops, (size_t)count * sizeof(*ops));
    for (int i = 0; i < count && !p; i++)
        if (ops[i].code == UAT_OP_WRITE)
            memcpy(chain->copies[i], ops[i].local, ops[i].size);
    t->pending[number / (uint32_t)head->size] = p;
    uat_sim_chain_launch(chain, number);
    uat_sim_hook_leave();
    return 0;
}

static int flush(struct uat_transport *head)
{
    uat_sim_hook_enter();
    uat_sim_pass(0);
    while (uat_sim.inside && uat_sim.me->chains > 0)
        uat_sim_sleep(SIM_WAITS_ANY);
    uat_sim_hook_leave();
    return progress(head);
}

static void close_transport(struct uat_transport *head)
{
    if (uat_sim.all)
        munmap(uat_sim.all, (size_t)head->size * uat_sim.segment_size);
    uat_sim.all = NULL;
    uat_sim_plan_close();
    free(head);
}

const struct uat_transport_class uat_transport_sim = {
    .name = "sim",
    .open = open_transport,
    .endpoint = endpoint,
    .connect = connect_all,
    .post = post,
    .progress = progress,
    .flush = flush,
    .close = close_transport,
    .bulk = &uat_bulk_sim,
};
