/* SPDX-License-Identifier: MIT */
/*
 * The paper protocol, for comparisons: a steal by the same sequence of remote operations as in Akiyama and Taura
 * (HPDC'15; JIP 24(3) 2016, table 3). Model: tests/model/paper.pml.
 *
 *   empty check  READ claims, slots and lock                 omitted with UAT_PEEKS=none
 *   lock         FETCH_ADD(lock, 1)
 *   take         READ claims, slots and acknowledgements;  WRITE claims := t + 1;  READ slot t
 *   transfer     READ stack
 *   unlock       WRITE ack { t, STOLEN or ABORTED }.
 *
 * A steal that succeeds takes 4 READs, 2 WRITEs and 1 FETCH_ADD, and waits for each of them. If the owner is just
 * publishing that slot, the thief READs the slot once more. In the papers, a processor executes the FETCH_ADD on the
 * lock word, and a WRITE of 0 unlocks. But an adapter's FETCH_ADD may load the old value before such a WRITE and store
 * its sum after the WRITE. So here the WRITE that unlocks goes to another word: the acknowledgement. The owner needs it
 * anyway.
 *
 * The paper-message protocol replaces the lock by a request that the victim grants or refuses: see P4 to P6 in grant.h.
 *
 *   P1  A thief that claims never subtracts the 1 that it added to the lock word. So the lock is free when it equals
 *       claims and the last claim is acknowledged. A thief that does not claim undoes its FETCH_ADD by FETCH_ADD(-1),
 *       exactly once.
 *   P2  A thief holds the lock if its FETCH_ADD returned t, claims is t, and t - 1 is acknowledged. No other thief can
 *       hold the lock at that time: until this thief subtracts 1 or has claimed t, every other FETCH_ADD returns more
 *       than t.
 *   P3  Only the holder WRITEs claims and ack. Every WRITE is complete before the next operation is posted (O7).
 */
#include "base/delay.h"
#include "base/word.h"
#include "deque/thief_internal.h"
#include "papers/thief_paper.h"

enum {
    LOCK_BITS = 32 /* lock - claims is the number of thieves that added 1 and have not claimed: less than 2^32 */
};

/* Undo this thief's FETCH_ADD of 1 (P1). Returns result, or a negative errno. */
static int leave(struct uat_thief *thief, int victim, int result)
{
    struct uat_op op = uat_op_fetch_add(NULL, &uat_thief_ring(thief, victim)->lock, (uint64_t)-1);
    uat_delay();
    int rc = uat_transport_post_unsignaled(thief->transport, victim, &op, 1);
    return rc ? rc : result;
}

/* READ all words of the victim's ring into landing->ring. */
static int read_ring(struct uat_thief *thief, int victim)
{
    struct uat_op op =
        uat_op_read(&thief->landing->ring, &uat_thief_ring(thief, victim)->claims, sizeof(struct uat_ring_copy));
    return uat_transport_do(thief->transport, victim, &op, 1);
}

/* Does this thief hold the lock (P2)? Compares the value that its FETCH_ADD returned with the copy of the ring that was
 * READ afterwards. */
static bool is_held(const struct uat_thief *thief, int victim)
{
    uint64_t old = thief->landing->old, claims = thief->landing->ring.peek.claims;
    if ((old - claims) >> LOCK_BITS)
        uat_word_refuse(victim, "the lock of the deque", old);
    return old == claims && uat_ack_for(thief->landing->ring.ack[uat_slot_of(claims - 1)], claims - 1);
}

/* With the lock held: WRITE claims, so that the owner sees the claim; then READ the slot. After UAT_STEAL_DONE the
 * entry is this thief's, the entry no longer changes, and landing->slot is consistent. The READ is posted only after
 * the WRITE is complete. So the READ samples the slot after claims has changed (O7). Pairs with the fence in
 * withdraw_steps(), owner.c. */
static int claim(struct uat_thief *thief, int victim, uint64_t index, struct uat_stolen *stolen)
{
    uint64_t offered = thief->landing->ring.peek.slot[uat_slot_of(index)].state;
    thief->landing->claims = index + 1;
    struct uat_op write =
        uat_op_write(&thief->landing->claims, &uat_thief_ring(thief, victim)->claims, sizeof(uint64_t));
    struct uat_op read = uat_thief_read_slot(thief, victim, index);
    uat_thief_intend(thief, victim, index);
    int rc = uat_transport_do(thief->transport, victim, &write, 1);
    uat_delay();
    if (!rc)
        rc = uat_transport_do(thief->transport, victim, &read, 1);
    stolen->trips += 2;
    int result = rc ? rc : uat_thief_judge(thief, victim, index);
    if (result != UAT_STEAL_DONE || thief->landing->slot.state == offered)
        return result;
    /* The owner was just publishing the slot. So the slot's two words may be from two publications (T4). */
    stolen->second_look = true;
    thief->count.second_looks++;
    stolen->trips++;
    rc = uat_transport_do(thief->transport, victim, &read, 1);
    return rc ? rc : UAT_STEAL_DONE;
}

