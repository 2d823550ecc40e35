/* SPDX-License-Identifier: MIT */
/*
 * Torture: operations of a link that take effect as late and as disordered as transport/bulk.h permits. Shared memory
 * gives more order than a network does, and so hides bugs in code that relies on it.
 */
#ifndef UAT_SHM_LATE_H
#define UAT_SHM_LATE_H

#include "transport/bulk.h"
#include "transport_shm/shuffle.h"

enum { UAT_DELAYED_ROOM = 64 /* maximum number of operations of one link that are put off */ };

struct uat_delayed_op {
    struct uat_bulk_op op;
    char *source; /* the bytes of a WRITE that has been reported complete: the caller may have changed the original */
    bool told, done;
};

struct uat_late {
    struct uat_delayed_op ops[UAT_DELAYED_ROOM]; /* oldest first */
    int count, told;                             /* told: how many of the first ones were reported complete */
};

/* Let one operation take effect now. */
void uat_delayed_execute(const struct uat_bulk_op *op, const void *source);

/* Put off one more operation. There must be room: see uat_delayed_step(). 0 or -ENOMEM. */
int uat_delayed_put(struct uat_late *late, const struct uat_bulk_op *op);

/* Let some operations take effect, and report some completions. Returns the number reported, or -ENOMEM. all: do as
 * many of both as possible. */
int uat_delayed_step(struct uat_late *late, struct uat_shuffle *random, bool all);

/* Check that all operations have taken effect. Over verbs, a later one would meet memory that its peer no longer
 * exposes. */
void uat_delayed_close(const struct uat_late *late);

#endif
