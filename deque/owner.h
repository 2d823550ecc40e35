/* SPDX-License-Identifier: MIT */
/*
 * The owner's side of the work-stealing deque, after Akiyama and Taura (HPDC'15, JIP 24(3) 2016). As in THE (Frigo,
 * Leiserson, Randall, PLDI'98) and Chase-Lev (SPAA'05), the owner works at the young end and thieves take the oldest
 * entry. This deque differs from Akiyama and Taura's in three ways. Thieves never write a word that the owner writes.
 * The owner takes no lock and executes no atomic read-modify-write. Only the oldest entries are published, so push and
 * pop of a young entry cost no fence.
 *
 * tests/model/claim.pml and lock.pml model this file and the thieves' side.
 *
 * Entries. An entry is the stack pointer `sp` of a continuation. The entries belong to the ancestors of the running
 * task, the oldest first. So the entries' addresses decrease, and the stack of entry i is [entry i, entry i - 1). The
 * running task's own stack segment begins at the youngest entry, even if that continuation was stolen. So a task whose
 * spawner is elsewhere has an entry tagged GONE in the deque. This entry is the task's base.
 *
 *   D1  The owner writes slots; thieves write claims, lock and ack: see ring.h.
 *   D2  Published entries have increasing indices. The next index is max(bottom, claims): claims may be greater than
 *       bottom.
 *   D3  Each index below `claims` was claimed by exactly one thief. That thief acknowledges its claim exactly once.
 *   D4  To take back the entry with index i, the owner marks its slot invalid, executes a full fence and reads claims.
 *       If claims <= i, the entry is the owner's again. If claims > i, the acknowledgement of the claim says whether
 *       the entry was stolen.
 *   D5  The owner writes a slot for index i only after it has recorded the acknowledgement of index i - UAT_RING_SLOTS.
 *   D6  The owner does not write to the stack of a claimed entry before the claim is acknowledged.
 */
#ifndef UAT_OWNER_H
#define UAT_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/ring.h"

/* The state of an entry, in its low bits. An entry with any tag but PRIVATE must be popped by uat_deque_pop(). */
enum uat_tag {
    UAT_TAG_PRIVATE = 0,   /* this worker's; thieves cannot see it */
    UAT_TAG_PUBLISHED = 1, /* in the ring, perhaps claimed */
    UAT_TAG_GONE = 2,      /* stolen, or never here; the entry only marks the base of the next younger task */
    UAT_TAG_ABORTED = 3,   /* this worker's again, after an aborted claim; child and spawner have a join record */
    UAT_TAG_MASK = 7
};

enum uat_pop {
    UAT_POP_PRIVATE, /* the continuation is here, and was never parted from its child */
    UAT_POP_PARTED,  /* the continuation is here, but has a join record */
    UAT_POP_GONE     /* the continuation is not here */
};

/* Callbacks and settings that the deque's user provides. */
struct uat_deque_user {
    /* Let the spawner whose continuation is at sp part from its child: make their join record. Returns false if no
     * record is free. */
    bool (*part)(void *context, uintptr_t sp);
    void *context;
    /* Makes everything that this worker has written so far visible to thieves. The owner calls it before each
     * publication if *unreleased is set, and reads `claims` for that publication afterwards. Returns false if the call
     * would take too long now. In that case nothing is published. If unreleased is NULL, the owner never calls it. */
    bool (*before_publication)(void);
    const bool *unreleased;
    /* Called periodically while the owner waits for the acknowledgement of `index`. May be NULL. */
    void (*waiting)(void *context, uint64_t index);
    void (*waited)(void *context); /* called when this wait is over. May be NULL */
    bool keep_private;             /* never publish (torture mode "evacuate") */
    int rank;                      /* rank of this worker, for messages */
};

struct uat_deque_counts {
    uint64_t published, taken_back, withheld, records_missing, owner_waits, entries_aborted;
    uint64_t given; /* entries given to thieves under the message protocol */
};

struct uat_deque;

/* The giver answers the requests of thieves. Under the message protocol it gives entries to thieves, and no entry is
 * published: deque/mail.h. */
struct uat_deque_giver {
    const uint64_t *look; /* the word that changes when a thief asks */
    /* Called on the slow path of a push. */
    void (*pushed)(struct uat_deque *d);
    /* Called on the slow path of a pop. is_gone: the popped entry was given to a thief, or was never here. */
    void (*popped)(struct uat_deque *d, bool is_gone);
    /* Called while the worker waits in place: refuses the pending request, if there is one. */
    void (*refuse)(struct uat_deque *d);
    bool grants; /* entries are published, and the giver grants the right to claim one: papers/grant.h */
};