/* READ the stack of the claimed entry. The owner does not change that stack before the acknowledgement (T2). */
static int transfer(struct uat_thief *thief, int victim, struct uat_stolen *stolen)
{
    const struct uat_slot *slot = &thief->landing->slot;
    struct uat_stack stack = uat_thief_stack(thief, slot);
    if (!uat_thief_is_sane(thief, stack))
        return uat_word_report(victim, "the stack in a slot of the deque", slot->place);
    struct uat_op op = uat_thief_read_stack(thief, slot);
    uat_delay();
    int rc = uat_thief_do(thief, UAT_PHASE_STACK, victim, &op, 1);
    stolen->trips++;
    stolen->sp = stack.sp;
    stolen->base = stack.base;
    return rc;
}

/* READ the ring, claim its next entry and fetch the entry's stack; then unlock. granted: the victim has granted the
 * lock, so the thief must claim the granted index (P5). */
static int take(struct uat_thief *thief, int victim, bool granted, struct uat_stolen *stolen)
{
    uint64_t begin = uat_phase_begin();
    int rc = read_ring(thief, victim);
    stolen->trips++;
    if (rc)
        return rc;
    if (!granted && !is_held(thief, victim))
        return leave(thief, victim, UAT_STEAL_LOST_RACE);
    const struct uat_peek *peek = &thief->landing->ring.peek;
    uint64_t index = peek->claims;
    if (!granted && !uat_thief_offer(thief, peek))
        return leave(thief, victim, UAT_STEAL_EMPTY);
    int result = claim(thief, victim, index, stolen);
    uat_phase_end(UAT_PHASE_CLAIM, begin);
    if (result == UAT_STEAL_DONE && (rc = transfer(thief, victim, stolen)))
        return rc;
    if (result < 0)
        return result;
    struct uat_op unlock =
        uat_thief_acknowledgement(thief, victim, index, result == UAT_STEAL_DONE ? UAT_ACK_STOLEN : UAT_ACK_ABORTED);
    rc = uat_thief_do(thief, UAT_PHASE_ACKNOWLEDGE, victim, &unlock, 1);
    stolen->trips++;
    return rc ? rc : result;
}

/* Is the lock free? The papers' empty check does not READ the lock. This check READs the lock. Otherwise many thieves
 * could keep the lock from each other by increments that they have not yet undone. */
static bool is_free(struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    (void)thief, (void)victim;
    return peek->lock == peek->claims;
}

static int attempt(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    struct uat_peek *peek = NULL;
    stolen->victim = victims->rank[0];
    if (thief->peek) {
        int result = uat_thief_choose(thief, victims, is_free, stolen, &peek);
        if (result != UAT_STEAL_DONE)
            return result;
    }
    int victim = stolen->victim;
    struct uat_op add = uat_op_fetch_add(&thief->landing->old, &uat_thief_ring(thief, victim)->lock, 1);
    uat_delay();
    int rc = uat_thief_do(thief, UAT_PHASE_LOCK, victim, &add, 1);
    if (rc)
        return rc;
    stolen->trips++;
    /* End the attempt if the FETCH_ADD did not return the peeked value of claims. The FETCH_ADD returns at least the
     * current value of claims. So another thief holds the lock, or has just claimed the peeked entry. */
    if (peek && thief->landing->old != peek->claims)
        return leave(thief, victim, UAT_STEAL_LOST_RACE);
    return take(thief, victim, false, stolen);
}

int uat_paper_steal(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    *stolen = (struct uat_stolen){0};
    return uat_thief_count(thief, attempt(thief, victims, stolen));
}

/* One attempt: the empty check, the request for the lock, and then the steps of the paper protocol. */
static int attempt_by_message(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    struct uat_peek *peek;
    int result = UAT_STEAL_DONE;
    stolen->victim = victims->rank[0];
    uat_mail_refuse(thief->mail);
    if (thief->peek)
        result = uat_thief_choose(thief, victims, uat_thief_any, stolen, &peek);
    if (result == UAT_STEAL_DONE)
        result = uat_thief_ask(thief, stolen);
    return result == UAT_STEAL_DONE ? take(thief, stolen->victim, true, stolen) : result;
}

int uat_paper_message_steal(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    *stolen = (struct uat_stolen){0};
    return uat_thief_count(thief, attempt_by_message(thief, victims, stolen));
}

int uat_paper_poke(struct uat_thief *thief, int victim)
{
    struct uat_landing *l = thief->landing;
    struct uat_peek *peek;
    int rc = uat_thief_peek_at(thief, victim, uat_thief_any, &peek);
    if (rc || !peek)
        return rc;
    uint64_t index = peek->claims;
    struct uat_op add = uat_op_fetch_add(&l->old, &uat_thief_ring(thief, victim)->lock, 1);
    rc = uat_thief_do(thief, UAT_PHASE_LOCK, victim, &add, 1);
    if (rc || l->old != index)
        return rc ? rc : leave(thief, victim, 0);
    rc = read_ring(thief, victim);
    if (rc)
        return rc;
    if (!is_held(thief, victim) || !uat_thief_offer(thief, &l->ring.peek))
        return leave(thief, victim, 0);
    l->claims = index + 1;
    struct uat_op write = uat_op_write(&l->claims, &uat_thief_ring(thief, victim)->claims, sizeof(uint64_t));
    uat_thief_intend(thief, victim, index);
    rc = uat_transport_do(thief->transport, victim, &write, 1);
    struct uat_op unlock = uat_thief_acknowledgement(thief, victim, index, UAT_ACK_ABORTED);
    if (!rc)
        rc = uat_thief_do(thief, UAT_PHASE_ACKNOWLEDGE, victim, &unlock, 1);
    thief->notice->intent_victim = UAT_INTENT_NONE;
    return rc;
}
