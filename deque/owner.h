/* SPDX-License-Identifier: MIT */
/*
 * The owner's side of the work-stealing deque, after Akiyama and Taura (HPDC'15, JIP 24(3) 2016). As in THE (Frigo,
 * Leiserson, Randall, PLDI'98) and Chase-Lev (SPAA'05), the owner works at the young end and thieves take the oldest
 * entry. It deviates from the paper: thieves never write a word that the owner writes; the owner takes no lock and
 * executes no atomic read-modify-write; only the oldest entries are published, so that push and pop of a young entry
 * cost no fence.
 *
 * The model of this file and of the thieves' is tests/model/claim.pml and lock.pml.
 *
 * Entries. An entry is the stack pointer `sp` of a continuation. Entries are ancestors of the running task, the oldest
 * first, so their addresses fall, and the stack of entry i is [entry i, entry i - 1). A running task's own segment
 * begins at the youngest entry, even if the continuation above was stolen. So a task whose spawner is elsewhere stands
 * on an entry that is tagged GONE.
 *
 *   D1  The owner writes slots, thieves write claims, lock and ack; see ring.h.
 *   D2  Published entries have increasing indices; the next one is max(bottom, claims), for claims can be ahead of
 *       bottom.
 *   D3  Every index below `claims` has been claimed by exactly one thief, and is acknowledged by it exactly once.
 *   D4  An entry with index i is the owner's again only if claims <= i is read after the slot was made invalid and a
 *       full fence. Otherwise the acknowledgement of its claim decides.
 *   D5  A slot is written for index i only after the acknowledgement of index i - UAT_RING_SLOTS has been copied away.
 *   D6  The stack of a claimed entry is not written before the acknowledgement.
 */
#ifndef UAT_OWNER_H
#define UAT_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/ring.h"

/* The state of an entry, in its low bits. Only PRIVATE entries may be popped without uat_deque_pop(). */
enum uat_tag {
    UAT_TAG_PRIVATE = 0,   /* ours, never seen by thieves */
    UAT_TAG_PUBLISHED = 1, /* in the ring: perhaps claimed */
    UAT_TAG_GONE = 2,      /* stolen, or never here: only a base for the task below */
    UAT_TAG_ABORTED = 3,   /* ours again after an aborted claim; child and spawner have a join record */
    UAT_TAG_MASK = 7
};

enum uat_pop {
    UAT_POP_PRIVATE, /* the continuation is ours and was never parted from its child */
    UAT_POP_PARTED,  /* it is ours, but has a join record */
    UAT_POP_GONE     /* it is not here */
};

/* Callbacks of the deque's user, which makes the join records. */
struct uat_deque_user {
    /* Prepare child and spawner of the continuation at sp to part: make the join record. False if none is free. */
    bool (*part)(void *context, uintptr_t sp);
    void *context;
    /* Called before an entry is published, and before `claims` is read for it, while *unreleased is set: what the
     * worker did before must be visible to thieves. False if that would take too long now. unreleased may be NULL:
     * never. */
    bool (*before_publication)(void);
    const bool *unreleased;
    /* Called periodically while the owner waits for the acknowledgement of index. May be NULL. */
    void (*waiting)(void *context, uint64_t index);
    void (*waited)(void *context); /* such a wait is over. May be NULL */
    bool keep_private;             /* never publish (torture mode "evacuate") */
};

struct uat_deque_counts {
    uint64_t published, taken_back, withheld, records_missing, owner_waits, entries_aborted;
};

struct uat_deque;
struct uat_mail;

/* Takes the place of publication where entries are given to those who ask: deque/mail.h. */
struct uat_deque_giver {
    const uint64_t *look; /* the word that changes when somebody asks */
    /* On the slow path of a push. */
    void (*pushed)(struct uat_deque *d);
    /* On the slow path of a pop. is_gone: the entry was given, or was never here. */
    void (*popped)(struct uat_deque *d, bool is_gone);
};

struct uat_deque {
    /* The first four are what the assembly of uat_spawn() works on: see asm/offsets.h. */
    uintptr_t *top; /* one past the youngest entry */
    /* &ring->claims; or the giver's word; or one that never agrees, so that every push and pop is seen. */
    const uint64_t *look;
    uint64_t push_claims; /* push skips the slow path while *look equals this */
    uint64_t pop_claims;  /* likewise a pop */

    struct uat_ring *ring;
    const struct uat_deque_giver *giver; /* NULL: entries are published */
    struct uat_mail *mail;               /* the giver's */
    uintptr_t *entries;                  /* capacity entries, then a page that traps: overflow costs no test */
    uint64_t *index;                     /* index[i]: where entry i is published */
    size_t capacity;
    size_t first, last;    /* first: the oldest entry tagged PUBLISHED, or last; [last, top) are private or aborted */
    size_t oldest_aborted; /* lowest position tagged ABORTED, if aborted > 0 */
    unsigned aborted;      /* entries tagged ABORTED */
    unsigned published;    /* entries tagged PUBLISHED */
    unsigned cap;          /* upper bound of published */
    uint64_t bottom;       /* index for the next publication, unless claims is ahead */
    uint32_t generation;   /* new for every publication */
    struct uat_deque_user user;
    struct uat_deque_counts count;
};

