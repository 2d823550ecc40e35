/* SPDX-License-Identifier: MIT */
/* The part that the claim and lock protocols share, and the counting of all protocols. Model: tests/model/thief.pml,
 * checked by claim.pml and lock.pml. */
#include "deque/thief_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/delay.h"
#include "base/word.h"

enum { CLAIM_BITS = 48 /* no victim has 2^48 claims in its life; if claims shows more, its owner reports that */ };

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
    notice->intent_victim = UAT_INTENT_NONE;
    thief->known = calloc((size_t)transport->size, sizeof(*thief->known));
    return thief->known ? 0 : -ENOMEM;
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
    else if (result == UAT_STEAL_LOST_RACE)
        thief->count.lost++;
    return result;
}

static struct uat_stack stack_of(const struct uat_thief *thief, const struct uat_slot *slot)
{
    return uat_place_stack(slot->place, thief->low);
}

bool uat_thief_is_sane(const struct uat_thief *thief, struct uat_stack stack)
{
    return stack.sp < stack.base && stack.base <= thief->high && (stack.sp | stack.base) % 8 == 0;
}

const struct uat_slot *uat_thief_offer(const struct uat_thief *thief, const struct uat_peek *peek)
{
    const struct uat_slot *slot = &peek->slot[uat_slot_of(peek->claims)];
    if (__builtin_expect(peek->claims >> CLAIM_BITS,
                         0)) /* corrupt; a slot's state has only 31 bits of the index and might match by chance */
        return NULL;
    return uat_state_valid_for(slot->state, peek->claims) && uat_thief_is_sane(thief, stack_of(thief, slot)) ? slot
                                                                                                             : NULL;
}

/* End the job if the entry that peek shows as valid has a stack that no owner publishes. A mixed peek cannot show one,
 * because each word is whole, and a place is 0 only until its slot is first used. */
static void check_place(const struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    const struct uat_slot *slot = &peek->slot[uat_slot_of(peek->claims)];
    if (uat_state_valid_for(slot->state, peek->claims) && slot->place != 0 &&
        !uat_thief_is_sane(thief, stack_of(thief, slot)))
        uat_word_refuse(victim, "the stack in a slot of the deque", slot->place);
}

static int read_rings(struct uat_thief *thief, const struct uat_victims *victims)
{
    struct uat_pending pending[UAT_PEEKS_MAX], *all[UAT_PEEKS_MAX];
    uint64_t begin = uat_phase_begin();
    uat_delay();
    for (int i = 0; i < victims->count; i++) {
        struct uat_op op = uat_op_read(&thief->landing->peek[i], &uat_thief_ring(thief, victims->rank[i])->claims,
                                       sizeof(struct uat_peek));
        all[i] = &pending[i];
        int rc = uat_transport_post(thief->transport, victims->rank[i], &op, 1, &pending[i]);
        if (rc)
            return rc;
    }
    thief->count.peeks += (uint64_t)victims->count;
    int rc = uat_transport_wait(thief->transport, all, victims->count);
    uat_phase_end(UAT_PHASE_PEEK, begin);
    return rc;
}

int uat_thief_peek(struct uat_thief *thief, const struct uat_victims *victims,
                   bool (*usable)(struct uat_thief *thief, int victim, const struct uat_peek *peek), int *best,
                   struct uat_peek **peek)
{
    int rc = read_rings(thief, victims);
    if (rc)
        return rc;
    /* The stack nearest to the region's top is the oldest, which usually has the most work below it. */
    uint64_t highest = 0;
    *peek = NULL;
    for (int i = 0; i < victims->count; i++) {
        struct uat_peek *seen = &thief->landing->peek[i];
        const struct uat_slot *offer = uat_thief_offer(thief, seen);
        uint64_t sp = offer ? stack_of(thief, offer).sp : 0;
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

/* Is this stack small enough for a speculative READ? */
static bool speculative(struct uat_stack stack)
{
    return stack.base - stack.sp <= UAT_SPECULATION_LIMIT;
}

static struct uat_op read_slot(struct uat_thief *thief, int victim, uint64_t index)
{
    return uat_op_read(&thief->landing->slot, &uat_thief_ring(thief, victim)->slot[uat_slot_of(index)],
                       sizeof(struct uat_slot));
}

/* READ a stack to its original addresses. They are free, because the thief's region is empty. */
static struct uat_op read_stack(struct uat_stack stack)
{
    return uat_op_read((void *)stack.sp, (void *)stack.sp, stack.base - stack.sp);
}

int uat_thief_claim(struct uat_thief *thief, int victim, const struct uat_op *claim, uint64_t index,
                    const struct uat_slot *offer)
{
    struct uat_op chain[3] = {*claim, read_slot(thief, victim, index)};
    struct uat_stack stack = stack_of(thief, offer);
    int n = 2;
    if (speculative(stack))
        chain[n++] = read_stack(stack);
    thief->notice->intent_index = index;
    thief->notice->intent_victim = (uint64_t)victim;
    uat_notice_begin(thief->notice);
    uat_delay();
    return uat_thief_do(thief, UAT_PHASE_CLAIM, victim, chain, n);
}

/* READ slot and stack again, now that they are frozen, until both belong to one publication. It does so at most
 * twice. */
static int look_again(struct uat_thief *thief, int victim, uint64_t index, struct uat_stolen *stolen)
{
    enum uat_phase phase = stolen->second_look ? UAT_PHASE_LOOK : UAT_PHASE_STACK;
    struct uat_slot at = thief->landing->slot; /* where the entry was last seen */
    for (int looks = 0; looks < 2; looks++) {
        struct uat_op chain[2] = {read_slot(thief, victim, index)};
        int n = 1;
        if (uat_thief_is_sane(thief, stack_of(thief, &at)))
            chain[n++] = read_stack(stack_of(thief, &at));
        uat_delay();
        int rc = uat_thief_do(thief, phase, victim, chain, n);
        if (rc)
            return rc;
        stolen->trips++;
        if (n == 2 && at.place == thief->landing->slot.place)
            return UAT_STEAL_DONE;
        at = thief->landing->slot;
    }
    if (!uat_thief_is_sane(thief, stack_of(thief, &at)))
        return uat_word_report(victim, "the stack in a slot of the deque", at.place);
    struct uat_op op = read_stack(stack_of(thief, &at));
    stolen->trips++;
    int rc = uat_thief_do(thief, phase, victim, &op, 1);
    return rc ? rc : UAT_STEAL_DONE;
}

int uat_thief_fetch(struct uat_thief *thief, int victim, uint64_t index, const struct uat_slot *offer,
                    struct uat_stolen *stolen)
{
    const struct uat_slot *slot = &thief->landing->slot;
    /* No fence between the atomic on claims and the READ of this slot: they are one chain, which the transport keeps in
     * order (O1). The owner's counterpart is the fence in withdraw(), owner.c. */
    if (!uat_state_valid_for(slot->state, index)) {
        /* The owner took the entry back. Until the acknowledgement, the slot belongs to the claimed index (D5). */
        if (slot->state >> 33 != (index & 0x7fffffff))
            return uat_word_report(victim, "the state of a slot in the deque", slot->state);
        thief->count.aborted++;
        return UAT_STEAL_LOST_RACE;
    }
    bool foretold = slot->state == offer->state && slot->place == offer->place;
    if (!foretold) {
        stolen->second_look = true;
        thief->count.second_looks++;
    }
    if (!foretold || !speculative(stack_of(thief, offer))) {
        int rc = look_again(thief, victim, index, stolen);
        if (rc < 0)
            return rc;
    }
    struct uat_stack stack = stack_of(thief, slot);
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
