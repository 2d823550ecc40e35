/* SPDX-License-Identifier: MIT */
/*
 * The shared words of the message protocol. A worker's mailbox holds one request from a thief. It also holds the
 * answers to the requests that this worker makes as a thief. mail.h is the victim's side, and thief_message.c is the
 * thief's side. Model: tests/model/message.pml.
 *
 * A thief asks by a CMP_SWAP that puts its rank into `ask`. This word is the request; at the same time it reserves the
 * mailbox. The alternatives cost more. With one word per thief, the owner would have to search N words at each spawn. A
 * WRITE to one common word could be overwritten. Taking a slot by a counter would cost one more round trip.
 *
 *   M1  Only the adapter's atomics change `ask` and `answers`. Only the owner's CPU changes `taken` and `offer`. Only a
 *       WRITE by the answering victim changes `given`.
 *   M2  A request { number, rank } replaces a free value of `ask`. The request's number is one greater than the number
 *       in the free value. A value is free if it names no rank, or if its request is decided and is not being
 *       withdrawn. So there is at most one undecided request, and no request overwrites another.
 *   M3  The owner decides request t: taken := { t, LOOKING }; full fence; if `ask` is still the request, taken := { t,
 *       ANSWERED }, else { t, DROPPED }. It answers each ANSWERED request exactly once, and no other request.
 *   M4  A thief that has waited too long withdraws: { CMP_SWAP ask: request -> request marked WITHDRAWN; READ taken }.
 *       If the swap fails, the owner has answered t, so the thief waits for the answer. If the swap succeeds and
 *       `taken` is older than t, the owner can only drop t. If `taken` is { t, LOOKING }, the thief READs `taken`
 *       again. If `taken` is { t, ANSWERED }, the thief waits for the answer. After a swap that succeeded, the thief
 *       then frees the mailbox. Until then no other thief can ask, so `taken` does not go past t.
 *   M5  An answer is one FETCH_ADD on the thief's `answers`. To give a continuation, the victim posts { WRITE stack;
 *       WRITE given; FETCH_ADD }. So when the thief sees that `answers` has grown, the stack is in place (O1).
 *   M6  The thief's region stays empty from the request until the answer or the withdrawal, because the victim WRITEs
 *       the stack there.
 *   M7  After giving a stack, the owner does not store to that stack until the WRITE of the stack is complete.
 */
#ifndef UAT_MAILBOX_H
#define UAT_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "deque/ring.h"

/* The words that a peek READs. */
struct uat_mailbox_front {
    uint64_t ask;   /* the last request: see uat_ask() */
    uint64_t taken; /* the last request that the owner decided or is deciding, and its outcome: see uat_taken() */
    uint64_t offer; /* a hint: at its last slow path, the owner could give the entry with this sp; 0: none */
};

struct uat_mailbox {
    /* The owner loads `ask` at every push and pop. Other CPUs and adapters rarely change anything on this line. */
    _Alignas(UAT_CACHE_LINE) struct uat_mailbox_front front;
    /* The answers of victims to this worker's own requests, and the place of the stack that a victim gave last. */
    _Alignas(UAT_CACHE_LINE) uint64_t answers;
    uint64_t given; /* uat_place() */
};

/* The number that an answer adds to `answers`. */
#define UAT_ANSWER_GIVEN   UINT64_C(1)
#define UAT_ANSWER_REFUSED (UINT64_C(1) << 32)

/*
 * A value of `ask`: 40 bits of the request's number, the mark WITHDRAWN, and 23 bits of the thief's rank + 1. If these
 * 23 bits are 0, there is no request. A thief could mistake an old value for a new one only after 2^40 requests.
 */
#define UAT_ASK_NONE      (-1)                /* a rank that means no thief */
#define UAT_ASK_WITHDRAWN (UINT64_C(1) << 23) /* the mark */
#define UAT_ASK_RANKS     (UINT64_C(1) << 23) /* greater than the number of workers of any job */

static inline uint64_t uat_ask(uint64_t number, int rank)
{
    return number << 24 | (uint64_t)(rank + 1);
}
static inline uint64_t uat_ask_number(uint64_t ask)
{
    return ask >> 24;
}
static inline int uat_ask_rank(uint64_t ask)
{
    return (int)(ask & (UAT_ASK_RANKS - 1)) - 1;
}

/* A value of `taken`: the request's number and its outcome, in UAT_TAKEN_BITS bits. */
enum { UAT_TAKEN_BITS = 42 };
enum uat_taken_state { UAT_TAKEN_LOOKING, UAT_TAKEN_ANSWERED, UAT_TAKEN_DROPPED };

static inline uint64_t uat_taken(uint64_t number, enum uat_taken_state state)
{
    return number << 2 | state;
}
static inline bool uat_taken_is(uint64_t taken, uint64_t number, enum uat_taken_state state)
{
    return taken == uat_taken(number, state);
}

/* May a thief ask now (M2)? `ask` and `taken` may have been sampled at different times. This is harmless, because a
 * decision is never reversed. */
static inline bool uat_mailbox_is_free(const struct uat_mailbox_front *front)
{
    uint64_t ask = front->ask;
    if (uat_ask_rank(ask) == UAT_ASK_NONE)
        return true;
    return !(ask & UAT_ASK_WITHDRAWN) && uat_taken_is(front->taken, uat_ask_number(ask), UAT_TAKEN_ANSWERED);
}

#endif
