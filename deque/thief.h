/* SPDX-License-Identifier: MIT */
/*
 * The thieves' side of the work-stealing deque: three protocols, over any transport. The owner's side is mail.h for
 * message, and owner.h for the others. papers/ has two more protocols, for comparisons.
 *
 * claim  peek; { CMP_SWAP(claims, t, t + 1); READ slot; READ stack }; acknowledge.         thief_claim.c
 * lock   peek; { FETCH_ADD(lock, 1); READ claims and slots }; { FETCH_ADD(claims, 1); READ slot; READ stack };
 *        acknowledge and { FETCH_ADD(lock, -1) }.                                            thief_lock.c
 * message  peek; { CMP_SWAP the request into the victim's mailbox }; wait until the victim has written the stack here,
 *        and withdraw if that takes too long.                                                thief_message.c
 *
 *   T1  The result of a peek is a hint: its words may be from two different entries.
 *   T2  A claim is the atomic on claims, or under the paper protocol the WRITE of claims. The thief READs the slot
 *       after the claim. If the slot is valid for the claimed index, the entry is the thief's. In that case the owner
 *       does not write the slot's place or the stack before the acknowledgement (D5, D6). It may still mark the slot
 *       invalid; then it finds the claim, and waits (D4).
 *   T3  Every claim is acknowledged exactly once, after all READs of slot and stack are complete.
 *   T4  Slot and stack that were READ together with the claim are valid if generation, sp and base are the same as in
 *       the peek. Otherwise the words may be from two publications, so the thief READs slot and stack again. By then,
 *       neither place nor stack changes any more.
 *   T5  With iso-address, waiting joiners stay in the thief's region. So a stack may be READ only if both words of its
 *       slot are from one publication. Then this thief has no live stack at those addresses: the stack was published
 *       elsewhere when the thief peeked, and since then the thief has run nothing.
 */
#ifndef UAT_THIEF_H
#define UAT_THIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "deque/mail.h"
#include "deque/ring.h"
#include "deque/settings.h"
#include "transport/colour.h"
#include "transport/transport.h"

enum uat_steal {
    UAT_STEAL_EMPTY,     /* nothing to take */
    UAT_STEAL_BUSY,      /* a victim had something, but it was not to be had: no claim was tried, or no answer came */
    UAT_STEAL_LOST_RACE, /* a claim failed: another thief or the owner was faster */
    UAT_STEAL_DONE       /* this worker has the continuation, and its stack is in place */
};

enum {
    UAT_SPECULATION_LIMIT = 16384, /* the largest stack, in bytes, that is READ together with a claim */
    UAT_PATIENCE = 1200            /* polls for an answer: about 50 us of polls with pauses, then polls with yields */
};

/* The memory in this worker's segment for the results of its READs and atomics. */
struct uat_landing {
    struct uat_peek peek[UAT_PEEKS_MAX];
    struct uat_slot slot;
    struct uat_ring_copy ring; /* paper protocol */
    uint64_t old;
    uint64_t claims; /* paper protocol: source of the WRITE of claims */
    uint64_t ack;    /* source of an acknowledgement */
    /* Message protocol: copies of victims' mailboxes, and memory of the owner's side. */
    struct uat_mailbox_front front[UAT_PEEKS_MAX];
    struct uat_mail_landing mail;
};

/* Words in which this worker, as a thief, publishes its state to the other workers. */
struct uat_notice {
    /* The victim and index that this thief is about to claim, or has claimed but not acknowledged. Only this worker's
     * CPU writes these fields. An owner that waits too long READs these fields to find the thief. */
    uint64_t intent_victim, intent_index;
    /* Odd: this worker has work, or may be about to get some. Even: this worker has no work. Each change adds 1. Only
     * this worker's CPU writes this word. Rank 0 READs the word when it checks for deadlock. */
    uint64_t work;
};

/* Publish that this worker has work. Call this before posting a claim, and before any other step that gives this worker
 * work. So while work moves from one worker to another, at least one of the two says that it has work. Relaxed: the
 * doorbell or atomic instruction of the claim follows.
 */
static inline void uat_notice_begin(struct uat_notice *notice)
{
    __atomic_store_n(&notice->work, notice->work | 1, __ATOMIC_RELAXED);
}

/* Publish that this worker has no work. Release: orders all effects of its last work before this store. Pairs with the
 * READ in uat_deadlock_look(). */
static inline void uat_notice_end(struct uat_notice *notice)
{
    uat_cpu_store_release(&notice->work, notice->work + (notice->work & 1));
}

