/* SPDX-License-Identifier: MIT */
/*
 * The claim protocol: a steal in two dependent round trips. Model: tests/model/claim.pml.
 *
 * A peek predicts the next entry and the place of its stack. Then one chain claims that entry by CMP_SWAP and READs the
 * slot and the predicted stack. If the swap succeeded and the slot is as predicted, the steal is complete (T4).
 *
 *   C1  claims changes from t to t + 1 only by the CMP_SWAP of one thief, which owns index t from then on.
 *   C2  After an aborted claim, a thief claims from the same victim again only after two peeks have shown the same
 *       state. Otherwise aborted claims would block an owner that publishes and takes back one tiny task after another.
 */
#include "deque/thief_internal.h"

static int acknowledge(struct uat_thief *thief, int victim, uint64_t index, enum uat_ack_status status)
{
    struct uat_op op = uat_thief_acknowledgement(thief, victim, index, status);
    uint64_t begin = uat_phase_begin();
    int rc = uat_transport_post_unsignaled(thief->transport, victim, &op, 1);
    uat_phase_end(UAT_PHASE_ACKNOWLEDGE, begin);
    return rc;
}

/* May this thief claim the peeked entry? It may not if the victim's ring keeps changing before the thief's claims
 * arrive (C2). */
static bool is_steady(struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    uint64_t *last = &thief->known[victim], state = peek->slot[uat_slot_of(peek->claims)].state;
    if (*last == 0 || *last == state)
        return true;
    *last = state;
    return false;
}

static int attempt(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    struct uat_peek *peek;
    int result = uat_thief_choose(thief, victims, is_steady, stolen, &peek);
    if (result != UAT_STEAL_DONE)
        return result;
    int victim = stolen->victim;
    uint64_t index = peek->claims;
    const struct uat_slot *offer = uat_thief_offer(thief, peek);
    struct uat_op claim =
        uat_op_cmp_swap(&thief->landing->old, &uat_thief_ring(thief, victim)->claims, index, index + 1);
    /* Post { claim; READ slot; READ stack, if it is small }, and wait: one round trip. */
    int rc = uat_thief_claim(thief, victim, &claim, index, offer);
    if (rc)
        return rc;
    stolen->trips++;
    if (thief->landing->old != index)
        return UAT_STEAL_LOST_RACE;
    /* If the owner took the entry back, the result is UAT_STEAL_LOST_RACE, and the claim is aborted below. If the slot
     * is as peeked, a small stack is in place now. Otherwise this READs slot and stack; place and stack no longer
     * change (T4). */
    result = uat_thief_fetch(thief, victim, index, offer, stolen);
    if (result < 0)
        return result;
    thief->known[victim] = result == UAT_STEAL_DONE ? 0 : offer->state;
    rc = acknowledge(thief, victim, index, result == UAT_STEAL_DONE ? UAT_ACK_STOLEN : UAT_ACK_ABORTED);
    return rc ? rc : result;
}

int uat_claim_steal(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    *stolen = (struct uat_stolen){0};
    return uat_thief_count(thief, attempt(thief, victims, stolen));
}

int uat_claim_poke(struct uat_thief *thief, int victim)
{
    struct uat_peek *peek;
    int rc = uat_thief_peek_at(thief, victim, uat_thief_any, &peek);
    if (rc || !peek)
        return rc;
    uint64_t index = peek->claims;
    struct uat_op claim =
        uat_op_cmp_swap(&thief->landing->old, &uat_thief_ring(thief, victim)->claims, index, index + 1);
    uat_thief_intend(thief, victim, index);
    rc = uat_thief_do(thief, UAT_PHASE_CLAIM, victim, &claim, 1);
    if (!rc && thief->landing->old == index) /* no READ of slot or stack is in flight (T3) */
        rc = acknowledge(thief, victim, index, UAT_ACK_ABORTED);
    thief->notice->intent_victim = UAT_INTENT_NONE;
    return rc;
}
