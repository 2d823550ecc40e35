/* SPDX-License-Identifier: MIT */
/*
 * Links to hosts: READs and WRITEs of far bytes, and flushes.
 *
 * Two WRITEs have no order between them, and neither has a READ after a WRITE (transport/bulk.h). So a link keeps the
 * bytes of all WRITEs since its last flush in a set of ranges. A WRITE that meets one of them waits for a flush. A READ
 * that meets one is posted after an atomic, which comes after those WRITEs (B1, B2).
 */
#ifndef UAT_GLOBAL_LINK_H
#define UAT_GLOBAL_LINK_H

#include "runtime/global/state.h"

/* A link's WRITEs that may not have taken effect. */
struct uat_unreleased {
    bool any;                 /* WRITEs or additions since the last flush */
    struct uat_ranges ranges; /* their bytes at home */
    uint64_t added;           /* the link's last operation that was a uat_atomic_add() */
};

/* Post one operation. */
void uat_link_post(int link, const struct uat_bulk_op *op);
/* Wait until the link has completed `end` operations. */
void uat_link_wait(int link, uint64_t end);

/* Post a WRITE of far bytes. Returns the operation that ends it; source stays unchanged until the link has completed
 * that. */
uint64_t uat_link_write(uintptr_t at, const void *source, size_t bytes);
/* Post a READ of far bytes, which comes after this worker's own WRITEs. Returns the operation that ends it. */
uint64_t uat_link_read(uintptr_t at, void *to, size_t bytes);

/* Post a flush of the link's WRITEs and additions. Returns false if there are none. */
bool uat_link_flush_begin(int link);
/* Wait until that flush is complete. Nothing that writes is posted in between. */
void uat_link_flush_end(int link);

#endif
