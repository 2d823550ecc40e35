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

struct uat_links {
    struct uat_bulk *bulk;             /* NULL until the links are connected */
    struct uat_unreleased *unreleased; /* for each link */
    bool unclean;                      /* some bytes may not be at their homes yet */
};
extern struct uat_links uat_links __attribute__((visibility("hidden")));

/* May some bytes not be at their homes yet, so that an edge needs a release? uat_links_soil() makes it so. */
static inline bool uat_links_are_unclean(void)
{
    return uat_links.unclean;
}
static inline void uat_links_soil(void)
{
    uat_links.unclean = true;
}

/* Make what a worker needs for links to all hosts; then connect the links, which is collective, and needs the arena.
 * Both return 0, or a negative errno that has been reported. uat_links_close() undoes both. uat_links_prepare(), before
 * that: torture. late: operations take effect late. seed: decides how late. */
void uat_links_prepare(bool late, uint64_t seed);
int uat_links_open(void);
int uat_links_connect(void);
void uat_links_close(void);

/* Post one operation, and return its number. */
uint64_t uat_link_post(int link, const struct uat_bulk_op *op);
/* Wait until the link has completed all operations up to number `end`. */
void uat_link_wait(int link, uint64_t end);

/* Post a WRITE of far bytes of array a, which lie in one chunk. home: of `at`. Returns the number of the operation that
 * ends it. `source` must not change until the link has completed that operation. */
uint64_t uat_link_write(const struct uat_array *a, const struct uat_home *home, uintptr_t at, const void *source,
                        size_t bytes);
/* Post a READ of such bytes. The READ is ordered after this worker's own WRITEs of the same bytes. Returns the number
 * of the operation that ends it. */
uint64_t uat_link_read(const struct uat_array *a, const struct uat_home *home, uintptr_t at, void *to, size_t bytes);

/* Note that operation `number` of the link, its last one, is a uat_atomic_add(). uat_link_await_additions() waits for
 * the last such operation. */
void uat_link_note_addition(int link, uint64_t number);
void uat_link_await_additions(int link);

/* Flush the WRITEs and additions that were posted on all links, and note that all bytes are at their homes. So post
 * what the slots of the cache hold before (uat_cache_post_all()). Returns whether it had to wait. */
bool uat_links_flush(void);
/* Wait for all operations of all links. */
void uat_links_drain(void);

#endif