#define UAT_INTENT_NONE UINT64_MAX
#define UAT_ASK_UNKNOWN UINT64_MAX

/* The victims of one attempt: an idle worker peeks at all of them in one round trip and tries the best one. Without
 * peeks (UAT_PEEKS=none) there is one victim. */
struct uat_victims {
    int count; /* 1..UAT_PEEKS_MAX */
    int rank[UAT_PEEKS_MAX];
};

struct uat_stolen {
    int victim;
    uintptr_t sp, base; /* the stack, at the same addresses as on the victim */
    unsigned trips;     /* dependent round trips, including the peek's */
    bool second_look;   /* the thief READ slot or stack again */
};

struct uat_thief_counts {
    uint64_t attempts, peeks, done, empty, lost, aborted, second_looks;
    uint64_t refused, withdrawn; /* requests of the message protocol that got no continuation: the victim refused, or
                                  * this thief withdrew */
};

struct uat_thief {
    struct uat_transport *transport;
    struct uat_ring *ring;  /* this worker's ring; for another worker's ring, see uat_thief_ring() */
    const uint8_t *colours; /* colour of each worker; NULL: all 0 */
    struct uat_landing *landing;
    struct uat_notice *notice;
    uintptr_t low, high;               /* the uni-address region */
    const struct uat_placing *placing; /* as in struct uat_deque */
    bool peek;                         /* peek at the victims before a lock or a request */
    struct uat_mail *mail; /* message protocol: this worker's mail, which refuses requests while the worker steals */
    /* The thief calls `waiting` periodically while it waits for an answer that is certain to arrive. It calls `waited`
     * when the answer has arrived. Each may be NULL. */
    void (*waiting)(int victim);
    void (*waited)(void);
    unsigned patience; /* number of polls for an answer before the request is withdrawn */
    uint64_t answers;  /* message protocol: the last value seen of the answers in this worker's mailbox */
    /* One value per victim. Claim protocol: the last slot state that this thief has seen since its claim at this victim
     * was aborted; 0: no claim was aborted. Message protocol: a free value of the victim's `ask`, or
     * UAT_ASK_UNKNOWN. */
    uint64_t *known;
    struct uat_thief_counts count;
};

/* The ring of worker `rank`. */
static inline struct uat_ring *uat_thief_ring(const struct uat_thief *thief, int rank)
{
    return uat_coloured_of(thief->ring, thief->colours, thief->transport->rank, rank);
}

/* Returns 0 or -ENOMEM. ring, landing and notice must lie in the segment. The caller keeps ownership of them. */
int uat_thief_open(struct uat_thief *thief, struct uat_transport *transport, struct uat_ring *ring,
                   struct uat_landing *landing, struct uat_notice *notice);
void uat_thief_close(struct uat_thief *thief);

/* Bring an open thief and its notice back to the state after uat_thief_open(). It steals nothing at present, and all
 * deques are reset before its next attempt. */
void uat_thief_reset(struct uat_thief *thief);

/*
 * Try once to steal the oldest published continuation of one of the victims. This worker's uni-address region must be
 * empty, because the stack lands there at its original addresses. Returns enum uat_steal, or a negative errno that has
 * been reported.
 */
typedef int uat_steal_fn(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen);
uat_steal_fn uat_lock_steal, uat_claim_steal, uat_message_steal;

/*
 * Make the victim take the slow path at its next push or pop, by one-sided operations that take no entry:
 *   claim, lock  claim an entry that a peek shows as valid, and acknowledge ABORTED at once (T3)
 *   message      put a request marked WITHDRAWN into a free mailbox, and free the mailbox again (M4)
 * Does nothing if another thief is accessing the deque or the mailbox: that thief then makes the victim take the slow
 * path. Under claim and lock, also does nothing if the victim offers nothing. This worker's region may hold a
 * task. Returns 0, or a negative errno that has been reported.
 */
typedef int uat_poke_fn(struct uat_thief *thief, int victim);
uat_poke_fn uat_lock_poke, uat_claim_poke, uat_message_poke;

/* A protocol: a row of uat_protocols, runtime/sched/steal.h. */
struct uat_protocol {
    uat_steal_fn *steal; /* NULL: this program does not link the protocol */
    uat_poke_fn *poke;
    /* The victim's side, if thieves send requests; otherwise NULL. See uat_mail_open(). */
    void (*open_mail)(struct uat_mail *mail, struct uat_deque *d, struct uat_transport *transport,
                      struct uat_mailbox *box, struct uat_mail_landing *landing);
};

#endif
