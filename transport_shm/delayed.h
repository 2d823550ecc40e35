/* SPDX-License-Identifier: MIT */
/*
 * Torture: operations of a link take effect late, in any order that transport/bulk.h permits. Shared memory orders more
 * than a network does. So without torture it hides bugs in code that relies on more order.
 */
#ifndef UAT_SHM_LATE_H
#define UAT_SHM_LATE_H

#include "transport/bulk.h"
#include "transport_shm/shuffle.h"

enum { UAT_DELAYED_ROOM = 64 /* maximum number of delayed operations of one link */ };

struct uat_delayed_op {
    struct uat_bulk_op op;
    char *source; /* if a WRITE was reported complete: a copy of its bytes, because the caller may reuse the source */
    bool told, done;
};

struct uat_late {
    struct uat_delayed_op ops[UAT_DELAYED_ROOM]; /* oldest first */
    int count, told;                             /* told: the first `told` operations were reported complete */
};

/* Execute one operation now. source: the bytes that a WRITE stores. */
void uat_delayed_execute(const struct uat_bulk_op *op, const void *source);

/* Delay one more operation. There must be room for the operation: see uat_delayed_step(). */
void uat_delayed_put(struct uat_late *late, const struct uat_bulk_op *op);

/* Execute some operations, and report some completions. Returns the number of completions reported, or -ENOMEM. */
int uat_delayed_step(struct uat_late *late, struct uat_shuffle *random);

/* Check that all operations have taken effect. Over verbs, a later effect would access memory that the host's leader no
 * longer exposes. */
void uat_delayed_close(const struct uat_late *late);

#endif
