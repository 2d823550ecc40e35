/* SPDX-License-Identifier: MIT */
/* Functions that several protocols share, and the counters of all protocols. Model: tests/model/thief.pml, checked by
 * claim.pml, lock.pml and paper.pml. */
#include "deque/thief_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/delay.h"
#include "base/word.h"

enum { CLAIM_BITS = 48 /* no deque has 2^48 claims in its life; the owner reports a greater value */ };

uat_phase_fn *uat_phase_hook;

int uat_thief_open(struct uat_thief *thief, struct uat_transport *transport, struct uat_ring *ring,
                   struct uat_landing *landing, struct uat_notice *notice)
{
    *thief = (struct uat_thief){.transport = transport,
                                .ring = ring,
                                .landing = landing,
                                .notice = notice,
                                .peek = true,
                                .patience = UAT_PATIENCE};
    thief->known = malloc((size_t)transport->size * sizeof(*thief->known));
    if (!thief->known)
        return -ENOMEM;
    uat_thief_reset(thief);
    return 0;
}

void uat_thief_reset(struct uat_thief *thief)
{
    *thief->notice = (struct uat_notice){.intent_victim = UAT_INTENT_NONE};
    memset(thief->known, 0, (size_t)thief->transport->size * sizeof(*thief->known));
    thief->answers = 0;
    thief->count = (struct uat_thief_counts){0};
}

void uat_thief_close(struct uat_thief *thief)
{
    free(thief->known);
    thief->known = NULL;
}

int uat_thief_count(struct uat_thief *thief, int result)
{
    thief->notice->intent_victim = UAT_INTENT_NONE;
    if (result != UAT_STEAL_DONE)
        uat_notice_end(thief->notice);
    thief->count.attempts++;
    if (result == UAT_STEAL_DONE)
        thief->count.done++;
    else if (result == UAT_STEAL_EMPTY)
        thief->count.empty++;
    else if (result == UAT_STEAL_LOST_RACE || result == UAT_STEAL_BUSY)
        thief->count.lost++;
    return result;
}

int uat_thief_do(struct uat_thief *thief, enum uat_phase phase, int victim, const struct uat_op *ops, int count)
{
    uint64_t begin = uat_phase_begin();
    int rc = uat_transport_do(thief->transport, victim, ops, count);
    uat_phase_end(phase, begin);
    return rc;
}

int uat_thief_read_all(struct uat_thief *thief, const struct uat_victims *victims,
                       struct uat_op (*read)(struct uat_thief *thief, int victim, int i))
{
    struct uat_pending pending[UAT_PEEKS_MAX], *all[UAT_PEEKS_MAX];
    uint64_t begin = uat_phase_begin();
    uat_delay();
    for (int i = 0; i < victims->count; i++) {
        struct uat_op op = read(thief, victims->rank[i], i);
        all[i] = &pending[i];
        /* over verbs: uat_ibv_post(), transport_ibv/posting.c */
        int rc = uat_transport_post(thief->transport, victims->rank[i], &op, 1, &pending[i]);
        if (rc)
            return rc;
    }
    thief->count.peeks += (uint64_t)victims->count;
    /* Over verbs, this polls by uat_ibv_progress(), transport_ibv/completion.c. retire() there sets pending[i].done. */
    int rc = uat_transport_wait(thief->transport, all, victims->count);
    uat_phase_end(UAT_PHASE_PEEK, begin);
    return rc;
}

struct uat_stack uat_thief_stack(const struct uat_thief *thief, const struct uat_slot *slot)
{
    return thief->placing ? thief->placing->unpack(slot, thief->low) : uat_place_stack(slot->place, thief->low);
}

bool uat_thief_is_sane(const struct uat_thief *thief, struct uat_stack stack)
{
    return stack.sp < stack.base && stack.base <= thief->high && (stack.sp | stack.base) % 8 == 0;
}

