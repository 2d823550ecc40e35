/* SPDX-License-Identifier: MIT */
/*
 * Torture: operations of a link that take effect as late and as disordered as transport/bulk.h permits. Shared memory
 * would give more order than a network does, so that code which relies on it would seem right.
 */
#ifndef UAT_SHM_LATE_H
#define UAT_SHM_LATE_H

#include "transport/bulk.h"
#include "transport_shm/shuffle.h"

enum { UAT_LATE_ROOM = 64 /* operations of one link that are put off */ };

struct uat_late_op {
    struct uat_bulk_op op;
    char *source; /* of a WRITE that has been told complete: its bytes; the caller's may have changed */
    bool told, done;
};

struct uat_late {
    struct uat_late_op ops[UAT_LATE_ROOM]; /* oldest first */
    int count, told;                       /* told: of the front, those whose completion has been told */
};

/* Let one operation take effect now. */
void uat_late_execute(const struct uat_bulk_op *op, const void *source);

/* Put one more off. There must be room: see uat_late_step(). 0 or -ENOMEM. */
int uat_late_put(struct uat_late *late, const struct uat_bulk_op *op);

/* Let some operations take effect, and tell some completions. Returns how many were told, or -ENOMEM. all: as many as
 * possible. */
int uat_late_step(struct uat_late *late, struct uat_shuffle *random, bool all);

void uat_late_close(struct uat_late *late);

#endif
