/* SPDX-License-Identifier: MIT */
/*
 * The claim protocol: a steal in two dependent round trips. Model: tests/model/claim.pml.
 *
 * A peek predicts which entry is next and where its stack lies. One chain then claims that entry by CMP_SWAP and READs
 * the slot and the predicted stack. If the swap succeeded and the slot is as predicted, the steal is complete (T4).
 *
 *   C1  claims changes from t to t + 1 only by the CMP_SWAP of one thief, which owns index t from then on.
 *   C2  After an aborted claim a thief claims from the same victim again only when two peeks have shown the same state.
 *       Otherwise aborted claims would stop an owner that publishes and takes back one tiny task after another.
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

/* May the entry that peek shows be claimed? Not while the victim's ring changes under our claims (C2). */
static bool is_steady(struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    uint64_t *last = &thief->known[victim], state = peek->slot[uat_slot_of(peek->claims)].state;
    if (*last == 0 || *last == state)
        return true;
    *last = state;
    return false;
}

/* Was an entry skipped only because it keeps changing? */
static bool any_offer(const struct uat_thief *thief, const struct uat_victims *victims)
{
    for (int i = 0; i < victims->count; i++)
        if (uat_thief_offer(thief, &thief->landing->peek[i]))
            return true;
    return false;
}

static int attempt(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    struct uat_peek *peek;
    int rc = uat_thief_peek(thief, victims, is_steady, &stolen->victim, &peek);
    if (rc)
        return rc;
    stolen->trips++;
    if (!peek)
        return any_offer(thief, victims) ? UAT_STEAL_LOST_RACE : UAT_STEAL_EMPTY;
    int victim = stolen->victim;
    uint64_t index = peek->claims;
    const struct uat_slot *offer = uat_thief_offer(thief, peek);
    struct uat_op claim =
        uat_op_cmp_swap(&thief->landing->old, &uat_thief_ring(thief, victim)->claims, index, index + 1);
    rc = uat_thief_claim(thief, victim, &claim, index, offer);
    if (rc)
        return rc;
    stolen->trips++;
    if (thief->landing->old != index)
        return UAT_STEAL_LOST_RACE;
    int result = uat_thief_fetch(thief, victim, index, offer, stolen);
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
