/* SPDX-License-Identifier: MIT */
/*
 * The shared words of a work-stealing deque: the part that thieves see. owner.h and thief.h are the two sides.
 *
 * Who writes which word (nothing else may write a word that the HCA updates atomically):
 *   lock           thieves, by HCA atomics only
 *   claims         thieves, by HCA atomics only; under the paper protocol by plain WRITEs only
 *   slot[]         the owner's CPU only
 *   ack[]          the thief that acknowledges its own claim, by a plain WRITE
 */
#ifndef UAT_RING_H
#define UAT_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

enum { UAT_RING_SLOTS = 16 /* entries that thieves can see at once */ };
_Static_assert((UAT_RING_SLOTS & (UAT_RING_SLOTS - 1)) == 0, "a slot is found by the low bits of an index");

/* One published continuation. */
struct uat_slot {
    uint64_t state; /* index, generation and `valid` are in one word, so that one READ samples them together */
    uint64_t place; /* its stack: uat_place() */
};

struct uat_ring {
    /* claims: the number of claims so far, which is the index of the next entry to claim. The owner loads claims at
     * every push and pop, so no other word of this cache line changes. claims is the last word of the line, so that one
     * short READ fetches claims and the slots. */
    _Alignas(UAT_CACHE_LINE) char room[UAT_CACHE_LINE - sizeof(uint64_t)];
    uint64_t claims;
    struct uat_slot slot[UAT_RING_SLOTS];
    /* The lock. A free lock is 0; under the paper protocol, a free lock equals claims. The lock starts its own line,
     * because thieves that lose the race for the lock keep changing it. */
    uint64_t lock;
    /* Only the owner needs the acknowledgements, so they follow the words that a peek READs. */
    _Alignas(UAT_CACHE_LINE) uint64_t ack[UAT_RING_SLOTS];
};
_Static_assert(__builtin_offsetof(struct uat_ring, lock) % UAT_CACHE_LINE == 0, "the lock begins a line");

/* The words that a peek fetches with one READ: claims, all slots and the lock. */
struct uat_peek {
    uint64_t claims;
    struct uat_slot slot[UAT_RING_SLOTS];
    uint64_t lock;
};
_Static_assert(__builtin_offsetof(struct uat_ring, lock) - __builtin_offsetof(struct uat_ring, claims) ==
                   __builtin_offsetof(struct uat_peek, lock),
               "a peek is a part of the ring");

/* All words of a ring that thieves see. One READ fetches them. */
struct uat_ring_copy {
    struct uat_peek peek;
    char room[UAT_CACHE_LINE - sizeof(uint64_t)];
    uint64_t ack[UAT_RING_SLOTS];
};
_Static_assert(__builtin_offsetof(struct uat_ring, ack) - __builtin_offsetof(struct uat_ring, claims) ==
                   __builtin_offsetof(struct uat_ring_copy, ack),
               "a copy is a part of the ring");

/* A stack [sp, base). */
struct uat_stack {
    uintptr_t sp, base;
};

/* A stack in one word: the low 32 bits of both addresses. 32 bits suffice, because a uni-address region has at most 2
 * GiB. */
static inline uint64_t uat_place(uintptr_t sp, uintptr_t base)
{
    return (uint64_t)(uint32_t)base << 32 | (uint32_t)sp;
}

/* The stack that uat_place() packed into `place`. low: start of the uni-address region. */
static inline struct uat_stack uat_place_stack(uint64_t place, uintptr_t low)
{
    return (struct uat_stack){.sp = low + (uint32_t)((uint32_t)place - (uint32_t)low),
                              .base = low + (uint32_t)((uint32_t)(place >> 32) - (uint32_t)low)};
}

/* How stacks are found that do not follow one another in the region. With uni-address there is none (NULL);
 * papers/placing.h has one, for iso-address. */
struct uat_placing {
    uintptr_t (*base)(uintptr_t sp);                                        /* base of the stack at sp */
    uint64_t (*pack)(uintptr_t sp, uint32_t generation);                    /* a slot's place */
    struct uat_stack (*unpack)(const struct uat_slot *slot, uintptr_t low); /* base 0: the slot's words are from two
                                                                                  * publications */
    void (*report_overflow)(void);                                          /* a task has overflowed its stack */
};

/*
 * A slot's state: 31 bits of index, 32 bits of generation, and the bit `valid`. A thief could mistake an old state for
 * a new one only if 2^31 claims or 2^32 publications happened at one victim between the thief's peek and its claim.
 */
static inline uint64_t uat_state(uint64_t index, uint32_t generation, bool valid)
{
    return index << 33 | (uint64_t)generation << 1 | valid;
}
static inline bool uat_state_valid_for(uint64_t state, uint64_t index)
{
    return (state & 1) && state >> 33 == (index & 0x7fffffff);
}

/* An acknowledgement: the index of the claim, and what became of the entry. */
enum uat_ack_status { UAT_ACK_STOLEN = 0, UAT_ACK_ABORTED = 1 };

static inline uint64_t uat_ack(uint64_t index, enum uat_ack_status status)
{
    return index << 1 | status;
}
static inline bool uat_ack_for(uint64_t ack, uint64_t index)
{
    return ack >> 1 == (index & (UINT64_MAX >> 1));
}
static inline enum uat_ack_status uat_ack_get_status(uint64_t ack)
{
    return (enum uat_ack_status)(ack & 1);
}

static inline unsigned uat_slot_of(uint64_t index)
{
    return (unsigned)(index % UAT_RING_SLOTS);
}

/* Initialise the ring, before any thief knows it. */
void uat_ring_init(struct uat_ring *ring);

#endif
