/* SPDX-License-Identifier: MIT */
/*
 * The block of a task that waits, and its name: (rank << 48) | address of the block. The block lies in the evacuation
 * heap of the worker where the task began to wait. Its header holds all that is needed to wake the task. A peer or a
 * file may have written a name, so the functions below check names.
 */
#ifndef UAT_PARKED_H
#define UAT_PARKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/inbox.h"
#include "deque/ready.h"
#include "runtime/job/self.h"
#include "runtime/segment/ghost.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"

/* What tasks wait for. */
enum uat_park_kind {
    UAT_PARK_NONE,
    UAT_PARK_JOIN,
    UAT_PARK_FUTURE,
    UAT_PARK_MUTEX,
    UAT_PARK_SHARED,
    UAT_PARK_CONDITION,
    UAT_PARK_SEMAPHORE,
    UAT_PARK_LATCH,
    UAT_PARK_BARRIER,
    UAT_PARK_SEND,
    UAT_PARK_RECEIVE,
    UAT_PARK_SELECT,
    UAT_PARK_SLEEP,  /* until a time */
    UAT_PARK_CANCEL, /* the kind of cancellable groups, for which no task waits */
    UAT_PARK_FLOW,   /* tasks of a data flow */
    UAT_PARK_KINDS,
    /* The kinds of blocks that hold no stack, in the blocks' headers: */
    UAT_PARK_OBJECT = UAT_PARK_KINDS, /* an object; `holder` is 1 if main() made it, between two runs */
    UAT_PARK_LEDGER,                  /* a part of a flow's ledger */
    UAT_PARK_NAME                     /* the name of a channel or a mutex; `holder` as above */
};

/* The number of ranks that names may carry: the workers, and the ghosts if the job was larger at its checkpoint. */
static inline int uat_park_names(void)
{
    return uat_ghosts.size > 0 ? uat_ghosts.names : uat_self.size;
}

/* The most blocks that all heaps together can hold, so that a longer list has a cycle. */
static inline size_t uat_park_blocks_max(void)
{
    return (size_t)uat_park_names() * (uat_segment.heap_size / UAT_HEAP_UNIT + 1);
}

/* The offset of name, (rank << 48) | address, from the start of its rank's heap. SIZE_MAX if there is no such rank, or
 * the name is not in its heap. */
size_t uat_park_heap_offset(uint64_t name);

/* Is name, (rank << 48) | address, the name of a block in that rank's evacuation heap with room for `bytes` bytes? A
 * peer may have written it. */
bool uat_park_is_block(uint64_t name, size_t bytes);

/* Is name the name of a waiter? A waiter's name is the name of a block, or of a select waiter's entry, which lies in a
 * block. */
bool uat_park_is_header(uint64_t name);

/* Is name, which should be the name of an object, the address after the header of a block? */
bool uat_park_is_object(uint64_t name);

/* Is [sp, base) a stack of the uni-address region? */
static inline bool uat_park_is_stack(uint64_t sp, uint64_t base)
{
    return sp >= uat_segment.low && sp < base && base <= uat_segment.high && (sp | base) % 8 == 0;
}

/* Does the task name a stack of the region, and a block with room for this stack? A file or a peer may have written
 * it. */
static inline bool uat_park_is_whole(const struct uat_ready_task *task)
{
    return uat_park_is_stack(task->sp, task->base) &&
           uat_park_is_block(task->where & ~UAT_READY_CHAIN, task->base - task->sp);
}

/* The header of a block with a waiting stack. */
struct uat_parked {
    uint64_t returned; /* as in struct uat_block */
    uint64_t next;     /* name of the next waiter, or the link that inbox.h describes. The next waiter's worker WRITEs
                        * the name under the object's guard */
    /* The local CPU writes this field and those below before any peer knows the block; `settled` is the exception. */
    uint64_t sp, base;
    uint64_t reply; /* where in this block the answer goes: a status word, then a value; or struct uat_park's tag */
    /* Only a FETCH_ADD of 0 accesses this word. Its completion proves that the preceding WRITE has arrived. */
    uint64_t settled;
    uint64_t object; /* what the task waits for; checked when the task is dequeued, and named in messages */
    uint32_t kind;   /* enum uat_park_kind, for messages and checkpoints */
    uint32_t holder; /* rank + 1 of the mutex's holder when the task began to wait, for messages */
};
_Static_assert(sizeof(struct uat_parked) == UAT_READY_STACK, "the header of a block");
_Static_assert(offsetof(struct uat_parked, next) == UAT_INBOX_NODE + offsetof(struct uat_inbox_node, next) &&
                   offsetof(struct uat_parked, sp) == UAT_INBOX_NODE + offsetof(struct uat_inbox_node, sp) &&
                   offsetof(struct uat_parked, base) == UAT_INBOX_NODE + offsetof(struct uat_inbox_node, base) &&
                   offsetof(struct uat_parked, reply) == UAT_INBOX_NODE + offsetof(struct uat_inbox_node, tag),
               "what the home of an inbox READs");

#endif
