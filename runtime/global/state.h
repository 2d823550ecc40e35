/* SPDX-License-Identifier: MIT */
/*
 * What all parts of global memory share: constants, and functions of parts that have no header. Each part has its own
 * state, static or in the struct of its header: array.h (place.c), arena.h, cache.h (slots.c, cache.c), hosts.h and
 * link.h. Other parts only read such a struct. open.c opens all parts and closes them. In the runtime, only the files
 * of this folder use these headers, record.h and bounds.h.
 *
 * docs/global.md has the numbered rules that the code names: G1 to G10.
 */
#ifndef UAT_GLOBAL_STATE_H
#define UAT_GLOBAL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/divisor.h"
#include "include/uat/global.h"
#include "runtime/global/global.h"
#include "runtime/job/self.h"
#include "runtime/segment/segment.h"
#include "transport/bulk.h"

/* The first address of global memory. It is far from the segment, and from all mappings that Linux places by itself. */
#define UAT_GLOBAL_BASE UINT64_C(0x200000000000)

enum {
    UAT_GRANULE_SHIFT = 30, /* an array has its own granules of 1 GiB, so an address identifies its array */
    UAT_GRANULES = 48 << 10,
    UAT_SHIFTS = 128, /* number of shifts: distances of an array's start from its first granule, see place.c */
    UAT_HUGE_PAGE = 2 << 20,
    UAT_BLOCK_SHIFT = 16, /* a block: the unit that has one place in the cache */
    UAT_BLOCK = 1 << UAT_BLOCK_SHIFT,
    UAT_PART_SHIFT = 12, /* a part: the unit that is fetched and dropped as a whole (G2) */
    UAT_PART = 1 << UAT_PART_SHIFT,
    UAT_PARTS = UAT_BLOCK / UAT_PART,
    UAT_BOUNCE = 4096,    /* bytes of one bounce buffer */
    UAT_BOUNCES = 128,    /* number of bounce buffers, for plain puts and for memory that the adapter does not reach */
    UAT_PART_HEAD = 8192, /* bytes at the start of a worker's part that hold no objects */
    /* Offset of the list of objects that other workers freed: a uat_atomic_t in the head, at the owner's colour. */
    UAT_FREED_OFFSET = 0,
    /* Offset of a word to which atomics add 0: in the head, at the flushing worker's colour. */
    UAT_FLUSH_OFFSET = 4096,
    UAT_TEMPORARY_UNITS = 4096, /* maximum units of the memory of temporary arrays */
    UAT_TRANSFER_MAX = 1 << 30, /* maximum bytes of one split-phase transfer */
    UAT_POISON = 0xdb           /* under torture: fills memory of a part that belongs to no object */
};
_Static_assert(UAT_FLUSH_OFFSET - UAT_FREED_OFFSET == UAT_COLOURS * UAT_COLOUR_STEP &&
                   UAT_PART_HEAD - UAT_FLUSH_OFFSET == UAT_COLOURS * UAT_COLOUR_STEP,
               "a line for each colour");
_Static_assert(UAT_BLOCK == UAT_GLOBAL_BLOCK, "global.h tells the size of a block");

struct uat_array;
struct uat_room_job;

/* open.c: uat_global_open(), inside a collective call. */
int uat_global_start(void);

/* open.c: prepare for uat_global_start(), and undo both. Global memory costs nothing before it is started.
 * uat_global_prepare() copies what it needs of *job, and returns 0, or -ENOMEM, which has been reported.
 * uat_global_close() is called after uat_global_before_barrier() and a barrier. */
int uat_global_prepare(const struct uat_room_job *job);
void uat_global_close(void);

/* open.c: drop all arrays, objects and links, so that global memory is prepared again, and not started. All workers
 * call this together, with nothing checked out and nothing in flight. */
void uat_global_reset(void);

/* report.c: set global memory's counters in *stats. Two other parts set their counters: link.c, coherence.c. */
void uat_global_count(uat_stats_detail_t *stats);
void uat_link_count(uat_stats_detail_t *stats);
void uat_release_count(uat_stats_detail_t *stats);

/* fence.c: is near memory inaccessible? */
bool uat_fence_is_up(void);

/* exchange.c: reserve room in the segment for exchanges between workers. */
void uat_global_reserve(void);

/* exchange.c: give all workers `bytes` bytes of each of these `count` ranks, in the ranks' order. Collective. ranks:
 * NULL for the first `count` ranks. Rank 0 posts `count` READs per 512 bytes, 16 at a time. */
int uat_global_gather_from(const int *ranks, int count, const void *mine, size_t bytes, void *all);
/* The worst of all workers' rc, returned on all of them. */
int uat_global_agree(int rc);

/* link.c: uat_links.bulk, the links to all hosts, for the parts that link.h includes. NULL until they are connected. */
struct uat_bulk *uat_links_bulk(void);

/* coherence.c: start to measure what publications spend on releases; forget it, and the counts of all releases. */
void uat_release_open(void);
void uat_release_close(void);

/* transfer.c: forget the bounce buffers' use. */
void uat_transfer_reset(void);

/* transfer.c: get and put without a check of the bounds, for the runtime's own accesses. bytes > 0. */
void uat_get_unchecked(void *local, uintptr_t at, size_t bytes);
void uat_put_unchecked(uintptr_t at, const void *local, size_t bytes);

/* place.c: the shift of this number, 0 to UAT_SHIFTS - 1, in bytes. */
uint64_t uat_place_shift(unsigned number);

/* heap.c: prepare this worker's parts to hold objects. These are its own part and the ghosts' parts that it keeps.
 * Returns 0, or -ENOMEM, which has been reported. */
int uat_objects_start(void);
void uat_objects_end(void);
/* The number of parts: one for each worker and each ghost. */
int uat_parts_count(void);

/* A small set of disjoint byte ranges. A range that is added extends a range that it adjoins. */

enum { UAT_RANGES_MAX = 64 };

struct uat_ranges {
    unsigned count;
    struct {
        uint64_t from, to;
    } range[UAT_RANGES_MAX];
};

/* Does any range of the set overlap [from, to)? */
bool uat_ranges_meet(const struct uat_ranges *set, uint64_t from, uint64_t to);

/* Add a range that overlaps no range of the set. Returns false if there is no room. */
bool uat_ranges_add(struct uat_ranges *set, uint64_t from, uint64_t to);

#endif
