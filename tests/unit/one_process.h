/* SPDX-License-Identifier: MIT */
/* A transport for unit tests, within one process and one thread. An operation acts at once on the word at its
 * address. */
#ifndef UAT_TEST_ONE_PROCESS_H
#define UAT_TEST_ONE_PROCESS_H

#include <string.h>

#include "transport/transport.h"

static inline void execute_at(const struct uat_op *op, uint64_t *remote)
{
    uint64_t old = *remote;
    if (op->code == UAT_OP_READ)
        memcpy(op->local, remote, op->size);
    else if (op->code == UAT_OP_WRITE)
        memcpy(remote, op->local, op->size);
    else if (op->code == UAT_OP_FETCH_ADD)
        *remote += op->operand;
    else if (old == op->compare)
        *remote = op->operand;
    if (op->code >= UAT_OP_FETCH_ADD && op->local)
        *(uint64_t *)op->local = old;
}

/* Execute a chain in place. p may be NULL. */
static inline int execute_chain(const struct uat_op *ops, int count, struct uat_pending *p)
{
    for (int i = 0; i < count; i++)
        execute_at(&ops[i], ops[i].remote);
    if (p)
        p->done = true;
    return 0;
}

/* For transports whose chains are complete as soon as they are posted. */
static inline int no_progress(struct uat_transport *t)
{
    return 0;
}

#endif
