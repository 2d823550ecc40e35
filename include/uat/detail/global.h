/* SPDX-License-Identifier: MIT */
/*
 * The inline functions of global memory, and the tables that they use. The tables describe near memory and cached far
 * memory; with them, most accesses need no call. Included by uat/global.h, which describes the functions.
 */
#ifndef UAT_DETAIL_GLOBAL_H
#define UAT_DETAIL_GLOBAL_H

#include "../global.h" /* needed if a program includes this header first */
#include "uat/detail/races.h"

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the bodies are C; gcc never warns inside extern "C" */
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Near memory. run[address / 1 GiB mod UAT_NEAR_RUNS] is the longest run of near bytes of the array that contains the
 * address. If its size is 0, there is no run. Under UAT_TORTURE all runs are empty, so that every checkout is checked.
 */
#define UAT_NEAR_RUN_SHIFT 30
#define UAT_NEAR_RUNS      65536
struct uat_near_run {
    uintptr_t high; /* the run ends before this address */
    size_t size;
};
struct uat_near {
    const struct uat_near_run *run;
    uint64_t begun, ended; /* number of checkouts and of checkins of near bytes; updates of a single counter would wait
                            * for each other */
    size_t word;           /* the size that uat_near_word() tests for: 8 if CPUs change the words of uat_atomic_t. If
                            * adapters do, it is SIZE_MAX. No run has this size, so no word counts as near */
};
extern struct uat_near uat_near;

/*
 * Far memory in the cache. The place of block b is slot b mod the number of slots; shown[slot] is a run of valid bytes
 * in that slot. An acquire increases the epoch, so that runs of earlier epochs no longer match.
 */
#define UAT_FAR_BLOCK_SHIFT 16
#define UAT_FAR_EPOCH_SHIFT 48 /* above the bits of an address */
#define UAT_OPEN_KIND_SHIFT 56 /* above the bits of a size */
struct uat_shown_run {
    uint64_t end;  /* the address after the run, plus the epoch in which the run was published */
    uint64_t size; /* bytes; 0: there is no run */
};
struct uat_open { /* a checkout */
    uintptr_t at;
    uint64_t what; /* bytes, plus the access << UAT_OPEN_KIND_SHIFT */
    char *place;   /* the place of the bytes if they are neither in the ring nor near */
};
struct uat_far {
    const struct uat_shown_run *shown;
    size_t mask;                  /* the place of address a is ring + (a & mask) */
    char *ring;                   /* all slots, one after the other */
    uint64_t epoch;               /* a multiple of 1 << UAT_FAR_EPOCH_SHIFT */
    struct uat_open *last, *full; /* the stack of checkouts: its newest record, and the last record for which there is
                                   * room */
    uint64_t hits;
};
extern struct uat_far uat_far;

UAT_INLINE int uat_near_holds(uintptr_t at, size_t bytes)
{
    const struct uat_near_run *r = &uat_near.run[at >> UAT_NEAR_RUN_SHIFT & (UAT_NEAR_RUNS - 1)];
    size_t room = r->high - at; /* more than size if `at` is outside the run, on either side */
    return __builtin_expect(room <= r->size, 1) && __builtin_expect(bytes <= room, 1);
}
UAT_INLINE uint64_t uat_open_what(size_t bytes, uint64_t kind)
{
    return bytes + (kind << UAT_OPEN_KIND_SHIFT);
}

/* Check out a range that is in its slot's run, and return the range's place; NULL if the range is not in the run. */
UAT_INLINE void *uat_far_hit(uintptr_t at, size_t bytes, enum uat_access access)
{
    size_t place = at & uat_far.mask;
    const struct uat_shown_run *r = &uat_far.shown[place >> UAT_FAR_BLOCK_SHIFT];
    uint64_t room = r->end - (at + uat_far.epoch); /* more than size if `at` is outside the run, or if the epochs
                                                    * differ */
    struct uat_open *o = uat_far.last;
    if (room > r->size || bytes > room || o == uat_far.full || (unsigned)access - UAT_READ > UAT_READ_WRITE - UAT_READ)
        return NULL;
    uat_far.last = ++o;
    o->at = at;
    o->what = uat_open_what(bytes, access);
    UAT_PROFILE_CACHED(bytes);
    uat_far.hits++;
    return uat_far.ring + place;
}

/* If the newest open checkout is one of this range for reading, end it and return 1. Otherwise return 0. If no checkout
 * is open, `last` is record 0, which matches no range. */
UAT_INLINE int uat_far_end(uintptr_t at, size_t bytes, enum uat_access access)
{
    struct uat_open *o = uat_far.last;
    if ((access & UAT_WRITE) || o->at != at || o->what != uat_open_what(bytes, access))
        return 0;
    uat_far.last = o - 1;
    return 1;
}

UAT_INLINE int uat_near_word(const uat_atomic_t *word)
{
    return (uintptr_t)word % 8 == 0 && uat_near_holds((uintptr_t)word, uat_near.word);
}

/* The functions of uat/global.h for ranges that are not near, and for words that are far or that adapters change. In
 * runtime/global: cache.c has checkout and checkin, transfer.c has get and put, and atomic.c has the rest. */