const struct uat_slot *uat_thief_offer(const struct uat_thief *thief, const struct uat_peek *peek)
{
    const struct uat_slot *slot = &peek->slot[uat_slot_of(peek->claims)];
    if (__builtin_expect(peek->claims >> CLAIM_BITS,
                         0)) /* corrupt, although the slot's state may match: a state has only 31 bits of the index */
        return NULL;
    return uat_state_valid_for(slot->state, peek->claims) && uat_thief_is_sane(thief, uat_thief_stack(thief, slot))
               ? slot
               : NULL;
}

/* End the job if the peeked entry is valid, but its stack has bounds that no owner publishes: the word is corrupt. A
 * peek may mix two publications, but even then it shows no such stack. Each word is whole, and a place is 0 only until
 * its slot is first used. */
static void check_place(const struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    const struct uat_slot *slot = &peek->slot[uat_slot_of(peek->claims)];
    struct uat_stack stack = uat_thief_stack(thief, slot);
    if (uat_state_valid_for(slot->state, peek->claims) && slot->place != 0 && stack.base != 0 && /* T5 */
        !uat_thief_is_sane(thief, stack))
        uat_word_refuse(victim, "the stack in a slot of the deque", slot->place);
}

/* The READ of the victim's ring into landing->peek[i]. */
static inline struct uat_op read_ring(struct uat_thief *thief, int victim, int i)
{
    return uat_op_read(&thief->landing->peek[i], &uat_thief_ring(thief, victim)->claims, sizeof(struct uat_peek));
}

int uat_thief_peek(struct uat_thief *thief, const struct uat_victims *victims,
                   bool (*usable)(struct uat_thief *thief, int victim, const struct uat_peek *peek), int *best,
                   struct uat_peek **peek)
{
    int rc = uat_thief_read_all(thief, victims, read_ring);
    if (rc)
        return rc;
    /* The stack nearest to the region's top is the oldest. Its continuation usually has the most work left. */
    uint64_t highest = 0;
    *peek = NULL;
    for (int i = 0; i < victims->count; i++) {
        struct uat_peek *seen = &thief->landing->peek[i];
        const struct uat_slot *offer = uat_thief_offer(thief, seen);
        /* With a placing an address says nothing about age, so take the first victim with an entry. */
        uint64_t sp = !offer ? 0 : thief->placing ? 1 : uat_thief_stack(thief, offer).sp;
        if (!offer)
            check_place(thief, victims->rank[i], seen);
        if (sp > highest && usable(thief, victims->rank[i], seen)) {
            highest = sp;
            *best = victims->rank[i];
            *peek = seen;
        }
    }
    return 0;
}

/* The peek chose no victim. Did it see an unusable entry? */
static bool any_offer(const struct uat_thief *thief, const struct uat_victims *victims)
{
    for (int i = 0; i < victims->count; i++)
        if (uat_thief_offer(thief, &thief->landing->peek[i]))
            return true;
    return false;
}

int uat_thief_choose(struct uat_thief *thief, const struct uat_victims *victims,
                     bool (*usable)(struct uat_thief *thief, int victim, const struct uat_peek *peek),
                     struct uat_stolen *stolen, struct uat_peek **peek)
{
    int rc = uat_thief_peek(thief, victims, usable, &stolen->victim, peek);
    if (rc)
        return rc;
    stolen->trips++;
    if (*peek)
        return UAT_STEAL_DONE;
    return any_offer(thief, victims) ? UAT_STEAL_BUSY : UAT_STEAL_EMPTY;
}

/* Is this stack small enough for a speculative READ? */
static bool speculative(struct uat_stack stack)
{
    return stack.base - stack.sp <= UAT_SPECULATION_LIMIT;
}

struct uat_op uat_thief_read_slot(struct uat_thief *thief, int victim, uint64_t index)
{
    return uat_op_read(&thief->landing->slot, &uat_thief_ring(thief, victim)->slot[uat_slot_of(index)],
                       sizeof(struct uat_slot));
}

struct uat_op uat_thief_read_stack(const struct uat_thief *thief, const struct uat_slot *slot)
{
    struct uat_stack stack = uat_thief_stack(thief, slot);
    return uat_op_read((void *)stack.sp, (void *)stack.sp, stack.base - stack.sp);
}