/* *look while every push and pop must take the slow path. */
extern const uint64_t uat_deque_watch_word;

/* A deque that is not open, for a static initialiser: a push goes to a place of no use and takes the slow path, where
 * the mistake is seen. */
extern uintptr_t uat_deque_closed_entry[1];
#define UAT_DEQUE_CLOSED                                                                                               \
    {                                                                                                                  \
        .top = uat_deque_closed_entry, .look = &uat_deque_watch_word                                                   \
    }

/* Map the private arrays. ring is initialised too. 0 or -ENOMEM. For the message protocol see uat_mail_open(). */
int uat_deque_open(struct uat_deque *d, struct uat_ring *ring, size_t capacity, const struct uat_deque_user *user);
void uat_deque_close(struct uat_deque *d);

/* Does a fault at this address mean "too many entries"? For the signal handler. */
bool uat_deque_is_overflow(const struct uat_deque *d, uintptr_t address);

static inline size_t uat_deque_size(const struct uat_deque *d)
{
    return (size_t)(d->top - d->entries);
}

/* Where the running task's stack segment begins. The deque must not be empty. */
static inline uintptr_t uat_deque_base(const struct uat_deque *d)
{
    return d->top[-1] & ~(uintptr_t)UAT_TAG_MASK;
}

/* Push the base of a task whose spawner is elsewhere, before it starts or continues. */
static inline void uat_deque_push_gone(struct uat_deque *d, uintptr_t base)
{
    *d->top++ = base | UAT_TAG_GONE;
}

/* Settle acknowledged entries, then publish private ones as far as ring, cap and records allow. With the message
 * protocol: answer who asks. */
void uat_deque_refill(struct uat_deque *d);

/*
 * Push a continuation. uat_spawn() in asm/x86_64/spawn.S does the same in assembly.
 * No fence: the entry's stack and frame are made visible to thieves by its publication, in uat_deque_refill().
 */
static inline void uat_deque_push(struct uat_deque *d, uintptr_t sp)
{
    *d->top++ = sp;
    /* Relaxed: the value only says whether to take the slow path; the peers are the thieves' atomics on
     * claims, in uat_thief_claim(). */
    if (__builtin_expect(__atomic_load_n(d->look, __ATOMIC_RELAXED) != d->push_claims, 0))
        uat_deque_refill(d);
}

/*
 * Pop the youngest entry if it is sp and no thief has seen it. Otherwise false: the caller uses uat_deque_pop().
 * uat_spawn() in asm/x86_64/spawn.S does the same in assembly.
 */
static inline bool uat_deque_pop_private(struct uat_deque *d, uintptr_t sp)
{
    /* Relaxed: as in uat_deque_push(); an entry that thieves have seen has a tag, so it differs from sp. */
    if (d->top[-1] != sp || __atomic_load_n(d->look, __ATOMIC_RELAXED) != d->pop_claims)
        return false;
    d->top--;
    return true;
}

/* Pop the youngest entry of any tag; may wait for a claim's acknowledgement. *sp: the entry without its tag. */
enum uat_pop uat_deque_pop(struct uat_deque *d, uintptr_t *sp);

/*
 * Pop the only entry if that is the base of a task whose spawner is elsewhere, and no claim has come. Otherwise, and
 * always with a giver, false: the caller uses uat_deque_pop(). Nothing is published then, so what push and pop look at
 * stays.
 */
static inline bool uat_deque_drop_base(struct uat_deque *d)
{
    /*
     * Relaxed: no entry of ours can be claimed; only the count is compared. The peers are the thieves' atomics on
     * claims.
     */
    if (d->giver || uat_deque_size(d) != 1 || (d->entries[0] & UAT_TAG_MASK) != UAT_TAG_GONE ||
        __atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED) != d->pop_claims)
        return false;
    d->top--;
    d->first = d->last = 0;
    return true;
}

/*
 * Is nothing left that a thief could take: neither a published entry that is unclaimed nor one that may be published?
 * A hint: a thief may claim the last entry at this very moment.
 */
bool uat_deque_is_drained(const struct uat_deque *d);

/*
 * For a task that runs long without a push or pop: offer what no thief can take yet (its publication was put off), or
 * with the message protocol answer who asks. False if nothing is left that a thief could take. A few loads if nothing
 * is to do.
 */
bool uat_deque_offer(struct uat_deque *d);

/* The stack pointer of the continuation that comes up if the running task leaves, if that is private; else 0. Its child
 * is the running task. */
uintptr_t uat_deque_next_private(const struct uat_deque *d);

/* Begin a run with the full cap. watch: take the slow path at every push and pop (torture modes). */
void uat_deque_start(struct uat_deque *d, bool watch);

/* End a run. Outside of runs every push takes the slow path, which refuses the spawn. */
void uat_deque_stop(struct uat_deque *d);

#endif
