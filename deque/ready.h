/* SPDX-License-Identifier: MIT */
/*
 * Ready tasks: tasks that waited for an event that has now happened. The stack of a ready task lies in the evacuation
 * heap of some worker. The worker that woke the tasks keeps them in a private list. It offers the oldest tasks in a
 * ring. Any worker without work may take tasks from the ring. Model: tests/model/ready.pml.
 *
 *   R1  The owner's CPU writes slot[], the adapter's atomics write claims, and a worker that has claimed a task writes
 *       ack[].
 *   R2  A slot's state is the slot's index + 1. Each index is published once, in increasing order, and never withdrawn.
 *       So claims is at most the number of publications. A worker that has seen slot t published takes task t by
 *       CMP_SWAP(claims, t, t + 1).
 *   R3  The owner writes slot t for index t + UAT_READY_SLOTS only after the acknowledgement of t. The taker
 *       acknowledges only after its READ of the slot is complete.
 *   R4  The block with the task's stack does not change from the publication until the taker gives the block back. So a
 *       thief may READ the stack speculatively, together with the claim. If the slot READ after the claim is the same
 *       as in the peek, that stack is valid.
 *
 * Order: the owner takes the oldest task of its list. If the list is empty, and every UAT_READY_TURN-th time, it takes
 * the oldest task of the ring. So if a task becomes ready when n others are ready, the owner takes at most
 * UAT_READY_BOUND(n) tasks before it. In the list the task waits for the n others, and 7 of 8 turns serve the list. If
 * the task is then offered, it waits up to 8 turns for each slot of the ring. Thieves only shorten these waits. Tasks
 * sent to this worker (inbox.h) at most double the waits.
 */
#ifndef UAT_READY_H
#define UAT_READY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/thief.h"
#include "transport/transport.h"

enum { UAT_READY_SLOTS = 12, UAT_READY_TURN = 8, UAT_READY_STACK = 64 /* bytes before a block's stack */ };

/* If a task becomes ready when n others are ready, the owner takes at most this number of tasks before it. */
#define UAT_READY_BOUND(n) ((n) + (n) / (UAT_READY_TURN - 1) + 1 + UAT_READY_TURN * UAT_READY_SLOTS)

/* A bit of `where`: the block holds a task together with the continuations of all its ancestors
 * (runtime/sched/chains.h). */
#define UAT_READY_CHAIN UINT64_C(1)

/* A task whose stack [sp, base) lies in a block of an evacuation heap. where: (rank << 48) | address of the block;
 * UAT_READY_CHAIN may be set, too. */
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

/* The words that a peek fetches: claims and slots. */
struct uat_ready_peek {
    uint64_t claims;
    struct uat_ready_slot slot[UAT_READY_SLOTS];
};

/* Memory for the results of this worker's own operations on ready tasks. */
struct uat_ready_landing {
    struct uat_ready_peek peek[UAT_PEEKS_MAX];
    struct uat_ready_slot slot;
    uint64_t old, ack;
};

/* The owner's side. */
struct uat_ready {
    struct uat_transport *transport;
    struct uat_ready_ring *ring; /* this worker's */
    struct uat_ready_landing *landing;
    uintptr_t low; /* start of the uni-address region */
    bool (*is_block)(uint64_t where, size_t bytes);
    struct uat_ready_task *list; /* tasks not offered: a circular array */
    size_t first, count, room;
    uint64_t bottom; /* publications so far */
    uint64_t seen;   /* last value of claims seen, including this worker's own claims */
    unsigned cap;    /* upper bound of tasks offered at once; 0: there is no ring or no other worker */
    unsigned turn;
    uint64_t pushed, stolen; /* pushed: tasks made ready here; stolen: offered tasks that thieves took */
};

/* The parts that uat_ready_open() needs. ring and landing are zeroed memory of the segment. If ring is NULL, tasks are
 * never offered. low: start of the uni-address region. */
struct uat_ready_parts {
    struct uat_ready_ring *ring;
    struct uat_ready_landing *landing;
    uintptr_t low;
    /* Does `where` name a block of an evacuation heap with room for a stack of `bytes` bytes? NULL: not checked. */
    bool (*is_block)(uint64_t where, size_t bytes);
};

/* The caller keeps the transport, and what the parts point to. The first push allocates the list. */
void uat_ready_open(struct uat_ready *r, struct uat_transport *transport, const struct uat_ready_parts *parts);
void uat_ready_close(struct uat_ready *r);

/* Allocate the list, or double its capacity. Returns 0 or -ENOMEM. */
int uat_ready_grow(struct uat_ready *r) __attribute__((cold));

/* Offer as many tasks as fit. Called by push and take. */
void uat_ready_offer(struct uat_ready *r);

/* Append a task that has become ready. Returns 0 or -ENOMEM. */
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

/* The number of tasks that are ready here, offered or not. */
size_t uat_ready_count(const struct uat_ready *r);

/* Copy the tasks that are ready here to `to`, which must have room for uat_ready_count() tasks. First come the ring's
 * tasks, then the list's tasks, each from the oldest to the youngest. No thief may have a claim in flight. */
void uat_ready_copy(const struct uat_ready *r, struct uat_ready_task *to);

/* Is any task ready here, offered or not? A thief may take an offered task at any moment. */
bool uat_ready_any(const struct uat_ready *r);

/* Take the list's oldest task. The list must not be empty. */
static inline struct uat_ready_task uat_ready_take_listed(struct uat_ready *r)
{
    struct uat_ready_task task = r->list[r->first];
    r->first = r->first + 1 == r->room ? 0 : r->first + 1;
    r->count--;
    return task;
}

/* uat_ready_take() in a job with more than one worker. */
int uat_ready_take_shared(struct uat_ready *r, struct uat_ready_task *task);

/* Take the next task, in the order described above. Returns 1 on success, 0 if there is none, or a negative errno. */
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
 * The thief's side: try once to take a ready task of one of the victims. Returns enum uat_steal or a negative errno.
 * After UAT_STEAL_DONE, *fetched says whether the task's stack is in place. If not, the caller READs the stack. Only a
 * stack of at most UAT_SPECULATION_LIMIT bytes is fetched. The region, whose bounds are in `thief`, must be empty.
 */
int uat_ready_steal(struct uat_ready *r, const struct uat_thief *thief, const struct uat_victims *victims,
                    struct uat_ready_task *task, bool *fetched, unsigned *trips);

/* The task in a slot. low: start of the uni-address region. */
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
    return (char *)(uintptr_t)(task->where & ((UINT64_C(1) << 48) - 1) & ~UAT_READY_CHAIN);
}

#endif
