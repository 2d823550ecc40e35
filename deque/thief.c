/* SPDX-License-Identifier: MIT */
/* What both thief protocols share. Model: tests/model/thief.pml, checked by claim.pml and lock.pml. */
#include "deque/thief_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/delay.h"
#include "base/log.h"

int uat_thief_open(struct uat_thief *thief, struct uat_transport *transport, struct uat_ring *ring,
                   struct uat_landing *landing)
{
    *thief = (struct uat_thief){.transport = transport, .ring = ring, .landing = landing, .peek = true};
    landing->intent_victim = UAT_INTENT_NONE;
    thief->aborted = calloc((size_t)transport->size, sizeof(*thief->aborted));
    return thief->aborted ? 0 : -ENOMEM;
}

void uat_thief_close(struct uat_thief *thief)
{
    free(thief->aborted);
    thief->aborted = NULL;
}

int uat_thief_count(struct uat_thief *thief, int result)
{
    thief->landing->intent_victim = UAT_INTENT_NONE;
    if (result != UAT_STEAL_DONE)
        uat_landing_end(thief->landing);
    thief->count.attempts++;
    if (result == UAT_STEAL_DONE)
        thief->count.done++;
    else if (result == UAT_STEAL_EMPTY)
        thief->count.empty++;
    else if (result == UAT_STEAL_LOST_RACE)
        thief->count.lost++;
    return result;
}

/* Could this be a stack of the uni-address region? Peeked words may belong to two entries (T1). */
static bool is_sane(const struct uat_thief *thief, const struct uat_slot *slot)
{
    return thief->low <= slot->sp && slot->sp < slot->base && slot->base <= thief->high &&
           (slot->sp | slot->base) % 8 == 0;
}

const struct uat_slot *uat_thief_offer(const struct uat_thief *thief, const struct uat_peek *peek)
{
    const struct uat_slot *slot = &peek->slot[uat_slot_of(peek->claims)];
    return uat_state_valid_for(slot->state, peek->claims) && is_sane(thief, slot) ? slot : NULL;
}

static int read_rings(struct uat_thief *thief, const struct uat_victims *victims)
{
    struct uat_pending pending[UAT_PEEKS_MAX], *all[UAT_PEEKS_MAX];
    uint64_t begin = uat_phase_begin();
    uat_delay();
    for (int i = 0; i < victims->count; i++) {
        struct uat_op op = uat_op_read(&thief->landing->peek[i], thief->ring, sizeof(struct uat_peek));
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
        if (offer && offer->sp > highest && usable(thief, victims->rank[i], seen)) {
            highest = offer->sp;
            *best = victims->rank[i];
            *peek = seen;
        }
    }
    return 0;
}

static bool same_place(const struct uat_slot *a, const struct uat_slot *b)
{
    return a->sp == b->sp && a->base == b->base;
}

/* Is the stack of this slot small enough for a speculative READ? */
static bool speculative(const struct uat_slot *slot)
{
    return slot->base - slot->sp <= UAT_SPECULATION_LIMIT;
}

static struct uat_op read_slot(struct uat_thief *thief, uint64_t index)
{
    return uat_op_read(&thief->landing->slot, &thief->ring->slot[uat_slot_of(index)], sizeof(struct uat_slot));
}

/* A stack is read to the addresses where it was born. They are free: the thief's own region is empty. */
static struct uat_op read_stack(const struct uat_slot *slot)
{
    return uat_op_read((void *)slot->sp, (void *)slot->sp, slot->base - slot->sp);
}

int uat_thief_claim(struct uat_thief *thief, int victim, const struct uat_op *claim, uint64_t index,
                    const struct uat_slot *offer)
{
    struct uat_op chain[3] = {*claim, read_slot(thief, index)};
    int n = 2;
    if (speculative(offer))
        chain[n++] = read_stack(offer);
    thief->landing->intent_index = index;
    thief->landing->intent_victim = (uint64_t)victim;
    uat_landing_begin(thief->landing);
    uat_delay();
    return uat_thief_do(thief, UAT_PHASE_CLAIM, victim, chain, n);
}

/* READ slot and stack again, now frozen, until slot and stack are of one publication: at most twice. */
static int look_again(struct uat_thief *thief, int victim, uint64_t index, struct uat_stolen *stolen)
{
    enum uat_phase phase = stolen->second_look ? UAT_PHASE_LOOK : UAT_PHASE_STACK;
    struct uat_slot at = thief->landing->slot; /* where the entry was last seen */
    for (int looks = 0; looks < 2; looks++) {
        struct uat_op chain[2] = {read_slot(thief, index)};
        int n = 1;
        if (is_sane(thief, &at)) /* the words of that READ may be of two publications */
            chain[n++] = read_stack(&at);
        uat_delay();
        int rc = uat_thief_do(thief, phase, victim, chain, n);
        if (rc)
            return rc;
        stolen->trips++;
        if (n == 2 && same_place(&at, &thief->landing->slot))
            return UAT_STEAL_DONE;
        at = thief->landing->slot;
    }
    struct uat_op op = read_stack(&at);
    if (!is_sane(thief, &at)) {
        uat_error("entry %llu of rank %d offers a stack outside the uni-address region; its memory is corrupt",
                  (unsigned long long)index, victim);
        return -EPROTO;
    }
    stolen->trips++;
    int rc = uat_thief_do(thief, phase, victim, &op, 1);
    return rc ? rc : UAT_STEAL_DONE;
}

int uat_thief_fetch(struct uat_thief *thief, int victim, uint64_t index, const struct uat_slot *offer,
                    struct uat_stolen *stolen)
{
    const struct uat_slot *slot = &thief->landing->slot;
    /* No fence between the atomic on claims and the READ of this slot: they are one chain, which the transport keeps in
     * order (O1). The owner's side of it is the fence in withdraw(), owner.c. */
    if (!uat_state_valid_for(slot->state, index)) {
        thief->count.aborted++;
        return UAT_STEAL_LOST_RACE;
    }
    bool foretold = slot->state == offer->state && same_place(slot, offer);
    if (!foretold) {
        stolen->second_look = true;
        thief->count.second_looks++;
    }
    if (!foretold || !speculative(offer)) {
        int rc = look_again(thief, victim, index, stolen);
        if (rc < 0)
            return rc;
    }
    stolen->sp = slot->sp;
    stolen->base = slot->base;
    return UAT_STEAL_DONE;
}

struct uat_op uat_thief_acknowledgement(struct uat_thief *thief, uint64_t index, enum uat_ack_status status)
{
    thief->landing->ack = uat_ack(index, status);
    uat_delay();
    return uat_op_write(&thief->landing->ack, &thief->ring->ack[uat_slot_of(index)], 8);
}
