/* SPDX-License-Identifier: MIT */
/*
 * The shared words of the message protocol: a mailbox for the present request of a thief, and where a thief's answers
 * arrive. mail.h is the victim's side, thief_message.c the thief's. Model: tests/model/message.pml.
 *
 * A thief asks by a CMP_SWAP that puts its rank into `ask`. So the request is the word that wins the mailbox: a WRITE
 * in a place of its own for each thief would need a search of N words at each spawn, a WRITE in a common place could be
 * overwritten, and a counter to draw places from would cost a round trip more.
 *
 *   M1  ask and answers are changed by atomics of the adapter only, taken and offer by the owner's CPU only, given by
 *       WRITEs of the victim that answers.
 *   M2  A request { number, rank } replaces a free value of ask and has the next number. Free is a value that names no
 *       rank, or whose request is decided and is not being withdrawn. So at most one request stands, and none
 *       overwrites another.
 *   M3  The owner decides request t: taken := { t, LOOKING }; full fence; if ask is still the request, taken := { t,
 *       ANSWERED }, else { t, DROPPED }. It answers the ANSWERED ones, each once, and no other.
 *   M4  A thief that is tired of waiting withdraws: { CMP_SWAP ask from the request to the same, marked WITHDRAWN; READ
 *       taken }. If the swap wins and taken is older than t, the owner can only drop t. If taken is { t, LOOKING }, the
 *       thief READs again. ANSWERED: it waits for the answer. Then it frees the mailbox: until then nobody else asks,
 *       so taken stays that of t.
 *   M5  An answer is one FETCH_ADD on the thief's `answers`. To give a continuation, { WRITE stack; WRITE given;
 *       FETCH_ADD }: the stack is in place when the count has grown (O1).
 *   M6  The thief's region is empty from the request until the answer or the withdrawal, for the stack is written
 *   there. M7  The owner writes no address of a stack that it has given before the WRITE of it is complete.
 */
#ifndef UAT_MAILBOX_H
#define UAT_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "deque/ring.h"

/* What a peek READs. */
struct uat_mailbox_front {
    uint64_t ask;   /* the last request: see uat_ask() */
    uint64_t taken; /* what has become of the last request that the owner looked at: see uat_taken() */
    uint64_t offer; /* a hint: sp of the oldest entry that the owner could give, when it last looked; 0: none */
};

struct uat_mailbox {
    /* The owner loads ask at every push and pop, and nobody else changes anything on its line often. */
    _Alignas(UAT_CACHE_LINE) struct uat_mailbox_front front;
    /* This worker as a thief: what victims have answered, and where the stack lies that they gave last. */
    _Alignas(UAT_CACHE_LINE) uint64_t answers;
    uint64_t given; /* uat_place() */
};

/* What an answer adds to `answers`. */
#define UAT_ANSWER_GIVEN   UINT64_C(1)
#define UAT_ANSWER_REFUSED (UINT64_C(1) << 32)

/*
 * A value of ask: 40 bits of the request's number, the mark, 23 bits of the thief's rank + 1; 0 there: no request. To
 * mistake an old value for a new one, a thief would have to miss 2^40 requests.
 */
#define UAT_ASK_NONE      (-1)                /* in place of a rank */
#define UAT_ASK_WITHDRAWN (UINT64_C(1) << 23) /* the mark */
#define UAT_ASK_RANKS     (UINT64_C(1) << 23) /* more than any job has */

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

/* A value of taken: the request's number and what became of it. */
enum uat_taken_state { UAT_TAKEN_LOOKING, UAT_TAKEN_ANSWERED, UAT_TAKEN_DROPPED };

static inline uint64_t uat_taken(uint64_t number, enum uat_taken_state state)
{
    return number << 2 | state;
}
static inline bool uat_taken_is(uint64_t taken, uint64_t number, enum uat_taken_state state)
{
    return taken == uat_taken(number, state);
}

/* May a thief ask now (M2)? The words may have been sampled at different times: a decision stays one. */
static inline bool uat_mailbox_is_free(const struct uat_mailbox_front *front)
{
    uint64_t ask = front->ask;
    if (uat_ask_rank(ask) == UAT_ASK_NONE)
        return true;
    return !(ask & UAT_ASK_WITHDRAWN) && uat_taken_is(front->taken, uat_ask_number(ask), UAT_TAKEN_ANSWERED);
}

#endif
