/* SPDX-License-Identifier: MIT */
/*
 * Tasks that wait for an event. Such a task is evacuated and gets a name. When another task has made it ready, any idle
 * worker may resume it. join.h handles joiners that wait for their children.
 * runtime/task/parked.h has the block in which a waiting task's stack lies, and the task's name.
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
#include "runtime/task/keeper.h"
#include "runtime/task/parked.h"
#include "runtime/task/views.h"

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

/* Open and close this worker's inbox and the ring of its ready tasks. Open them after the transport. */
void uat_park_open(void);
void uat_park_close(void);

/* Forget all tasks that wait, sleep or are ready here. As `reset` of struct uat_room. */
void uat_park_reset(void);

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
