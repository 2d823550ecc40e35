/* SPDX-License-Identifier: MIT */
/* Functions that all transports share: they check, post and count chains, and wait for completions. */
#include "transport/transport.h"

#include <errno.h>

#include "base/kernel.h"
#include "base/log.h"
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

/* Refuse a chain whose peer or number of operations is out of range. */
static __attribute__((cold)) int refuse_chain(const struct uat_transport *t, int peer, int count)
{
    uat_error(
        "transport %s: a chain of %d operations for rank %d: there are ranks 0 to %d, and chains of 1 to %d operations",
        t->class_->name, count, peer, t->size - 1, UAT_CHAIN_MAX);
    return -EINVAL;
}

int uat_transport_post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    if (__builtin_expect((unsigned)peer >= (unsigned)t->size || (unsigned)count - 1 >= UAT_CHAIN_MAX, 0))
        return refuse_chain(t, peer, count);
    if (p)
        p->done = false;
    int rc = t->class_->post(t, peer, ops, count, p); /* over verbs: uat_ibv_post(), transport_ibv/posting.c */
    if (!rc)
        count_ops(t, ops, count); /* count only after post() has accepted the chain: the code of a refused operation may
                                   * be out of range */
    return rc;
}
UAT_KERNEL(uat_transport_post);

int uat_transport_wait(struct uat_transport *t, struct uat_pending *const *pending, int n)
{
    struct uat_relax relax = {0};
    t->round_trips++;
    for (int i = 0; i < n; i++)
        while (!pending[i]->done) {
            int rc = t->class_->progress(t); /* over verbs: uat_ibv_progress(), transport_ibv/completion.c */
            if (rc)
                return rc;
            if (!pending[i]->done)
                uat_relax_complete(&relax);
        }
    return 0;
}
UAT_KERNEL(uat_transport_wait);

int uat_transport_do(struct uat_transport *t, int peer, const struct uat_op *ops, int count)
{
    struct uat_pending p, *list = &p;
    int rc = uat_transport_post(t, peer, ops, count, &p);
    return rc ? rc : uat_transport_wait(t, &list, 1);
}
UAT_KERNEL(uat_transport_do);
