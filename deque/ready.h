/* SPDX-License-Identifier: MIT */
/*
 * Ready tasks: those that waited for an event which has happened. Their stacks lie in evacuation heaps, anywhere in the
 * job. The worker that woke them keeps them in a list of its own, and offers the oldest in a ring, from which any
 * worker without work takes them. Model: tests/model/ready.pml.
 *
 *   R1  slot[] is written by the owner's CPU, claims by atomics of the adapter, ack[] by whoever has claimed.
 *   R2  A slot's state is its index + 1, each index is published once, in order, and never withdrawn. So claims is
 *       at most the number of publications, and a CMP_SWAP(claims, t, t + 1) by somebody who has seen slot t
 *       published takes task t.
 *   R3  Slot t is written for index t + UAT_READY_SLOTS only after the acknowledgement of t, which comes after the
 *       READ of the slot is complete.
 *   R4  The block with the task's stack is frozen from the publication until the taker gives it back. So it may be
 *       READ on suspicion, together with the claim; what was read is right if the slot, READ behind the claim, says
 *       what the peek foretold.
 *
 * Order: the owner takes from its list, oldest first, and every UAT_READY_TURN-th time the oldest of the ring. So a
 * task that became ready when n others were is passed over at most UAT_READY_BOUND(n) times: in the list by the n, of
 * which the list's own are taken in 7 of 8 turns; then, if it was offered, a whole turn for each slot of the ring.
 * Thieves only shorten that.
 */
#ifndef UAT_READY_H
#define UAT_READY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/thief.h"
#include "transport/transport.h"

enum { UAT_READY_SLOTS = 12, UAT_READY_TURN = 8, UAT_READY_STACK = 64 /* bytes of a block before the stack in it */ };

/* How many tasks the owner takes at most before one that became ready when n others were. */
#define UAT_READY_BOUND(n) ((n) + (n) / (UAT_READY_TURN - 1) + 1 + UAT_READY_TURN * UAT_READY_SLOTS)

/* A task whose stack [sp, base) lies in a block of an evacuation heap; where: (rank << 48) | address of the block. */
struct uat_ready_task {
    uint64_t sp, base, where;
};

struct uat_ready_slot {
    uint64_t state; /* index + 1; 0: never used */
    uint64_t place; /* sp and base: uat_place() */
    uint64_t where;
};

struct uat_ready_ring {
    _Alignas(UAT_CACHE_LINE) char room[UAT_CACHE_LINE - sizeof(uint64_t)]; /* as in struct uat_ring */
    uint64_t claims;                                                       /* index of the next task to take */
    struct uat_ready_slot slot[UAT_READY_SLOTS];
    _Alignas(UAT_CACHE_LINE) uint64_t ack[UAT_READY_SLOTS]; /* index + 1 of the last acknowledged claim */
};

/* What a peek fetches: claims and slots. */
struct uat_ready_peek {
    uint64_t claims;
    struct uat_ready_slot slot[UAT_READY_SLOTS];
};

/* Where this worker's own operations on ready tasks land. */
struct uat_ready_landing {
    struct uat_ready_peek peek[UAT_PEEKS_MAX];
    struct uat_ready_slot slot;
    uint64_t old, ack;
};

/* The owner's side. */
struct uat_ready {
    struct uat_transport *transport;
    struct uat_ready_ring *ring; /* the own one */
    struct uat_ready_landing *landing;
    uintptr_t low;               /* the uni-address region begins here */
    struct uat_ready_task *list; /* not offered: a circular array */
    size_t first, count, room;
    uint64_t bottom; /* publications so far */
    uint64_t seen;   /* claims when we last looked, our own included */
    unsigned cap;    /* at most so many are offered at once; 0: none, ever, for there is nobody else */
    unsigned turn;
    uint64_t pushed, stolen; /* tasks made ready here; taken by thieves of what this worker offered */
};

/* Where a worker's parts lie: zeroed memory of the segment. low: where the uni-address region begins. */
struct uat_ready_parts {
    struct uat_ready_ring *ring;
    struct uat_ready_landing *landing;
    uintptr_t low;
};

/* room: ready tasks that the list holds at first. 0 or -ENOMEM. */
int uat_ready_open(struct uat_ready *r, struct uat_transport *transport, const struct uat_ready_parts *parts,
                   size_t room);
void uat_ready_close(struct uat_ready *r);

/* Make the list longer. 0 or -ENOMEM. */
int uat_ready_grow(struct uat_ready *r) __attribute__((cold));

/* Offer as many as fit. Called by push and take. */
void uat_ready_offer(struct uat_ready *r);

/* A task has become ready: to the end of the queue. 0 or -ENOMEM. */
static inline int uat_ready_push(struct uat_ready *r, const struct uat_ready_task *task)
{
    if (r->count == r->room && uat_ready_grow(r))
        return -ENOMEM;
    size_t at = r->first + r->count;
    r->list[at < r->room ? at : at - r->room] = *task;
    r->count++;
    r->pushed++;
    if (r->cap > 0)
        uat_ready_offer(r);
    return 0;
}

/* Is anything ready here, offered or not? What is offered may be taken at any moment. */
bool uat_ready_any(const struct uat_ready *r);

/* The list's oldest, of which there must be one. */
static inline struct uat_ready_task uat_ready_take_listed(struct uat_ready *r)
{
    struct uat_ready_task task = r->list[r->first];
    r->first = r->first + 1 == r->room ? 0 : r->first + 1;
    r->count--;
    return task;
}

/* What uat_ready_take() does where there are thieves. */
int uat_ready_take_shared(struct uat_ready *r, struct uat_ready_task *task);

/* Take the task whose turn it is. 1, 0 if there is none, or a negative errno. */
static inline int uat_ready_take(struct uat_ready *r, struct uat_ready_task *task)
{
    if (r->cap > 0)
        return uat_ready_take_shared(r, task);
    if (r->count == 0)
        return 0;
    *task = uat_ready_take_listed(r);
    return 1;
}

/*
 * The thief's side: try once to take a ready task of one of the victims. Its stack, if it has at most
 * UAT_SPECULATION_LIMIT bytes, is in place when UAT_STEAL_DONE is returned with *fetched; else the caller READs it.
 * thief: for the bounds of the region, which must be empty. Returns enum uat_steal or a negative errno.
 */
int uat_ready_steal(struct uat_ready *r, const struct uat_thief *thief, const struct uat_victims *victims,
                    struct uat_ready_task *task, bool *fetched, unsigned *trips);

/* low: where the uni-address region begins. */
static inline struct uat_ready_task uat_ready_task_of(const struct uat_ready_slot *slot, uintptr_t low)
{
    struct uat_stack stack = uat_place_stack(slot->place, low);
    return (struct uat_ready_task){.sp = stack.sp, .base = stack.base, .where = slot->where};
}

static inline int uat_ready_rank(const struct uat_ready_task *task)
{
    return (int)(task->where >> 48);
}
static inline char *uat_ready_block(const struct uat_ready_task *task)
{
    return (char *)(uintptr_t)(task->where & ((UINT64_C(1) << 48) - 1));
}

#endif
