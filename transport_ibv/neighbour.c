/* SPDX-License-Identifier: MIT */
/*
 * The neighbours: the workers of this worker's group. The pool (pool.c) maps their segments. READs and WRITEs of a
 * neighbour's segment are loads and stores of this CPU, unless needs_adapter() says otherwise. But only an adapter may
 * change a word that an adapter changes (O6). So atomics on a neighbour's segment go through the adapter, on the queue
 * pair to this worker itself.
 */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "transport/words.h"

int uat_ibv_attach_info(struct uat_transport *t, void *data, size_t *size)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    struct uat_ibv_attach_info info = {.magic = UAT_IBV_ATTACH_INFO_MAGIC,
                                       .version = UAT_IBV_ATTACH_INFO_VERSION,
                                       .alone = ibv->alone,
                                       .subnet = (uint16_t)ibv->settings.subnet,
                                       .addresses = (uint32_t)ibv->address_count,
                                       .token = ibv->token,
                                       .segment = ibv->info};
    memcpy(info.address, ibv->addresses, (size_t)ibv->address_count * sizeof(info.address[0]));
    *size = uat_ibv_attach_info_size(&info);
    memcpy(data, &info, *size);
    return 0;
}

/* List the connections of this worker, and its neighbours. */
static int list_workers(struct uat_ibv *ibv, const struct uat_endpoint *infos)
{
    const struct uat_ibv_groups *g = &ibv->groups;
    struct uat_ibv_attach_info info;
    int own = ibv->base.rank, n = 0;
    for (int i = 0; i < g->size; i++)
        n += uat_ibv_groups_connect(g, own, i);
    ibv->connections = calloc((size_t)n, sizeof(*ibv->connections));
    ibv->neighbours = calloc((size_t)g->workers[g->of[own]], sizeof(*ibv->neighbours));
    if (!ibv->connections || !ibv->neighbours) {
        uat_error("no memory for %d connections", n);
        return -ENOMEM;
    }
    for (int i = 0; i < g->size; i++) {
        if (uat_ibv_groups_connect(g, own, i)) {
            int rc = uat_ibv_attach_info_read(&info, &infos[i], i);
            if (rc)
                return rc;
            ibv->connections[ibv->connection_count++] = (struct uat_ibv_connection){
                .rank = i, .colour = (ibv->alone ? i : g->place[i]) % UAT_COLOURS, .nonce = info.segment.nonce};
        }
        if (g->of[i] == g->of[own])
            ibv->neighbours[ibv->neighbour_count++] = i;
    }
    return 0;
}

/* For each worker, find the connection that reaches it. */
static int find_ways(struct uat_ibv *ibv)
{
    const struct uat_ibv_groups *g = &ibv->groups;
    uint32_t *gateway = calloc((size_t)g->count, sizeof(*gateway)); /* per group: index of the connection to that
                                                                     * group */
    if (!gateway) {
        uat_error("no memory for the ways to %d groups of workers", g->count);
        return -ENOMEM;
    }
    for (int i = 0; i < ibv->connection_count; i++)
        if (uat_ibv_groups_is_gateway(g, ibv->base.rank, ibv->connections[i].rank))
            gateway[g->of[ibv->connections[i].rank]] = (uint32_t)i;
    bool by_cpu = !ibv->alone && ibv->settings.neighbours == UAT_NEIGHBOURS_CPU;
    for (int i = 0; i < g->size; i++)
        ibv->peers[i] = (struct uat_ibv_peer){.connection = gateway[g->of[i]],
                                              .place = (unsigned)g->place[i] & INT_MAX,
                                              .by_cpu = by_cpu && g->of[i] == g->of[ibv->base.rank]};
    free(gateway);
    return 0;
}

/* Take the job's token from rank 0's attach info. */
static int take_token(struct uat_ibv *ibv, const struct uat_endpoint *infos)
{
    struct uat_ibv_attach_info first;
    int rc = uat_ibv_attach_info_read(&first, &infos[0], 0);
    if (rc)
        return rc;
    ibv->token = first.token;
    if (uat_secret_equal(&ibv->token, &first.token))
        return 0;
    uat_error("rank 0 (%s) published no token of the job; run the same build of uat on every worker",
              infos[0].host ? infos[0].host : "?");
    return -EPROTO;
}

