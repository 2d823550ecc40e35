/* SPDX-License-Identifier: MIT */
/*
 * Iso-address stacks (UAT_STACKS=iso), for comparisons with uni-address. The region is divided into berths of
 * equal size. Each worker owns an equal share of them, at the same addresses in all workers. A task's stack lies
 * in a berth of the worker that spawned the task.
 *
 *   I1  A berth belongs to one live task of the job. It is free again after that task has ended: the task's last worker
 *       gives it back to its owner, as a join record is given back (uat_keeper_give_back()).
 *   I2  A stack moves from worker to worker, but never to another address. A joiner that waits stays where it is, and
 *       the worker on which its child ends READs it from there.
 *   I3  Frame, result and copied argument of a child lie at the top of its berth. Its spawner's stack pointer S is in
 *       another berth. The frame below S keeps `task`, and its word `record` holds the base of the child.
 *   I4  A worker has a canary in the top word of each berth whose top page it has touched. uat_berth_check() finds a
 *       stack that has overwritten the canary of the berth below, and a stack pointer that lies in another berth than
 *       the task's. It is called at each spawn, join, wait and end of a task. A function that jumps over the canary and
 *       has returned before the next of these calls is not found.
 *
 * With uni-address the functions below do nothing, or return what uni-address needs.
 */
#ifndef UAT_BERTH_H
#define UAT_BERTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sched/worker.h"
#include "runtime/segment/frame.h"

enum { UAT_BERTH_PAGE = 4096 /* bytes: the unit in which touched memory is counted */ };

/* Reserve the berths' marks in the segment. */
void uat_berth_reserve(void);

/* Open this worker's berths, after uat_segment_open() and uat_deque_open(). Returns 0, -EINVAL or -ENOMEM, which has
 * been reported. */
int uat_berth_open(void);
void uat_berth_close(void);

/* Take a berth. Returns the base of its stack. Ends the job if this worker has none left. */
uintptr_t uat_berth_take(void);

/* Free the berth of the task that has ended on this worker. */
void uat_berth_free(uintptr_t base);

/* A spawn: take a berth for the child of the continuation at sp, and copy [low, sp) to its top. Returns the child's
 * base. */
uintptr_t uat_berth_enter(uintptr_t sp, uintptr_t low);

/* The end of the task at `base` on the worker that has its spawner's continuation, at sp: copy frame and result below
 * sp, and free the berth. Returns sp. */
uintptr_t uat_berth_leave(uintptr_t base, uintptr_t sp);

/* The frame of the child that the continuation at sp has spawned. */
static inline struct uat_frame *uat_berth_child(uintptr_t sp)
{
    struct uat_frame *frame = uat_frame_at(sp);
    return uat_worker.deque.berth ? uat_frame_at(frame->record) : frame;
}

/* The base of the running task, which calls this function. */
static inline __attribute__((always_inline)) uintptr_t uat_berth_running_base(void)
{
    return uat_deque_base_of(&uat_worker.deque, (uintptr_t)__builtin_frame_address(0));
}

/* The stack [sp, base) has come to this worker: by a steal, or as a task that waited. */
void uat_berth_arrived(uintptr_t sp, uintptr_t base, bool steal);

/* End the job if the stack of the task whose stack pointer is sp has left its berth, or is about to. entry: the task's
 * deque entry, the youngest one while the task runs. */
void uat_berth_check(uintptr_t sp, uintptr_t entry);

/* End the job if `bytes` bytes do not fit below sp. what: for the message. */
void uat_berth_check_room(uintptr_t sp, size_t bytes, const char *what);

/* The number of pages of stacks that this worker has touched, as far as spawns, steals and joins show. */
uint64_t uat_berth_pages(void);

#endif
