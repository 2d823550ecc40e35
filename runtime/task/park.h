/* SPDX-License-Identifier: MIT */
/*
 * Tasks that wait for an event: they are evacuated, named, and resumed by whoever has nothing else to do once somebody
 * has made them ready. A joiner that waits for its child is not among them; see join.h.
 *
 * A waiting task is its stack in a block of the evacuation heap of the worker where it waited; the block's header says
 * all that is needed to wake it up. Its name is (rank << 48) | address of the block.
 */
#ifndef UAT_PARK_H
#define UAT_PARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asm/offsets.h"
#include "asm/switch.h"
#include "deque/ready.h"
#include "runtime/memory/segment.h"
#include "runtime/task/deadlock.h"
#include "runtime/task/park_kind.h"

/* The header of a block with a waiting stack. */
struct uat_parked {
    uint64_t returned; /* struct uat_block */
    uint64_t next;     /* name of the waiter behind this one; WRITE of that one's worker, under the object's guard */
    uint64_t sp, base; /* own CPU, before anybody knows the block; likewise the others */
    uint64_t reply; /* where, in this block, the answer goes: a status word, then a value; or struct uat_park's tag */
    uint64_t
        settled; /* adapter atomics only: a FETCH_ADD behind a WRITE, whose completion tells that the WRITE is there */
    uint64_t object; /* what the task waits for, for messages */
    uint32_t kind;   /* enum uat_park_kind, likewise */
    uint32_t holder; /* of a mutex, when the task began to wait: rank + 1; likewise */
};
_Static_assert((int)UAT_PARK_KINDS <= (int)UAT_PARK_KINDS_MAX, "room in struct uat_control");
_Static_assert(sizeof(struct uat_parked) == UAT_READY_STACK, "the header of a block");

/* The argument of uat_park() and uat_park_word(). uat_park_leave() reads it last, before anything else runs here: so it
 * may be static. */
struct uat_park {
    enum uat_park_kind kind;
    uint64_t object; /* for messages */
    uint64_t *
        reply; /* in the task's frame: status word, then room for a value; set by whoever wakes the task. May be NULL */
    uint64_t tag;    /* without reply: what the waker is to know, in its place */
    uint32_t holder; /* as in struct uat_parked */
    /* Called on the scheduler's stack once the task's own is out: makes name known to those who can wake it up. After
     * that the task may run elsewhere; *wait is still in place until the call returns. */
    void (*park)(struct uat_park *wait, uint64_t name);
};
_Static_assert(offsetof(struct uat_park, reply) == UAT_PARK_REPLY, "asm/offsets.h");

/* Ends the job if the caller may not wait now. */
void uat_park_check(const struct uat_park *wait);

/* From a task: wait. Returns 0 when the task was made ready and resumed, perhaps in another process. Inline, like all
 * between it and the public functions: each return on a stack that was resumed is mispredicted. Best a tail call, with
 * a static wait: then no function of the library returns on that stack at all. */
static inline int uat_park(struct uat_park *wait)
{
    uat_park_check(wait);
    return uat_suspend(wait);
}

/* The same with a reply of one word: see uat_suspend_word(). wait is not in the task's frame, nor needed when the task
 * is resumed: it may be static. Call it last of all: what is resumed then is the caller's caller. */
static inline int uat_park_word(struct uat_park *wait, uint64_t value, void *to)
{
    uat_park_check(wait);
    return uat_suspend_word(wait, value, to);
}

/* On the scheduler's side: the task at sp called uat_park(). Ends the job if there is no room to wait. */
void uat_park_leave(uintptr_t sp, uintptr_t base, struct uat_park *wait);

/* The youngest continuation here and its child may part from now on, for the child will wait. Its stack pointer; 0:
 * there is none, or it has parted before; 1: no join record is free. And the reverse, if the child does not wait after
 * all. */
uintptr_t uat_park_part_next(void);
void uat_park_unpart(uintptr_t sp);

/* Tasks made ready here, resumed here, and taken from others. */
struct uat_park_counts {
    uint64_t waits, readied, resumed, stolen;
};
const struct uat_park_counts *uat_park_counted(void);

/* What a worker knows of tasks that wait. */
struct uat_parking {
    struct uat_ready ready;
    struct uat_park_counts count;
    bool seen;         /* tasks of this job do wait: look at ready rings as often as at deques */
    unsigned attempts; /* to take from others */
};
extern struct uat_parking uat_parking __attribute__((visibility("hidden")));

/* Ends the job. */
_Noreturn void uat_park_no_memory(void);

/*
 * The ready tasks of this worker. Opened after the transport; uat_ready_area is the segment's. 0 or -ENOMEM, reported.
 */
int uat_park_open(void);
void uat_park_close(void);

/* A task that waited has been made ready. task->where names its block. Ends the job without memory. */
static inline void uat_park_ready(const struct uat_ready_task *task, enum uat_park_kind kind)
{
    struct uat_parking *p = &uat_parking;
    p->count.readied++;
    p->seen = true;
    uat_deadlock_count(kind, -1);
    if (uat_ready_push(&p->ready, task))
        uat_park_no_memory();
}

/* Take a ready task, of this worker or, if there is none, of another one. The region must be empty; then the task's
 * stack is in it, its base pushed, and its sp returned. 0: none. */
uintptr_t uat_park_take_own(void);
uintptr_t uat_park_take_other(void);

/* Nothing is ready here: say so to rank 0, which now and then looks whether all workers say so. Ends the job then. */
void uat_park_idle(unsigned failures);

/* Append to text who waits here for what, in a signal handler. */
void uat_park_describe(char *text, size_t size);

#endif