int uat_ibv_attach(struct uat_transport *t, const struct uat_endpoint *infos)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    int rc = take_token(ibv, infos);
    if (!rc)
        rc = uat_ibv_network_join(ibv, infos);
    if (!rc)
        rc = uat_ibv_groups_open(&ibv->groups, infos, t->size);
    if (!rc)
        rc = list_workers(ibv, infos);
    ibv->sharing = rc ? 1 : uat_ibv_groups_sharing(infos, t->size, t->rank);
    if (!rc)
        rc = uat_ibv_limits_check_connections(ibv);
    if (!rc)
        rc = uat_ibv_pool_open(ibv, infos);
    if (!rc)
        rc = uat_ibv_queues_create(ibv);
    if (!rc)
        rc = find_ways(ibv);
    return rc;
}

void uat_ibv_neighbours_close(struct uat_ibv *ibv)
{
    uat_ibv_pool_close(ibv);
    uat_ibv_groups_close(&ibv->groups);
    free(ibv->neighbours);
    free(ibv->connections);
}

/* Must the adapter execute this chain? A READ takes effect after the atomics posted before it (O1, O5). So if atomics
 * are in flight, the adapter must also execute the READ. A WRITE need not wait for earlier atomics (O2). An atomic
 * posted after a WRITE takes effect after the WRITE's stores, because the doorbell orders this CPU's stores before the
 * adapter's operations. */
static bool needs_adapter(const struct uat_ibv *ibv, const struct uat_ibv_peer *peer, const struct uat_op *ops,
                          int count)
{
    const struct uat_ibv_connection *c = &ibv->connections[peer->connection];
    bool atomics_under_way = (int)(c->atomic_end - c->tail) > 0;
    for (int i = 0; i < count && peer->by_cpu; i++) {
        bool by_cpu = ops[i].code == UAT_OP_WRITE || (ops[i].code == UAT_OP_READ && !atomics_under_way);
        if (!by_cpu)
            return true;
    }
    return !peer->by_cpu;
}

/* The address at which this worker maps the word that the neighbour has at `remote`. */
static uat_word *mapped(const struct uat_ibv *ibv, const struct uat_ibv_peer *peer, const void *remote)
{
    const struct uat_ibv_pool *pool = &ibv->pool;
    enum uat_ibv_window window = uat_ibv_window_of(ibv, remote);
    size_t offset = (uintptr_t)remote - (uintptr_t)ibv->segment - (window == UAT_IBV_STACKS ? 0 : ibv->read_only);
    return (uat_word *)(pool->row[window] + peer->place * pool->part[window] + offset);
}

bool uat_ibv_neighbour_do(struct uat_ibv *ibv, int rank, const struct uat_op *ops, int count)
{
    const struct uat_ibv_peer *peer = &ibv->peers[rank];
    if (needs_adapter(ibv, peer, ops, count))
        return false;
    /* Full fence: it orders this worker's stores before the post ahead of the loads below. A doorbell orders these
     * stores ahead of an adapter's READ in the same way. This fence pairs with any full fence that the neighbour
     * executes between a store and a later load. It also orders the loads below after the last completion that this
     * worker has seen. */
    uat_cpu_fence();
    for (int i = 0; i < count; i++) {
        uat_word *remote = mapped(ibv, peer, ops[i].remote);
        if (ops[i].code == UAT_OP_READ)
            uat_words_copy(ops[i].local, remote, ops[i].size / 8);
        else
            uat_words_copy(remote, ops[i].local, ops[i].size / 8);
    }
    /* Full fence: before this worker loads anything, the effects that a completion promises are in memory. Pairs with
     * any full fence of the neighbour between its store and its load. The fence also orders the stores above before all
     * later stores and loads. */
    uat_cpu_fence();
    return true;
}
