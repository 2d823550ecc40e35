/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of uat_spawn(). spawn.S calls them on the task's stack. uat_task_pushed() may return on another
 * worker, if this one leaves the crew. All others return on the worker that called them, or do not return.
 */
#include "runtime/global/global.h"
#include "runtime/sched/spawn.h"

#include <inttypes.h>

#include "asm/switch.h"
#include "base/virtual.h"
#include "include/uat/pattern.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"
#include "runtime/job/crew.h"
#include "runtime/job/self.h"
#include "runtime/task/stacks.h"
#include "runtime/task/exception.h"
#include "runtime/sched/failure.h"
#include "runtime/task/fork.h"
#include "runtime/task/group.h"
#include "runtime/task/keeper.h"
#include "runtime/task/modes.h"
#include "runtime/sched/sleep.h"
#include "runtime/sched/stop.h"
#include "runtime/sched/watch.h"
#include "runtime/torture/torture.h"
#include "runtime/task/worker.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/neighbour.h"

enum { LOOK_PUSHES = 1024 /* pushes by the slow path between two looks at the neighbour */ };

/* A stack pointer farther than this many bytes below the region has another cause than an overflow of the stacks. */
#define OVERFLOW_MAX (UINT64_C(64) << 30)

void uat_task_check_stack(uintptr_t sp, const char *call)
{
    if (__builtin_expect(sp >= uat_segment.low && sp <= uat_segment.high, 1))
        return;
    if (sp < uat_segment.low && uat_segment.low - sp < OVERFLOW_MAX) {
        uat_fault_report_overflow(sp);
        uat_fatal_reported();
    }
    uat_fatal(
        "%s was called on a stack that is not the task's, at %p: from another thread or a signal handler; only the "
        "task's own thread may spawn and join",
        call, (void *)sp);
}

bool uat_spawn_part(void *context, uintptr_t sp)
{
    (void)context;
    uat_task_check_stack(sp, "uat_spawn()");
    struct uat_frame *child = uat_stacks_child(sp);
    uat_task_t *task = child->task; /* both frames are here, and both get the record's name */
    uint64_t name = uat_group_record(task);
    if (!name) {
        struct uat_record *record = uat_record_get(&uat_records);
        if (!record)
            return false;
        name = uat_record_name(uat_self.rank, record);
    }
    child->record = task->record = uat_group_keep(task, name);
    task->size = child->result_size;
    /* a child of a group has no result: this field holds the child's index in the group, for its views */
    if (uat_group_of(task))
        child->result_size = (uint32_t)uat_group_of(task)->parted;
    return true;
}

void uat_spawn_unpart(uintptr_t sp)
{
    struct uat_frame *child = uat_stacks_child(sp);
    uint64_t name = child->record;
    if (uat_group_of(child->task))
        child->result_size = 0;
    if (!uat_group_forget(child->task)) {
    } else if (uat_record_owner(name) == uat_self.rank) {
        uat_record_put(&uat_records, uat_record_address(name));
    } else { /* the continuation is from a chain of a ghost */
        uat_keeper_give_back(uat_record_rank(name), &uat_record_address(name)->returned);
    }
    child->task->record = 0;
}

static _Noreturn void refuse_outside(void)
{
    uat_fatal("uat_spawn() was called outside of a task; only the root of uat_run() and its descendants may spawn");
}

/* Check that the child's handle is in the frames of its spawner, whose continuation is at sp. The handle must migrate
 * with the spawner. */
static void check_handle(uintptr_t sp)
{
    uintptr_t handle = (uintptr_t)uat_frame_at(sp)->task;
    uintptr_t base = uat_deque_entry_base(&uat_worker.deque, uat_deque_size(&uat_worker.deque) - 1);
    if (handle < sp || handle >= base)
        uat_fatal("uat_spawn() was given a handle at %p, which is not in the calling task's own frames; it could not "
                  "migrate with the task",
                  (void *)handle);
}

/* While a thief's claim is not acknowledged, every push takes the slow path. The thief may be this worker's neighbour,
 * and may have been stopped. Under some protocols no other thief can steal here meanwhile, so this worker may have work
 * for hours. So it looks at its neighbour here, although it is not idle. */
static void refill(void)
{
    static unsigned pushes;
    if (++pushes % LOOK_PUSHES == 0 && !uat_stacks) /* the stack of another mode may have no room for a look */
        uat_neighbour_look();
    uat_deque_refill(&uat_worker.deque);
}

/* The slow path after the continuation at sp was pushed. [low, sp) holds the child's frame, result and argument.
 * Returns the base of the child's stack: see uat_stacks_enter(). */
uintptr_t uat_task_pushed(uintptr_t sp, uintptr_t low)
{
    if (!uat_worker.running)
        refuse_outside();
    uat_task_check_stack(sp, "uat_spawn()");
    uat_stacks_check(sp, uat_worker.deque.top[-2]); /* the youngest entry is the one just pushed */
    check_handle(sp);
    uat_exception_check("uat_spawn()");
    uat_fork_check();
    uat_global_refuse_open("at a spawn");
    uintptr_t base = uat_stacks_enter(sp, low); /* before thieves can see the entry */
    if (!uat_stacks || uat_torture_on || UAT_IS_VIRTUAL() || uat_deque_push_is_due(&uat_worker.deque))
        refill();
    if (UAT_IS_VIRTUAL())
        uat_virtual->task();
    if (uat_torture_on) {
        uat_modes_check();
        uat_torture_pushed(sp);
        if (uat_torture_asks())
            uat_stop_ask(false);
    }
    if (uat_sleep_any())
        uat_sleep_wake();
    bool postponed = uat_stop_postponed;
    uat_stop_postponed = false;
    if (!postponed && uat_stop_wanted())
        uat_stop_task();
    uat_watch_end_if_back();
    if (!postponed)
        uat_crew_look(); /* may continue on another worker: use nothing of this process below */
    return base;
}