void *uat_global_checkout_elsewhere(const void *p, size_t bytes, enum uat_access access);
void uat_global_checkin_elsewhere(const void *p, size_t bytes, enum uat_access access);
void uat_global_get_elsewhere(void *local, const void *global, size_t bytes);
void uat_global_put_elsewhere(void *global, const void *local, size_t bytes);
uint64_t uat_atomic_fetch_add_elsewhere(uat_atomic_t *word, uint64_t addend);
uint64_t uat_atomic_cmp_swap_elsewhere(uat_atomic_t *word, uint64_t expected, uint64_t desired);
uint64_t uat_atomic_load_elsewhere(const uat_atomic_t *word);
uint64_t uat_atomic_swap_elsewhere(uat_atomic_t *word, uint64_t desired);
void uat_atomic_store_elsewhere(uat_atomic_t *word, uint64_t desired);
void uat_atomic_add_elsewhere(uat_atomic_t *word, uint64_t addend);

UAT_INLINE void *uat_global_checkout(const void *p, size_t bytes, enum uat_access access)
{
    UAT_RACES_GLOBAL(p, bytes, (int)access);
    int known = (unsigned)access - UAT_READ <= UAT_READ_WRITE - UAT_READ;
    if (__builtin_expect(uat_near_holds((uintptr_t)p, bytes) && known, 1)) {
        UAT_PROFILE_NEAR(bytes);
        uat_near.begun++;
        return (void *)(uintptr_t)p;
    }
    void *place = uat_far_hit((uintptr_t)p, bytes, access);
    return __builtin_expect(place != NULL, 1) ? place : uat_global_checkout_elsewhere(p, bytes, access);
}

UAT_INLINE void uat_global_checkin(const void *p, size_t bytes, enum uat_access access)
{
    if (__builtin_expect(uat_near_holds((uintptr_t)p, bytes) && uat_near.begun != uat_near.ended, 1))
        uat_near.ended++;
    else if (__builtin_expect(!uat_far_end((uintptr_t)p, bytes, access), 0))
        uat_global_checkin_elsewhere(p, bytes, access);
}

UAT_INLINE void uat_global_get(void *local, const void *global, size_t bytes)
{
    UAT_RACES_GLOBAL(global, bytes, UAT_READ);
    if (uat_near_holds((uintptr_t)global, bytes))
        UAT_PROFILE_NEAR(bytes), __builtin_memcpy(local, global, bytes);
    else
        uat_global_get_elsewhere(local, global, bytes);
}

UAT_INLINE void uat_global_put(void *global, const void *local, size_t bytes)
{
    UAT_RACES_GLOBAL(global, bytes, UAT_WRITE);
    if (uat_near_holds((uintptr_t)global, bytes))
        UAT_PROFILE_NEAR(bytes), __builtin_memcpy(global, local, bytes);
    else
        uat_global_put_elsewhere(global, local, bytes);
}

UAT_INLINE uint64_t uat_atomic_fetch_add(uat_atomic_t *word, uint64_t addend)
{
    UAT_RACES_ATOMIC(word, UAT_READ_WRITE);
    return uat_near_word(word) ? __atomic_fetch_add(&word->value, addend, __ATOMIC_ACQ_REL)
                               : uat_atomic_fetch_add_elsewhere(word, addend);
}

UAT_INLINE uint64_t uat_atomic_cmp_swap(uat_atomic_t *word, uint64_t expected, uint64_t desired)
{
    UAT_RACES_ATOMIC(word, UAT_READ_WRITE);
    if (!uat_near_word(word))
        return uat_atomic_cmp_swap_elsewhere(word, expected, desired);
    __atomic_compare_exchange_n(&word->value, &expected, desired, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return expected;
}

UAT_INLINE uint64_t uat_atomic_load(const uat_atomic_t *word)
{
    UAT_RACES_ATOMIC(word, UAT_READ);
    return uat_near_word(word) ? __atomic_load_n(&word->value, __ATOMIC_ACQUIRE) : uat_atomic_load_elsewhere(word);
}

UAT_INLINE uint64_t uat_atomic_swap(uat_atomic_t *word, uint64_t desired)
{
    UAT_RACES_ATOMIC(word, UAT_READ_WRITE);
    return uat_near_word(word) ? __atomic_exchange_n(&word->value, desired, __ATOMIC_ACQ_REL)
                               : uat_atomic_swap_elsewhere(word, desired);
}

UAT_INLINE void uat_atomic_store(uat_atomic_t *word, uint64_t desired)
{
    UAT_RACES_ATOMIC(word, UAT_WRITE);
    if (uat_near_word(word))
        __atomic_store_n(&word->value, desired, __ATOMIC_RELEASE);
    else
        uat_atomic_store_elsewhere(word, desired);
}

UAT_INLINE void uat_atomic_add(uat_atomic_t *word, uint64_t addend)
{
    UAT_RACES_ATOMIC(word, UAT_WRITE);
    if (uat_near_word(word))
        __atomic_fetch_add(&word->value, addend, __ATOMIC_ACQ_REL);
    else
        uat_atomic_add_elsewhere(word, addend);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