struct uat_deque {
    /* The assembly of uat_spawn() uses the first four fields: see asm/offsets.h. */
    uintptr_t *top; /* one past the youngest entry */
    /* Points to ring->claims or to the giver's look word. If it points to uat_deque_watch_word, every push and pop
     * takes the slow path. */
    const uint64_t *look;
    uint64_t push_claims; /* a push skips the slow path while *look equals this */
    uint64_t pop_claims;  /* a pop skips the slow path while *look equals this */

    struct uat_ring *ring;
    const struct uat_deque_giver *giver; /* NULL: entries are published */
    uintptr_t *entries;                  /* `capacity` entries, then a guard page: an overflow traps, so pushes need no
                                          * test */
    uint64_t *index;                     /* index[i]: the index under which entry i is published */
    size_t capacity;
    size_t first, last;    /* first: the oldest entry tagged PUBLISHED; if there is none, `last`. Entries [last, top)
                            * are private or aborted */
    size_t oldest_aborted; /* lowest position tagged ABORTED, if aborted > 0 */
    unsigned aborted;      /* entries tagged ABORTED */
    unsigned published;    /* entries tagged PUBLISHED */
    unsigned cap;          /* upper bound for `published` */
    uint32_t generation;   /* incremented for every publication */
    uint64_t bottom;       /* index of the next publication, unless claims is ahead (D2) */
    uint64_t newest;       /* one past the highest index ever published */
    uint64_t seen;         /* last checked value of claims */
    const struct uat_placing *placing; /* NULL: uni-address */
    struct uat_deque_user user;
    struct uat_deque_counts count;
};

/* `look` points to this word while every push and pop must take the slow path. */
extern const uint64_t uat_deque_watch_word;

/* Static initialiser of a deque that is not open. A push to such a deque writes a dummy entry and takes the slow path,
 * which reports the error. */
extern uintptr_t uat_deque_closed_entry[1];
#define UAT_DEQUE_CLOSED                                                                                               \
    {                                                                                                                  \
        .top = uat_deque_closed_entry, .look = &uat_deque_watch_word                                                   \
    }

/* Does a giver give entries to thieves, so that no entry is ever published? */
static inline bool uat_deque_is_secret(const struct uat_deque *d)
{
    return d->giver && !d->giver->grants;
}

/* If the deque has a giver, refuse the pending request. A worker calls this while it waits and therefore gives
 * nothing. */
static inline void uat_deque_refuse(struct uat_deque *d)
{
    if (d->giver)
        d->giver->refuse(d);
}

/* Map the private arrays and initialise the ring. Returns 0 or -ENOMEM. For the message protocol see
 * uat_mail_open(). */
int uat_deque_open(struct uat_deque *d, struct uat_ring *ring, size_t capacity, const struct uat_deque_user *user);
void uat_deque_close(struct uat_deque *d);

/* Bring an open deque and its ring back to the state after uat_deque_open(); giver and placing stay. No thief may have
 * a claim in flight, and none may peek before it has reset its own side: uat_thief_reset(). */
void uat_deque_reset(struct uat_deque *d);

/* For the signal handler: does a fault at this address mean that the deque has too many entries? */
bool uat_deque_is_overflow(const struct uat_deque *d, uintptr_t address);

static inline size_t uat_deque_size(const struct uat_deque *d)
{
    return (size_t)(d->top - d->entries);
}

/* Where the running task's stack segment begins, with uni-address. The deque must not be empty. */
static inline uintptr_t uat_deque_base(const struct uat_deque *d)
{
    return d->top[-1] & ~(uintptr_t)UAT_TAG_MASK;
}

/* Where the stack segment of the running task begins, if the stack pointer of that task is sp. */
static inline uintptr_t uat_deque_base_of(const struct uat_deque *d, uintptr_t sp)
{
    return d->placing ? d->placing->base(sp) : uat_deque_base(d);
}

/* Where the stack segment of entry i > 0 begins. */
static inline uintptr_t uat_deque_entry_base(const struct uat_deque *d, size_t i)
{
    return d->placing ? d->placing->base(d->entries[i]) : d->entries[i - 1] & ~(uintptr_t)UAT_TAG_MASK;
}

/* Push the base of a task whose spawner is elsewhere. Call this before the task starts or continues. */
static inline void uat_deque_push_gone(struct uat_deque *d, uintptr_t base)
{
    *d->top++ = base | UAT_TAG_GONE;
}

/* Settle acknowledged entries, then publish as many private and aborted entries as ring, cap and records allow. */
void uat_deque_fill(struct uat_deque *d);

