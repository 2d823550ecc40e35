/* SPDX-License-Identifier: MIT */
/*
 * The lock protocol: the one of Akiyama and Taura (JIP 24(3) 2016), on hardware atomics, chained to three dependent
 * round trips. Model: tests/model/lock.pml.
 *
 * The papers unlock by a plain WRITE of 0. Under HCA atomics a concurrent FETCH_ADD may have loaded the old value
 * before that WRITE and store its sum after it: then the lock stays taken although nobody holds it. So every change of
 * the word is a FETCH_ADD, also that of a loser.
 *
 *   L1  The lock is held by the thief whose FETCH_ADD(+1) returned 0.
 *   L2  Each thief that added 1 adds -1 exactly once, so the word returns to 0 once all thieves have passed. A thief's
 *   -1
 *       and its next +1 may change places on their way (O2): then it finds its own 1 and tries again later.
 *   L3  claims changes only under the lock; hence the index that FETCH_ADD(claims) returns is the one READ before.
 */
#include <assert.h>

#include "base/delay.h"
#include "deque/thief_internal.h"

static int unlock(struct uat_thief *thief, int victim)
{
    struct uat_op op = uat_op_fetch_add(NULL, &uat_thief_ring(thief, victim)->lock, (uint64_t)-1);
    uat_delay();
    return uat_transport_forget(thief->transport, victim, &op, 1);
}

/* Take the lock and look at what it protects. UAT_STEAL_DONE: held. The loser's 1 is taken back (L2). */
static int lock(struct uat_thief *thief, int victim, struct uat_peek *peek)
{
    struct uat_op chain[2] = {
        uat_op_fetch_add(&thief->landing->old, &uat_thief_ring(thief, victim)->lock, 1),
        /* All but the lock word; O1 puts this READ behind the FETCH_ADD, whose peer is unlock() of the last holder. */
        uat_op_read(peek, &uat_thief_ring(thief, victim)->claims, offsetof(struct uat_peek, lock)),
    };
    uat_delay();
    int rc = uat_thief_do(thief, UAT_PHASE_LOCK, victim, chain, 2);
    if (rc)
        return rc;
    if (thief->landing->old == 0)
        return UAT_STEAL_DONE;
    rc = unlock(thief, victim);
    return rc ? rc : UAT_STEAL_LOST_RACE;
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
    assert(thief->landing->old == index); /* L3 */
    int result = uat_thief_fetch(thief, victim, index, offer, stolen);
    if (result < 0)
        return result;
    /* The acknowledgement is for the owner, the lock for thieves: nobody looks at both, but a WRITE before an atomic is
     * in order anyway (O1). */
    struct uat_op chain[2] = {
        uat_thief_acknowledgement(thief, victim, index, result == UAT_STEAL_DONE ? UAT_ACK_STOLEN : UAT_ACK_ABORTED),
        uat_op_fetch_add(NULL, &uat_thief_ring(thief, victim)->lock, (uint64_t)-1),
    };
    uint64_t begin = uat_phase_begin();
    rc = uat_transport_forget(thief->transport, victim, chain, 2);
    uat_phase_end(UAT_PHASE_ACKNOWLEDGE, begin);
    return rc ? rc : result;
}

/* Not worth a try while another thief holds the lock. */
static bool is_free(struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    (void)thief;
    (void)victim;
    return peek->lock == 0;
}

/* Was an entry skipped only because its ring was locked? */
static bool any_locked(const struct uat_thief *thief, const struct uat_victims *victims)
{
    for (int i = 0; i < victims->count; i++)
        if (thief->landing->peek[i].lock != 0 && uat_thief_offer(thief, &thief->landing->peek[i]))
            return true;
    return false;
}

static int attempt(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    struct uat_peek *peek = &thief->landing->peek[0];
    stolen->victim = victims->rank[0];
    if (thief->peek) {
        int rc = uat_thief_peek(thief, victims, is_free, &stolen->victim, &peek);
        if (rc)
            return rc;
        stolen->trips++;
        if (!peek)
            return any_locked(thief, victims) ? UAT_STEAL_LOST_RACE : UAT_STEAL_EMPTY;
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