void uat_thief_intend(struct uat_thief *thief, int victim, uint64_t index)
{
    thief->notice->intent_index = index;
    thief->notice->intent_victim = (uint64_t)victim;
    uat_notice_begin(thief->notice);
    uat_delay();
}

int uat_thief_claim(struct uat_thief *thief, int victim, const struct uat_op *claim, uint64_t index,
                    const struct uat_slot *offer)
{
    struct uat_op chain[3] = {*claim, uat_thief_read_slot(thief, victim, index)};
    int n = 2;
    if (speculative(uat_thief_stack(thief, offer)))
        chain[n++] = uat_thief_read_stack(thief, offer);
    uat_thief_intend(thief, victim, index);
    return uat_thief_do(thief, UAT_PHASE_CLAIM, victim, chain, n);
}

/* READ slot and stack again, at most twice, until both are from one publication. The claim succeeded, so place and
 * stack no longer change (T2). */
static int look_again(struct uat_thief *thief, int victim, uint64_t index, struct uat_stolen *stolen)
{
    enum uat_phase phase = stolen->second_look ? UAT_PHASE_LOOK : UAT_PHASE_STACK;
    struct uat_slot at = thief->landing->slot; /* the slot as READ last */
    for (int looks = 0; looks < 2; looks++) {
        struct uat_op chain[2] = {uat_thief_read_slot(thief, victim, index)};
        int n = 1;
        if (uat_thief_is_sane(thief, uat_thief_stack(thief, &at)))
            chain[n++] = uat_thief_read_stack(thief, &at);
        uat_delay();
        int rc = uat_thief_do(thief, phase, victim, chain, n);
        if (rc)
            return rc;
        stolen->trips++;
        if (n == 2 && at.place == thief->landing->slot.place)
            return UAT_STEAL_DONE;
        at = thief->landing->slot;
    }
    if (!uat_thief_is_sane(thief, uat_thief_stack(thief, &at)))
        return uat_word_report(victim, "the stack in a slot of the deque", at.place);
    struct uat_op op = uat_thief_read_stack(thief, &at);
    stolen->trips++;
    int rc = uat_thief_do(thief, phase, victim, &op, 1);
    return rc ? rc : UAT_STEAL_DONE;
}

int uat_thief_judge(struct uat_thief *thief, int victim, uint64_t index)
{
    uint64_t state = thief->landing->slot.state;
    if (uat_state_valid_for(state, index))
        return UAT_STEAL_DONE;
    /* The owner took the entry back. Until the acknowledgement, the slot belongs to the claimed index (D5). */
    if (state >> 33 != (index & 0x7fffffff))
        return uat_word_report(victim, "the state of a slot in the deque", state);
    thief->count.aborted++;
    return UAT_STEAL_LOST_RACE;
}

int uat_thief_fetch(struct uat_thief *thief, int victim, uint64_t index, const struct uat_slot *offer,
                    struct uat_stolen *stolen)
{
    const struct uat_slot *slot = &thief->landing->slot;
    /* No fence is needed between the atomic on claims and the READ of this slot: both are in one chain, in this order
     * (O1). Pairs with the fence in withdraw_steps(), owner.c. */
    int result = uat_thief_judge(thief, victim, index);
    if (result != UAT_STEAL_DONE)
        return result;
    bool foretold = slot->state == offer->state && slot->place == offer->place;
    if (!foretold) {
        stolen->second_look = true;
        thief->count.second_looks++;
    }
    if (!foretold || !speculative(uat_thief_stack(thief, offer))) {
        int rc = look_again(thief, victim, index, stolen);
        if (rc < 0)
            return rc;
    }
    struct uat_stack stack = uat_thief_stack(thief, slot);
    stolen->sp = stack.sp;
    stolen->base = stack.base;
    return UAT_STEAL_DONE;
}

struct uat_op uat_thief_acknowledgement(struct uat_thief *thief, int victim, uint64_t index, enum uat_ack_status status)
{
    thief->landing->ack = uat_ack(index, status);
    uat_delay();
    return uat_op_write(&thief->landing->ack, &uat_thief_ring(thief, victim)->ack[uat_slot_of(index)], 8);
}
