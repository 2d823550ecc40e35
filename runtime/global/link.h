/* SPDX-License-Identifier: MIT */
/*
 * Links to hosts: READs and WRITEs of far bytes, and flushes.
 *
 * Two WRITEs have no order between them, and a READ has no order after a WRITE (transport/bulk.h). So a link records
 * the ranges of all WRITEs since its last flush. A WRITE that overlaps one of these ranges waits for a flush. Before a
 * READ that overlaps one of these ranges, the link posts an atomic. The atomic takes effect after the recorded WRITEs
 * and before the READ (B1, B2).
 */
#ifndef UAT_GLOBAL_LINK_H
#define UAT_GLOBAL_LINK_H

#include "runtime/global/array.h"

/* A link's WRITEs that may not have taken effect yet. */
struct uat_unreleased {
    bool any;                 /* WRITEs or additions since the last flush */
    struct uat_ranges ranges; /* the WRITEs' ranges at home */
    uint64_t added;           /* number of the link's last operation that was a uat_atomic_add() */
};

/* What this worker has written, and what a release makes visible. */
struct uat_release {
    struct uat_unreleased *unreleased; /* for each link: WRITEs and additions that may not have taken effect */
    bool needed;                       /* some bytes may not be at their homes yet */
    uint64_t spent, since;             /* the budget of releases: coherence.c */
};
extern struct uat_release uat_release __attribute__((visibility("hidden")));

/* Post one operation. */
void uat_link_post(int link, const struct uat_bulk_op *op);
/* Wait until the link has completed all operations up to number `end`. */
void uat_link_wait(int link, uint64_t end);

/* Post a WRITE of far bytes of array a, which lie in one chunk. home: of `at`. Returns the number of the operation that
 * ends it. `source` must not change until the link has completed that operation. */
uint64_t uat_link_write(const struct uat_array *a, const struct uat_home *home, uintptr_t at, const void *source,
                        size_t bytes);
/* Post a READ of such bytes. The READ is ordered after this worker's own WRITEs of the same bytes. Returns the number
 * of the operation that ends it. */
uint64_t uat_link_read(const struct uat_array *a, const struct uat_home *home, uintptr_t at, void *to, size_t bytes);

/* Post a flush of the link's WRITEs and additions. Returns false if there are none. */
bool uat_link_flush_begin(int link);
/* Wait until that flush is complete. No WRITE may be posted between the two calls. */
void uat_link_flush_end(int link);

#endif
