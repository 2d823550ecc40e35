/* SPDX-License-Identifier: MIT */
/*
 * Tasks that wait for an event. Such a task is evacuated and gets a name. When another task has made it ready, any idle
 * worker may resume it. join.h handles joiners that wait for their children.
 *
 * A waiting task's stack lies in a block of the evacuation heap of the worker where it began to wait. The block's
 * header holds all that is needed to wake the task. The task's name is (rank << 48) | address of the block.
 */
#ifndef UAT_PARK_H
#define UAT_PARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asm/offsets.h"
#include "asm/switch.h"
#include "deque/inbox.h"
#include "deque/ready.h"
#include "runtime/job/self.h"
#include "runtime/segment/ghost.h"
#include "runtime/segment/segment.h"
#include "runtime/sched/deadlock.h"
#include "runtime/sched/keeper.h"
#include "runtime/sched/park_kind.h"
#include "runtime/sched/views.h"

/* The number of ranks that names may carry: the workers, and the ghosts if the job was larger at its checkpoint. */
static inline int uat_park_names(void)
{
    return uat_ghosts.size > 0 ? uat_ghosts.names : uat_self.size;
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

/* The argument of uat_park() and uat_park_word(). The argument may be static: uat_park_leave() is the last to read it,
 * before any other task runs here. */
struct uat_park {
    enum uat_park_kind kind;
    uint64_t object; /* as in struct uat_parked */
    uint64_t *reply; /* in the task's frame: status word and room for a value, set by the waker; or NULL */
    uint64_t tag;    /* a word for the waker, if reply is NULL */
    uint32_t holder; /* as in struct uat_parked */
    /* Called on the scheduler's stack after the task's stack was evacuated. It makes `name` known to the workers that
     * can wake the task. From then on the task may run elsewhere; *wait stays in place until the call returns. */
    void (*park)(struct uat_park *wait, uint64_t name);
};
_Static_assert(offsetof(struct uat_park, reply) == UAT_PARK_REPLY, "asm/offsets.h");

/* Ends the job if the caller may not wait now. */
void uat_park_check(const struct uat_park *wait);

/* Wait; called by a task. Returns 0 once the task has been made ready and has resumed, perhaps in another process. This
 * function and its callers up to the public functions are inline, because each return on a resumed stack is
 * mispredicted. A tail call with a static wait is best: no function of the library then returns on that stack. */
static inline int uat_park(struct uat_park *wait)
{
    uat_park_check(wait);
    if (__builtin_expect(uat_views_bytes != 0, 0))
        return uat_views_suspend(wait);
    return uat_suspend(wait);
}

/* uat_park() with a reply of one word: see uat_suspend_word(). `wait` may be static, because it is not in the task's
 * frame and is unused once the task is resumed. The call must be the caller's last action, because the resumption
 * continues in the caller's caller. */
static inline int uat_park_word(struct uat_park *wait, uint64_t value, void *to)
{
    uat_park_check(wait);
    if (__builtin_expect(uat_views_bytes != 0, 0))
        return uat_views_suspend_word(wait, value, to);
    return uat_suspend_word(wait, value, to);
}

/* The scheduler's side of uat_park(): evacuate the task at sp. Ends the job if there is no room. */
void uat_park_leave(uintptr_t sp, uintptr_t base, struct uat_park *wait);

/* Can this worker evacuate a task of `bytes` bytes of stack now, and let its spawner part from it? */
bool uat_park_has_room(size_t bytes);

/* A function for struct uat_park.park: the task is ready at once. No other task knows its name and could wake it. */
void uat_park_at_once(struct uat_park *wait, uint64_t name);

enum uat_park_part {
    UAT_PARK_PARTED,
    UAT_PARK_NONE_TO_PART, /* there is no continuation, or it has parted already */
    UAT_PARK_NO_RECORD     /* no join record is free */
};

/* uat_park_part_next() lets the youngest continuation here part from its child, which is about to wait. *sp becomes the
 * continuation's stack pointer, or 0 if it did not part. If the child does not wait after all, uat_park_unpart() with
 * that *sp undoes the parting. */
enum uat_park_part uat_park_part_next(uintptr_t *sp);
void uat_park_unpart(uintptr_t sp);

/* A worker's state for waiting tasks. */
struct uat_parking {
    struct uat_ready ready;
    struct uat_inbox inbox;
    bool seen;         /* a task of this job has waited, so every second attempt peeks at ready rings */
    unsigned attempts; /* number of attempts to take a ready task of another worker */
};
extern struct uat_parking uat_parking __attribute__((visibility("hidden")));

/* Ends the job. */
_Noreturn void uat_park_no_memory(void);

/* Reserve the ring of ready tasks, the inbox and their landing places in the segment. */
void uat_park_reserve(void);

/* The words of ring and inbox that adapters update atomically. */
const uint64_t *uat_park_atomic(void);
uint64_t *uat_park_inbox(void);

/* Open and close this worker's inbox and the ring of its ready tasks. Open them after the transport. Returns 0 or
 * -ENOMEM, which has been reported. */
int uat_park_open(void);
void uat_park_close(void);

/* Append a task to this worker's ready tasks. Ends the job if there is no memory. */
static inline void uat_park_push(const struct uat_ready_task *task)
{
    struct uat_parking *p = &uat_parking;
    p->seen = true;
    if (uat_ready_push(&p->ready, task))
        uat_park_no_memory();
}

/* Make a waiting task ready. task->where names its block. */
static inline void uat_park_ready(const struct uat_ready_task *task, enum uat_park_kind kind)
{
    uat_deadlock_count(kind, -1);
    uat_park_push(task);
}

/* A function for struct uat_park.park: it sends the task to the worker whose uat_inbox_tag() is wait->tag. */
void uat_park_send(struct uat_park *wait, uint64_t name);

/* Like uat_park_ready(), but only this worker may resume the task. The task's block lies here, or the task was queued
 * under a guard. */
static inline void uat_park_ready_here(const struct uat_ready_task *task, enum uat_park_kind kind)
{
    struct uat_parking *p = &uat_parking;
    p->seen = true;
    uat_deadlock_count(kind, -1);
    if (uat_ready_push(&p->inbox.tasks, task))
        uat_park_no_memory();
}

/* Take a ready task: uat_park_take_own() of this worker, uat_park_take_other() of another worker. The region must be
 * empty. On success the task's stack is in the region, its base is pushed, and its stack pointer is returned. Returns 0
 * if there is none. */
uintptr_t uat_park_take_own(void);
/* Take a task that only this worker may resume, in the same way. Also wakes the tasks whose sleep is over. */
uintptr_t uat_park_take_sent(void);
uintptr_t uat_park_take_other(void);

/* Called when this worker is idle. Publishes that this worker has no work, unless a task is ready here. Rank 0 also
 * looks for a deadlock now and then, and ends the job if there is one. */
void uat_park_idle(unsigned failures);

/* Write to text which tasks wait here and for what. Called in a signal handler. */
void uat_park_describe(char *text, size_t size);

#endif