int uat_work_wanted(void)
{
    if (uat_fork_is_child) /* its deque is a copy of its parent's */
        return 0;
    if (uat_crew_leaves()) /* the caller is handed over at its next spawn */
        uat_watch_begin();
    if (uat_stop_wanted() || uat_stop_crew_watched) /* or it stops there */
        return 1;
    if (uat_self.size == 1)
        return 0;
    if (uat_sleep_any())
        uat_sleep_wake();
    /* An offer may release written data. While ranges are checked out, no release is allowed. */
    return uat_global_has_open() ? uat_deque_is_drained(&uat_worker.deque) : !uat_deque_offer(&uat_worker.deque);
}

static void refuse_children(const struct uat_frame *frame)
{
    if (frame->pending > 0)
        uat_fatal("a task has ended with %u children that it never joined; every uat_spawn() needs its uat_join(), "
                  "every group its uat_group_wait(), and every flow its uat_flow_end()",
                  frame->pending);
}

/* The task has failed. Its spawner is here, because it was just popped. They part as if the spawner had been stolen, so
 * that the join takes the slow path. */
static void end_failed(const struct uat_frame *frame, uintptr_t spawner)
{
    if (uat_group_of(frame->task))
        uat_failure_refuse("a child of a group");
    if (frame->task->record == 0 && !uat_spawn_part(NULL, spawner))
        uat_fatal("no join record is free for a task that an exception has left (%s: %s); set UAT_RECORDS to more than "
                  "%" PRIu64,
                  uat_failing.failure.type, uat_failing.failure.what, uat_segment_settings.records);
    uat_frame_at(uat_deque_base_of(&uat_worker.deque, spawner))->pending++;
    uat_failure_leave(frame->record);
}

/*
 * The slow path of a task's end. The task whose segment begins at sp has returned. Its deque entry may no longer be
 * private. If the spawner's continuation is still here, returns its stack pointer; the child's frame and result lie
 * below it. Otherwise switches to the scheduler, which sees the ended task as the suspended task.
 */
uintptr_t uat_task_returned(uintptr_t sp)
{
    uat_task_check_stack(sp, "uat_spawn()");
    struct uat_frame *frame = uat_frame_at(sp);
    uat_stacks_check(sp, uat_worker.deque.top[-1]);
    uat_fork_check();
    refuse_children(frame);
    uat_global_refuse_open("at the end of a task");
    if (uat_stop_wanted()) {
        /* the spawner may be in a catch block, where its spawn took the fast path */
        uat_exception_check("uat_spawn()");
        uat_stop_task();
    }
    if (uat_torture_on)
        uat_torture_returned(sp);
    uintptr_t popped;
    if (uat_stacks && !UAT_IS_VIRTUAL() && !uat_failing.yes && uat_deque_pop_unseen(&uat_worker.deque, &popped))
        return uat_stacks_leave(sp, popped);
    enum uat_pop pop = uat_deque_pop(&uat_worker.deque, &popped);
    if (uat_crew_leaves()) /* the pop may have taken the poke of uat_resize() */
        uat_watch_begin();
    if (pop != UAT_POP_GONE && uat_failing.yes) {
        end_failed(frame, popped);
        return uat_stacks_leave(sp, popped);
    }
    if (pop == UAT_POP_PRIVATE)
        return uat_stacks_leave(sp, popped);
    if (pop == UAT_POP_PARTED) { /* child and spawner are still together */
        uat_spawn_unpart(popped);
        return uat_stacks_leave(sp, popped);
    }
    uat_modes_check(); /* the continuation was stolen, and does not carry this worker's modes */
    uat_worker.suspended_sp = sp;
    uat_leave();
}

/* Called before a large argument is copied below sp. Ends the job if the caller is no task, if the result is too large,
 * or if the argument does not fit below sp. */
void uat_task_check(uintptr_t sp, size_t arg_size, size_t result_size)
{
    if (!uat_worker.running)
        refuse_outside();
    uat_task_check_stack(sp, "uat_spawn()");
    if (result_size > UAT_RESULT_MAX_MAX)
        uat_fatal("a result of %zu bytes is too large: UAT_RESULT_MAX=%zu, and it can be at most %zu", result_size,
                  uat_segment.result_max, (size_t)UAT_RESULT_MAX_MAX);
    if (result_size > uat_segment.result_max)
        uat_fatal("a result of %zu bytes is larger than UAT_RESULT_MAX=%zu; set it to %zu or more", result_size,
                  uat_segment.result_max, (result_size + 7) / 8 * 8);
    uat_stacks_check_room(sp, arg_size, "an argument");
    if (arg_size > sp - uat_segment.low)
        uat_fatal("an argument of %zu bytes does not fit on the task stacks, UAT_STACK_SIZE=%zu; set it to %zu or more",
                  arg_size, uat_segment_region_size(), uat_segment_region_size() + arg_size);
}
