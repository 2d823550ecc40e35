/* SPDX-License-Identifier: MIT */
/* Wait until all operations that this worker has posted have taken effect. */
#include "base/relax.h"
#include "transport_ibv/ibv.h"

/*
 * Post a FETCH_ADD of 0. Its completion also ends all earlier chains that were not signalled. When a WRITE completes,
 * its data may have reached only the peer's adapter. But when an atomic takes effect, all WRITEs posted before it are
 * in the peer's memory (O1). A READ would not suffice: uat does not rely on an order of a READ after earlier WRITEs
 * (O2).
 */
static int flush_connection(struct uat_ibv *ibv, const struct uat_ibv_connection *c, struct uat_pending *p)
{
    struct uat_op op = uat_op_fetch_add(&ibv->scratch->sink, ibv->scratch->flushed[c->colour], 0);
    p->done = false;
    return uat_ibv_post(&ibv->base, c->rank, &op, 1, p);
}

static int drain(struct uat_ibv *ibv)
{
    struct uat_relax relax = {0};
    for (int i = 0; i < ibv->connection_count; i++)
        while (ibv->connections[i].used) {
            int rc = uat_ibv_progress(&ibv->base);
            if (rc)
                return rc;
            uat_relax(&relax);
        }
    return 0;
}

int uat_ibv_flush(struct uat_transport *t)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    struct uat_pending flushed; /* all connections share it; nobody reads it, because drain() waits for the queues */
    if (ibv->error)
        return ibv->error;
    for (int i = 0; i < ibv->connection_count; i++) {
        struct uat_ibv_connection *c = &ibv->connections[i];
        if (!c->written)
            continue;
        int rc = flush_connection(ibv, c, &flushed);
        if (rc)
            return rc;
        c->written = false;
    }
    return drain(ibv);
}
