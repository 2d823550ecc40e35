/* SPDX-License-Identifier: MIT */
/* The cache of far memory: its slots, what waits in them to go home, and ranges that it cannot hold as one. */
#ifndef UAT_GLOBAL_CACHE_H
#define UAT_GLOBAL_CACHE_H

#include "runtime/global/array.h"

/* A place of the cache: block b lies in slot b mod slots. */
struct uat_slot_of_cache {
    _Alignas(64) uint64_t block; /* address >> UAT_BLOCK_SHIFT; 0: none */
    uint64_t epoch;              /* in which `valid` counts */
    uint16_t valid;    /* parts that hold what home held when they were fetched, and what was checked in since */
    uint16_t arriving; /* parts whose prefetch is under way */
    uint32_t dirty, dirty_end;    /* bytes checked in and not yet posted: [dirty, dirty_end); none if dirty_end is 0 */
    uint32_t link;                /* to the block's home */
    bool listed;                  /* in `pending` */
    uint64_t read_end, write_end; /* the link's operation that ends the last READ to it, the last WRITE from it */
};

_Static_assert(sizeof(struct uat_slot_of_cache) == 64, "one line");

/* How large it is to be: arena_size and what belongs to it. */
void uat_cache_plan(void);
int uat_cache_open(void);
void uat_cache_close(void);
void *uat_cache_checkout(uintptr_t at, size_t bytes, enum uat_access access);
/* Is all of the range valid, in one block? Then its run is shown. */
bool uat_cache_show(uintptr_t at, size_t bytes);
/* No slot shows a run any more. */
void uat_cache_hide(void);
void uat_cache_prefetch(uintptr_t at, size_t bytes);
/* What was put at [at, at + bytes) goes into the cached copy too (G8). */
void uat_cache_update(uintptr_t at, const void *from, size_t bytes);
/* Forget what is cached of the array. */
void uat_cache_drop(const struct uat_array *a);

/* writeback.c */
/* The bytes [from, to) of the slot were checked in. */
void uat_writeback_mark(struct uat_slot_of_cache *s, size_t from, size_t to);
/* Post what was checked in to the slot and not posted. */
void uat_writeback_slot(struct uat_slot_of_cache *s);
/* Post what is pending of [at, at + bytes). */
void uat_writeback_range(uintptr_t at, size_t bytes);

/* side.c: ranges that the ring cannot hold as one. */
void *uat_overflow_checkout(uintptr_t at, size_t bytes, enum uat_access access);
void uat_overflow_checkin(struct uat_open *o);

/* Where the slot's bytes lie. */
static inline char *uat_slot_place(const struct uat_slot_of_cache *s)
{
    return uat_global.ring + ((size_t)(s - uat_global.slot) << UAT_BLOCK_SHIFT);
}

static inline struct uat_slot_of_cache *uat_slot_for(uint64_t block)
{
    return &uat_global.slot[block & uat_global.slot_mask];
}

static inline uint64_t uat_epoch_of(const struct uat_array *a)
{
    return a->frozen ? a->frozen : uat_global.epoch;
}

/* Bits of the parts that [from, to) of a block touches. from < to. */
static inline unsigned uat_parts_touched(size_t from, size_t to)
{
    unsigned first = (unsigned)(from >> UAT_PART_SHIFT), last = (unsigned)((to - 1) >> UAT_PART_SHIFT);
    return (2u << last) - (1u << first);
}

#endif
