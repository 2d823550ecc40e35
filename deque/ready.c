/* SPDX-License-Identifier: MIT */
/* The owner's side of ready tasks; see ready.h for the invariants. */
#include "deque/ready.h"

#include <errno.h>
#include <stdlib.h>

#include "base/delay.h"
#include "base/virtual.h"
#include "base/word.h"

enum { LIST_ROOM = 16 /* tasks for which the list has room at first */ };

void uat_ready_open(struct uat_ready *r, struct uat_transport *transport, const struct uat_ready_parts *parts)
{
    *r = (struct uat_ready){.transport = transport,
                            .ring = parts->ring,
                            .landing = parts->landing,
                            .low = parts->low,
                            .is_block = parts->is_block};
    if (!r->ring || transport->size == 1)
        return;
    r->cap = UAT_READY_SLOTS;
    for (uint64_t i = 0; i < UAT_READY_SLOTS; i++) /* start as if the indices of an earlier round had been
                                                    * acknowledged */
        r->ring->ack[i] = i + 1 - UAT_READY_SLOTS;
}

void uat_ready_close(struct uat_ready *r)
{
    free(r->list);
    *r = (struct uat_ready){0};
}

/*
 * Relaxed: the value only says how many tasks are offered. Pairs with the CMP_SWAPs in uat_ready_steal().
 */
static uint64_t load_claims(const struct uat_ready *r)
{
    uint64_t claims = __atomic_load_n(&r->ring->claims, __ATOMIC_RELAXED);
    if (__builtin_expect(r->bottom - claims > UAT_READY_SLOTS, 0)) /* R2, R3 */
        uat_word_refuse(r->transport->rank, "the number of claims in the ready ring", claims);
    return claims;
}

bool uat_ready_any(const struct uat_ready *r)
{
    return r->count > 0 || load_claims(r) != r->bottom;
}

/* The number of tasks in the ring. The inbox has no ring; for it the number is 0. */
static uint64_t offered(const struct uat_ready *r)
{
    return r->ring ? r->bottom - load_claims(r) : 0;
}

size_t uat_ready_count(const struct uat_ready *r)
{
    return r->count + offered(r);
}

void uat_ready_copy(const struct uat_ready *r, struct uat_ready_task *to)
{
    for (uint64_t left = offered(r); left > 0; left--) /* plain loads: this CPU wrote the slots */
        *to++ = uat_ready_task_of(&r->ring->slot[(r->bottom - left) % UAT_READY_SLOTS], r->low);
    for (size_t i = 0; i < r->count; i++)
        *to++ = r->list[(r->first + i) % r->room];
}

int uat_ready_grow(struct uat_ready *r)
{
    size_t room = r->room ? 2 * r->room : LIST_ROOM;
    struct uat_ready_task *list = malloc(room * sizeof(*list));
    if (!list)
        return -ENOMEM;
    for (size_t i = 0; i < r->count; i++)
        list[i] = r->list[(r->first + i) % r->room];
    free(r->list);
    r->list = list;
    r->first = 0;
    r->room = room;
    return 0;
}

/* Write the slot for the next index. Returns false if the slot's last taker has not acknowledged yet (R3). */
static bool publish(struct uat_ready *r)
{
    struct uat_ready_ring *ring = r->ring;
    uint64_t index = r->bottom;
    unsigned at = (unsigned)(index % UAT_READY_SLOTS);
    /* Acquire: orders the acknowledgement before our stores to the slot. Pairs with the WRITE of the acknowledgement in
     * uat_ready_steal(): the thief posts it after its READ of the slot has completed. */
    uint64_t ack = uat_cpu_load_acquire(&ring->ack[at]), expected = index + 1 - UAT_READY_SLOTS;
    if (ack != expected) {
        if (ack != expected - UAT_READY_SLOTS) /* until the acknowledgement arrives, the word holds an older one */
            uat_word_refuse(r->transport->rank, "an acknowledgement in the ready ring", ack);
        return false;
    }
    struct uat_ready_task task = uat_ready_take_listed(r);
    struct uat_ready_slot *slot = &ring->slot[at];
    /* Relaxed: the release store below orders these stores. Atomic, so that each word is written whole. */
    const bool simulated = UAT_IS_VIRTUAL();
    uat_store_relaxed(simulated, &slot->place, uat_place(task.sp, task.base));
    uat_store_relaxed(simulated, &slot->where, task.where);
    uat_delay();
    /* Release: orders the slot's content before the state that offers it. Pairs with the peek's READ in
     * uat_ready_steal(), which completes before the thief's claim and its second READ. */
    uat_store_release(simulated, &slot->state, index + 1);
    r->bottom++;
    return true;
}

void uat_ready_offer(struct uat_ready *r)
{
    uint64_t claims = load_claims(r);
    if (claims != r->seen) { /* thieves are active: offer as many tasks as fit */
        r->stolen += claims - r->seen;
        r->seen = claims;
        r->cap = UAT_READY_SLOTS;
    }
    while (r->count > 0 && r->bottom - claims < r->cap && publish(r))
        ;
}

/* Claim the task with this index in this worker's ring, as a thief would. The index must be published (R2). Returns 1,
 * 0 if a thief was faster, or a negative errno. */
static int take_offered(struct uat_ready *r, uint64_t index, struct uat_ready_task *task)
{
    struct uat_ready_ring *ring = r->ring;
    unsigned at = (unsigned)(index % UAT_READY_SLOTS);
    struct uat_op op = uat_op_cmp_swap(&r->landing->old, &ring->claims, index, index + 1);
    int rc = uat_transport_do(r->transport, r->transport->rank, &op, 1);
    if (rc || r->landing->old != index)
        return rc;
    *task = uat_ready_task_of(&ring->slot[at], r->low); /* no fence: this CPU wrote the slot, before the claim */
    /* Relaxed: until the slot is published again, this CPU alone loads the word. */
    __atomic_store_n(&ring->ack[at], index + 1, __ATOMIC_RELAXED);
    if (r->seen == index)
        r->seen++; /* no thief has claimed since `seen` was last updated, so thieves did not use the offer */
    r->cap = r->cap > 1 ? r->cap / 2 : 1;
    return 1;
}

int uat_ready_take_shared(struct uat_ready *r, struct uat_ready_task *task)
{
    for (;;) {
        uint64_t claims = load_claims(r);
        bool offered = claims != r->bottom;
        if (r->count > 0 && (!offered || ++r->turn % UAT_READY_TURN != 0)) {
            *task = uat_ready_take_listed(r);
            uat_ready_offer(r);
            return 1;
        }
        if (!offered)
            return 0;
        int rc = take_offered(r, claims, task);
        if (rc) {
            uat_ready_offer(r);
            return rc;
        }
    }
}