/* Without a giver: uat_deque_fill(). With a giver: its function pushed(), which answers the pending request. */
void uat_deque_refill(struct uat_deque *d);

/*
 * Push a continuation. uat_spawn() in spawn.S does the same in assembly.
 * No fence: the publication in uat_deque_refill() makes the entry's stack and frame visible to thieves.
 */
static inline void uat_deque_push(struct uat_deque *d, uintptr_t sp)
{
    *d->top++ = sp;
    /* Relaxed: the value only decides whether to take the slow path. Pairs with the thieves' atomics on claims, in
     * uat_thief_claim(). */
    if (__builtin_expect(__atomic_load_n(d->look, __ATOMIC_RELAXED) != d->push_claims, 0))
        uat_deque_refill(d);
}

/*
 * Pop the youngest entry if it is sp and was never published. Otherwise return false: the caller then calls
 * uat_deque_pop(). uat_spawn() in spawn.S does the same in assembly.
 */
static inline bool uat_deque_pop_private(struct uat_deque *d, uintptr_t sp)
{
    /* Relaxed: as in uat_deque_push(). A published entry has a tag, so it differs from sp. */
    if (d->top[-1] != sp || __atomic_load_n(d->look, __ATOMIC_RELAXED) != d->pop_claims)
        return false;
    d->top--;
    return true;
}

/* With a placing, `look` points to the watch word, so every push and pop takes the slow path. The next three
 * functions decide there, as the assembly does with uni-address, whether anything is to be done. Relaxed: as in
 * uat_deque_push(). */
static inline uint64_t uat_deque_shared_word(const struct uat_deque *d)
{
    return __atomic_load_n(d->giver ? d->giver->look : &d->ring->claims, __ATOMIC_RELAXED);
}
static inline bool uat_deque_push_is_due(const struct uat_deque *d)
{
    return uat_deque_shared_word(d) != d->push_claims;
}
static inline bool uat_deque_pop_unseen(struct uat_deque *d, uintptr_t *sp)
{
    if ((d->top[-1] & UAT_TAG_MASK) != UAT_TAG_PRIVATE || uat_deque_shared_word(d) != d->pop_claims)
        return false;
    *sp = *--d->top;
    return true;
}

/* Pop the youngest entry, whatever its tag. May wait for a claim's acknowledgement. Sets *sp to the entry without its
 * tag. */
enum uat_pop uat_deque_pop(struct uat_deque *d, uintptr_t *sp);

/*
 * Pop the only entry under two conditions: it is the base of a task whose spawner is elsewhere, and claims has not
 * changed since the last slow path. Otherwise return false: the caller then calls uat_deque_pop(). If the deque has a
 * giver, always return false. While a base is the only entry, nothing is published. So push_claims and pop_claims stay
 * as they are.
 */
static inline bool uat_deque_drop_base(struct uat_deque *d)
{
    /*
     * Relaxed: no entry can be claimed now. The load only detects whether claims has changed. Pairs with the thieves'
     * atomics on claims, in uat_thief_claim().
     */
    if (d->giver || uat_deque_size(d) != 1 || (d->entries[0] & UAT_TAG_MASK) != UAT_TAG_GONE ||
        __atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED) != d->pop_claims)
        return false;
    d->top--;
    d->first = d->last = 0;
    return true;
}

/*
 * Is nothing left that a thief could take? That is: all published entries are claimed, and there is no entry to
 * publish. The result is a hint: a thief may claim the last entry at this very moment.
 */
bool uat_deque_is_drained(const struct uat_deque *d);

/*
 * For a task that runs for a long time without a push or pop: publish entries whose publication was deferred. Under the
 * message protocol, answer a request instead. Returns false if nothing is left that a thief could take. If there is
 * nothing to do, the call costs only a few loads.
 */
bool uat_deque_offer(struct uat_deque *d);

/* The continuation that is exposed when the running task suspends: the spawner's continuation of that task. Returns its
 * stack pointer, or 0 if the entry is not private or the deque is empty. */
uintptr_t uat_deque_next_private(const struct uat_deque *d);

/* If `watch` is true, every push and pop takes the slow path. Otherwise only a push or pop that needs the slow path
 * takes it. */
void uat_deque_watch(struct uat_deque *d, bool watch);

/* Make the next push and the next pop take the slow path. The slow path sets push_claims and pop_claims anew. */
void uat_deque_look_always(struct uat_deque *d);

/* Start a run with the full cap, or with a cap of 0 if user.keep_private is set. */
void uat_deque_start(struct uat_deque *d);

/* End a run. Between runs every push takes the slow path, which refuses the spawn. */
void uat_deque_stop(struct uat_deque *d);

#endif
