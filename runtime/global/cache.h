/* SPDX-License-Identifier: MIT */
/* The cache of far memory: its slots, the bytes in the slots that wait to be written home, and ranges that the cache
 * cannot hold in one piece. */
#ifndef UAT_GLOBAL_CACHE_H
#define UAT_GLOBAL_CACHE_H

#include "runtime/global/array.h"

/* A place of the cache: block b lies in slot b mod slots. */
struct uat_slot_of_cache {
    _Alignas(64) uint64_t block; /* address >> UAT_BLOCK_SHIFT; 0: none */
    uint64_t epoch;              /* the epoch in which `valid` holds */
    uint16_t valid;              /* parts whose bytes are valid: copied from the home, or checked in here */
    uint16_t arriving;           /* parts whose prefetch is in flight */
    uint32_t dirty, dirty_end;   /* bytes checked in and not yet posted: [dirty, dirty_end); none if dirty_end is 0 */
    uint32_t link;               /* link to the block's home */
    bool listed;                 /* the slot is in `pending` */
    /* read_end: number of the link's operation that ends the last READ to the slot. write_end: number of the operation
     * that ends the last WRITE from the slot. */
    uint64_t read_end, write_end;
};

_Static_assert(sizeof(struct uat_slot_of_cache) == 64, "one line");

struct uat_cache {
    bool shows;     /* slots publish their runs in shown[], where the inlined uat_global_checkout() finds them */
    uint64_t epoch; /* the current epoch, raised by an acquire */
    struct uat_slot_of_cache *slot;
    struct uat_shown_run *shown; /* the shown run of each slot */
    uint64_t slot_mask;
    char *ring;       /* slots * UAT_BLOCK bytes, mapped twice in a row; address a has its place at a & ring_mask */
    size_t ring_mask; /* unused while ring_size is 0 */
    size_t ring_size;
    uint32_t *pending; /* slots that may have dirty bytes */
    uint32_t pending_count;
    uint64_t misses; /* statistics: checkouts that a miss has delayed */
};
extern struct uat_cache uat_cache __attribute__((visibility("hidden")));

/* slots.c, as all up to uat_overflow_checkout(). uat_cache_plan() chooses the size of the ring, and returns its bytes.
 * The arena then makes the ring, and uat_cache_open() the slots. uat_cache_open() returns 0, or -ENOMEM, which has been
 * reported. uat_cache_close() undoes both. */
size_t uat_cache_plan(void);
int uat_cache_open(void);
void uat_cache_close(void);

/* Raise the epoch: parts that became valid in another epoch are no longer valid. */
static inline void uat_cache_age(void)
{
    uat_cache.epoch++;
}
/* Make all slots show no run. */
void uat_cache_hide(void);
/* A put or a checkin writes [at, at + bytes) at home: write the same bytes to the cached copy (G7, G8). */
void uat_cache_update(uintptr_t at, const void *from, size_t bytes);
/* Drop what is cached of the array. */
void uat_cache_drop(const struct uat_array *a);
/* Wait until the prefetch to the slot has completed, and record its parts as valid. */
void uat_slot_settle(struct uat_slot_of_cache *s);
/* Assign the slot to a block, or to none if block is 0. First wait until the last WRITE from the slot and the last READ
 * into it have completed (G6). */
void uat_slot_claim(struct uat_slot_of_cache *s, uint64_t block, uint32_t link, uint64_t epoch);
/* Post all bytes of the slot that were checked in and not yet posted. */
void uat_cache_post_slot(struct uat_slot_of_cache *s);
/* Post the pending bytes of all slots. */
void uat_cache_post_all(void);
/* Post the pending bytes of [at, at + bytes). */
void uat_cache_post_range(uintptr_t at, size_t bytes);

/* overflow.c: check out a range of this array that the ring cannot hold in one piece. */
void *uat_overflow_checkout(const struct uat_array *a, uintptr_t at, size_t bytes, enum uat_access access);
void uat_overflow_checkin(struct uat_open *o);

/* Where the slot's bytes lie. */
static inline char *uat_slot_place(const struct uat_slot_of_cache *s)
{
    return uat_cache.ring + ((size_t)(s - uat_cache.slot) << UAT_BLOCK_SHIFT);
}

static inline struct uat_slot_of_cache *uat_slot_for(uint64_t block)
{
    return &uat_cache.slot[block & uat_cache.slot_mask];
}

static inline uint64_t uat_epoch_of(const struct uat_array *a)
{
    return a->frozen ? a->frozen : uat_cache.epoch;
}

/* One bit for each part that [from, to) of a block touches. from < to. */
static inline unsigned uat_parts_touched(size_t from, size_t to)
{
    unsigned first = (unsigned)(from >> UAT_PART_SHIFT), last = (unsigned)((to - 1) >> UAT_PART_SHIFT);
    return (2u << last) - (1u << first);
}

#endif
