/* SPDX-License-Identifier: MIT */
/* The thief's side of ready tasks: two dependent round trips, as in a steal by the claim protocol. ready.h has the
 * invariants. */
#include <string.h>

#include "base/delay.h"
#include "base/word.h"
#include "deque/ready.h"

/* A ready task that a peek has shown. */
struct offered {
    int victim;
    struct uat_ready_ring *ring; /* the victim's */
    uint64_t index;
};

/* The address of worker `rank`'s ring. The address depends on that worker's colour. */
static struct uat_ready_ring *ring_of(const struct uat_ready *r, const struct uat_thief *thief, int rank)
{
    return uat_coloured_of(r->ring, thief->colours, r->transport->rank, rank);
}

static int read_rings(struct uat_ready *r, const struct uat_thief *thief, const struct uat_victims *victims)
{
    struct uat_pending pending[UAT_PEEKS_MAX], *all[UAT_PEEKS_MAX];
    for (int i = 0; i < victims->count; i++) {
        struct uat_op op = uat_op_read(&r->landing->peek[i], &ring_of(r, thief, victims->rank[i])->claims,
                                       sizeof(struct uat_ready_peek));
        all[i] = &pending[i];
        int rc = uat_transport_post(r->transport, victims->rank[i], &op, 1, &pending[i]);
        if (rc)
            return rc;
    }
    return uat_transport_wait(r->transport, all, victims->count);
}

/* Could this be a ready task? Peeked words may be from two different publications. */
static bool is_sane(const struct uat_ready *r, const struct uat_thief *thief, const struct uat_ready_task *t)
{
    return thief->low <= t->sp && t->sp < t->base && t->base <= thief->high && (t->sp | t->base) % 8 == 0 &&
           uat_ready_block(t) != NULL && (t->where & ~UAT_READY_CHAIN) % 8 == 0 &&
           (r->is_block ? r->is_block(t->where & ~UAT_READY_CHAIN, t->base - t->sp)
                        : uat_ready_rank(t) < r->transport->size);
}

/* The slot of the ring's next task, or NULL if there is none. */
static const struct uat_ready_slot *next_of(const struct uat_ready *r, const struct uat_thief *thief,
                                            const struct uat_ready_peek *peek)
{
    const struct uat_ready_slot *slot = &peek->slot[peek->claims % UAT_READY_SLOTS];
    const struct uat_ready_task task = uat_ready_task_of(slot, r->low);
    return slot->state == peek->claims + 1 && is_sane(r, thief, &task) ? slot : NULL;
}

static struct uat_op read_stack(const struct uat_ready_task *t)
{
    return uat_op_read((void *)t->sp, uat_ready_block(t) + UAT_READY_STACK, t->base - t->sp);
}

/*
 * Post { CMP_SWAP claims; READ slot } to the victim. If `stack` is true, also post a speculative READ of the stack to
 * the worker that has the stack. Wait for both posts: one round trip.
 */
static int claim(struct uat_ready *r, const struct offered *offered, const struct uat_ready_task *foretold, bool stack)
{
    struct uat_ready_landing *a = r->landing;
    struct uat_ready_ring *ring = offered->ring;
    uint64_t index = offered->index;
    struct uat_pending pending[2], *all[2] = {&pending[0], &pending[1]};
    struct uat_op chain[2] = {
        uat_op_cmp_swap(&a->old, &ring->claims, index, index + 1),
        /* This READ takes effect after the claim (O1). A claim succeeds only if the slot was published before the
         * claim. So this READ sees the whole slot. */
        uat_op_read(&a->slot, &ring->slot[index % UAT_READY_SLOTS], sizeof(a->slot)),
    };
    struct uat_op read = read_stack(foretold);
    uat_delay();
    int rc = uat_transport_post(r->transport, offered->victim, chain, 2, &pending[0]);
    if (!rc && stack)
        rc = uat_transport_post(r->transport, uat_ready_rank(foretold), &read, 1, &pending[1]);
    return rc ? rc : uat_transport_wait(r->transport, all, stack ? 2 : 1);
}

int uat_ready_steal(struct uat_ready *r, const struct uat_thief *thief, const struct uat_victims *victims,
                    struct uat_ready_task *task, bool *fetched, unsigned *trips)
{
    struct uat_ready_landing *a = r->landing;
    const struct uat_ready_slot *offer = NULL;
    int at = 0, rc = read_rings(r, thief, victims);
    *trips = 1;
    for (int i = 0; i < victims->count && !rc && !offer; i++)
        if ((offer = next_of(r, thief, &a->peek[i])))
            at = i;
    if (rc || !offer)
        return rc ? rc : UAT_STEAL_EMPTY;
    const struct offered offered = {
        .victim = victims->rank[at], .ring = ring_of(r, thief, victims->rank[at]), .index = a->peek[at].claims};
    const struct uat_ready_task foretold = uat_ready_task_of(offer, r->low);
    /* A rank that does not exist in this job belongs to a ghost (runtime/segment/ghost.h). Another worker keeps the
     * ghost's stack. So do not READ the stack here: the caller finds it. */
    /* With iso-address the peeked slot's words may be from two publications. Then its place may be that of an older
     * task, which may wait in this thief's region now (T5). */
    bool stack = !thief->placing && foretold.base - foretold.sp <= UAT_SPECULATION_LIMIT &&
                 uat_ready_rank(&foretold) < r->transport->size;
    uat_notice_begin(thief->notice);
    rc = claim(r, &offered, &foretold, stack);
    ++*trips;
    if (rc || a->old != offered.index) {
        uat_notice_end(thief->notice);
        return rc ? rc : UAT_STEAL_LOST_RACE;
    }
    *task = uat_ready_task_of(&a->slot, r->low);
    if (a->slot.state != offered.index + 1)
        return uat_word_report(offered.victim, "the state of a slot in the ready ring", a->slot.state);
    if (!is_sane(r, thief, task))
        return uat_word_report(offered.victim, "the task in a slot of the ready ring", a->slot.where);
    *fetched = stack && memcmp(task, &foretold, sizeof(*task)) == 0; /* R4 */
    a->ack = offered.index + 1;
    struct uat_op op = uat_op_write(&a->ack, &offered.ring->ack[offered.index % UAT_READY_SLOTS], 8);
    rc = uat_transport_post_unsignaled(r->transport, offered.victim, &op, 1);
    return rc ? rc : UAT_STEAL_DONE;
}
