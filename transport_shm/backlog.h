/* SPDX-License-Identifier: MIT */
/*
 * Torture: the operations that were posted to one peer and are not executed yet. A network executes operations some
 * time after they were posted, in any order that O1 allows. Code may need more order by mistake. A CPU that executes
 * each chain at once would hide such a bug.
 */
#ifndef UAT_SHM_BACKLOG_H
#define UAT_SHM_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"
#include "transport_shm/shuffle.h"

enum { UAT_BACKLOG_MAX = 32 /* operations held for one peer */ };

struct uat_backlog {
    int count;
    struct uat_backlog_entry {
        struct uat_op op;
        struct uat_pending *pending;                    /* the chain that the operation belongs to; NULL: fire and
                                                         * forget */
        uint64_t payload[UAT_UNSIGNALED_WRITE_MAX / 8]; /* bytes of an unsignaled WRITE */
    } entry[UAT_BACKLOG_MAX];                           /* oldest first */
};

/* Execute n operations on one peer: one WRITE, one atomic, or one or more READs. */
typedef void uat_backlog_execute_fn(void *context, const struct uat_op *ops, int n);

/* Is there room for `count` more operations? */
bool uat_backlog_fits(const struct uat_backlog *b, int count);

/* Append a chain. There must be room. Copies the payload of each WRITE of a fire-and-forget chain. */
void uat_backlog_add(struct uat_backlog *b, const struct uat_op *ops, int count, struct uat_pending *pending);

/* Is an operation of this chain still in the backlog? */
bool uat_backlog_holds(const struct uat_backlog *b, const struct uat_pending *pending);

/* Execute operations in a random order that O1 allows: all operations if `all`, otherwise some (perhaps none). */
void uat_backlog_run(struct uat_backlog *b, struct uat_shuffle *s, bool all, uat_backlog_execute_fn *execute,
                     void *context);

#endif
