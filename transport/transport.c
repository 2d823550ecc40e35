/* SPDX-License-Identifier: MIT */
/* What all transports share: counting, and waiting for completions. */
#include "transport/transport.h"

#include <assert.h>

#include "base/relax.h"

static void count_ops(struct uat_transport *t, const struct uat_op *ops, int count)
{
    for (int i = 0; i < count; i++) {
        t->ops[ops[i].code]++;
        if (ops[i].code == UAT_OP_READ)
            t->bytes_read += ops[i].size;
        else if (ops[i].code == UAT_OP_WRITE)
            t->bytes_written += ops[i].size;
    }
}

int uat_transport_post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    assert(peer >= 0 && peer < t->size && count >= 1 && count <= UAT_CHAIN_MAX);
    if (p)
        p->done = false;
    int rc = t->class_->post(t, peer, ops, count, p);
    if (!rc)
        count_ops(t, ops, count); /* not before: a refused operation may have a code out of range */
    return rc;
}

int uat_transport_wait(struct uat_transport *t, struct uat_pending *const *pending, int n)
{
    struct uat_relax relax = {0};
    t->round_trips++;
    for (int i = 0; i < n; i++)
        while (!pending[i]->done) {
            int rc = t->class_->progress(t);
            if (rc)
                return rc;
            if (!pending[i]->done)
                uat_relax_complete(&relax);
        }
    return 0;
}

int uat_transport_do(struct uat_transport *t, int peer, const struct uat_op *ops, int count)
{
    struct uat_pending p, *list = &p;
    int rc = uat_transport_post(t, peer, ops, count, &p);
    return rc ? rc : uat_transport_wait(t, &list, 1);
}
