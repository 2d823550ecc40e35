/* SPDX-License-Identifier: MIT */
/*
 * The lock protocol: one lock per victim, as in Akiyama and Taura (JIP 24(3) 2016). Unlike theirs, this protocol uses
 * hardware atomics. Its chains reduce a steal to three dependent round trips. papers/thief_paper.c uses the papers'
 * sequence of operations. Model: tests/model/lock.pml.
 *
 * The papers unlock by a plain WRITE of 0. With HCA atomics that is wrong: a concurrent FETCH_ADD may load the old
 * value before that WRITE and store its sum after the WRITE. Then the lock stays taken although no thief holds it. So
 * every change to the word is a FETCH_ADD. A thief that did not get the lock also uses FETCH_ADD.
 *
 *   L1  The thief whose FETCH_ADD(+1) returned 0 holds the lock.
 *   L2  Each thief that added 1 adds -1 exactly once, so the word returns to 0 once all thieves have passed. A thief's
 *       -1 and its next +1 may be reordered in flight (O2). In that case the +1 finds the thief's own earlier 1 in the
 *       lock, and the thief tries again later.
 *   L3  claims changes only while the lock is held. So FETCH_ADD(claims) returns the index that the holder has READ.
 */
#include "base/delay.h"
#include "base/word.h"
#include "deque/thief_internal.h"

enum { LOCK_BITS = 32 /* fewer than 2^32 thieves have added 1 */ };

static void check_lock(int victim, uint64_t lock)
{
    if (lock >> LOCK_BITS) /* L2: a thief subtracts 1 only after it has added 1 */
        uat_word_refuse(victim, "the lock of the deque", lock);
}

static int unlock(struct uat_thief *thief, int victim)
{
    struct uat_op op = uat_op_fetch_add(NULL, &uat_thief_ring(thief, victim)->lock, (uint64_t)-1);
    uat_delay();
    return uat_transport_post_unsignaled(thief->transport, victim, &op, 1);
}

/* Take the lock, and READ the words that the lock protects. Returns UAT_STEAL_DONE if this thief now holds the lock.
 * Otherwise subtracts the 1 again (L2), and returns UAT_STEAL_LOST_RACE or a negative errno. */
static int lock(struct uat_thief *thief, int victim, struct uat_peek *peek)
{
    struct uat_op chain[2] = {
        uat_op_fetch_add(&thief->landing->old, &uat_thief_ring(thief, victim)->lock, 1),
        /* READ all of the peeked words except the lock. This READ takes effect after the FETCH_ADD (O1). The FETCH_ADD
         * pairs with the FETCH_ADD in the last holder's unlock() or settle(). */
        uat_op_read(peek, &uat_thief_ring(thief, victim)->claims, offsetof(struct uat_peek, lock)),
    };
    uat_delay();
    int rc = uat_thief_do(thief, UAT_PHASE_LOCK, victim, chain, 2);
    if (rc)
        return rc;
    if (thief->landing->old == 0)
        return UAT_STEAL_DONE;
    check_lock(victim, thief->landing->old);
    rc = unlock(thief, victim);
    return rc ? rc : UAT_STEAL_LOST_RACE;
}

/* Acknowledge the claim of index, and unlock. */
static int settle(struct uat_thief *thief, int victim, uint64_t index, enum uat_ack_status status)
{
    /* The owner reads the acknowledgement, and thieves read the lock. So the order of these two operations does not
     * matter, though they take effect in order (O1). */
    struct uat_op chain[2] = {
        uat_thief_acknowledgement(thief, victim, index, status),
        uat_op_fetch_add(NULL, &uat_thief_ring(thief, victim)->lock, (uint64_t)-1),
    };
    uint64_t begin = uat_phase_begin();
    int rc = uat_transport_post_unsignaled(thief->transport, victim, chain, 2);
    uat_phase_end(UAT_PHASE_ACKNOWLEDGE, begin);
    return rc;
}

/* With the lock held: claim the next entry, fetch it, acknowledge and unlock. */
static int take(struct uat_thief *thief, int victim, const struct uat_peek *peek, struct uat_stolen *stolen)
{
    const struct uat_slot *offer = uat_thief_offer(thief, peek);
    if (!offer) {
        int rc = unlock(thief, victim);
        return rc ? rc : UAT_STEAL_EMPTY;
    }
    uint64_t index = peek->claims;
    struct uat_op claim = uat_op_fetch_add(&thief->landing->old, &uat_thief_ring(thief, victim)->claims, 1);
    int rc = uat_thief_claim(thief, victim, &claim, index, offer);
    if (rc)
        return rc;
    stolen->trips++;
    if (thief->landing->old != index) /* L3 */
        return uat_word_report(victim, "the number of claims in the deque", thief->landing->old);
    int result = uat_thief_fetch(thief, victim, index, offer, stolen);
    if (result < 0)
        return result;
    rc = settle(thief, victim, index, result == UAT_STEAL_DONE ? UAT_ACK_STOLEN : UAT_ACK_ABORTED);
    return rc ? rc : result;
}

/* Is the lock free? While another thief holds the lock, an attempt is not worthwhile. */
static bool is_free(struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    (void)thief;
    check_lock(victim, peek->lock);
    return peek->lock == 0;
}

static int attempt(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    struct uat_peek *peek = &thief->landing->peek[0];
    stolen->victim = victims->rank[0];
    if (thief->peek) {
        int result = uat_thief_choose(thief, victims, is_free, stolen, &peek);
        if (result != UAT_STEAL_DONE)
            return result;
    }
    int result = lock(thief, stolen->victim, peek);
    stolen->trips++;
    return result == UAT_STEAL_DONE ? take(thief, stolen->victim, peek, stolen) : result;
}

int uat_lock_steal(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    *stolen = (struct uat_stolen){0};
    return uat_thief_count(thief, attempt(thief, victims, stolen));
}

int uat_lock_poke(struct uat_thief *thief, int victim)
{
    struct uat_peek *peek;
    int rc = uat_thief_peek_at(thief, victim, is_free, &peek);
    if (rc || !peek)
        return rc;
    int result = lock(thief, victim, peek);
    if (result != UAT_STEAL_DONE)
        return result < 0 ? result : 0;
    if (!uat_thief_offer(thief, peek))
        return unlock(thief, victim);
    uint64_t index = peek->claims;
    struct uat_op claim = uat_op_fetch_add(&thief->landing->old, &uat_thief_ring(thief, victim)->claims, 1);
    uat_thief_intend(thief, victim, index);
    rc = uat_thief_do(thief, UAT_PHASE_CLAIM, victim, &claim, 1);
    if (!rc && thief->landing->old != index) /* L3 */
        rc = uat_word_report(victim, "the number of claims in the deque", thief->landing->old);
    if (!rc)
        rc = settle(thief, victim, index, UAT_ACK_ABORTED);
    thief->notice->intent_victim = UAT_INTENT_NONE;
    return rc;
}
