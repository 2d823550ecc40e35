/* SPDX-License-Identifier: MIT */
#include "runtime/sched/join.h"

#include <string.h>

#include "base/delay.h"
#include "base/log.h"
#include "base/relax.h"
#include "base/virtual.h"
#include "base/word.h"
#include "runtime/global/global.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/alone.h"
#include "runtime/task/stacks.h"
#include "runtime/sched/chains.h"
#include "runtime/task/exception.h"
#include "runtime/sched/failure.h"
#include "runtime/task/fork.h"
#include "runtime/task/group.h"
#include "runtime/sched/meet.h"
#include "runtime/task/modes.h"
#include "runtime/task/sanitize.h"
#include "runtime/sched/sleep.h"
#include "runtime/sched/spawn.h"
#include "runtime/sched/stop.h"
#include "runtime/sched/park.h"
#include "runtime/task/views_left.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"

enum {
    WATCH_EVERY = 64,            /* polls of the record between two calls of the watch */
    LEAVE_AT_ONCE_MAX = 16 << 10 /* bytes: copying a stack up to this size takes less time than a round trip */
};

void uat_join_check_waiter(const struct uat_waiter *waiter, int rank)
{
    if (!uat_park_is_stack(waiter->sp, waiter->base) ||
        (uat_stacks && waiter->base != uat_deque_base_of(&uat_worker.deque, waiter->sp))) {
        bool begins = waiter->sp >= uat_segment.low && waiter->sp < uat_segment.high && waiter->sp % 8 == 0;
        uat_word_refuse(rank, "the stack of the waiter in a join record", begins ? waiter->base : waiter->sp);
    }
    if (waiter->rank >= (uint64_t)uat_self.size && !uat_ghosts_has(waiter->rank))
        uat_word_refuse(rank, "the rank of the waiter in a join record", waiter->rank);
    if (uat_stacks) /* the joiner waits where it is, not in a block */
        return;
    if (waiter->block >> 48 || !uat_park_is_block(waiter->rank << 48 | waiter->block, waiter->base - waiter->sp))
        uat_word_refuse(rank, "the block of the waiter in a join record", waiter->block);
}

static void give_record_back(uint64_t name)
{
    uat_keeper_give_back(uat_record_rank(name), &uat_record_address(name)->returned);
}

void uat_join_settle(uat_task_t *task, uint64_t name, uintptr_t base)
{
    uat_group_t *group = uat_group_of(task);
    if (!group && !uat_failing.yes) /* a failed task stays failed, and gets no result */
        memcpy(task->result, uat_met()->result, task->size);
    uat_frame_at(base)->pending -= group ? uat_group_clear(group) : 1;
    task->record = 0;
    task->size = uat_met()->views; /* for uat_join_wait() */
    if (task->size)
        uat_views_empty_list(name, task->size);
    give_record_back(name);
}

/* Bring the joiner's stack back to its addresses, and store the child's result where the joiner wants it. */
static uintptr_t resume_joiner(const struct uat_waiter *waiter, uint64_t record, uat_task_t *task)
{
    size_t bytes = waiter->base - waiter->sp;
    uat_join_check_waiter(waiter, uat_record_rank(record));
    uint64_t begin = uat_trace_begin();
    struct uat_located home = uat_locate((int)waiter->rank, waiter->block);
    struct uat_block *block = (struct uat_block *)home.address;
    struct uat_op op = uat_op_read((void *)waiter->sp, uat_block_stack(block), bytes);
    uat_check(uat_transport_do(uat_self.transport, home.rank, &op, 1));
    /* The joiner's stack has overwritten the ended child's frame. All that is needed from that frame was copied
     * before. */
    if (uat_deque_size(&uat_worker.deque) == 0 || uat_deque_base(&uat_worker.deque) != waiter->base)
        uat_deque_push_gone(&uat_worker.deque, waiter->base);
    uat_sanitize_unpoison(waiter->sp, waiter->base);
    uat_join_settle(task, record, waiter->base);
    uat_keeper_give_back(home.rank, &block->returned);
    uat_task_counts.resumed_bytes += bytes;
    uat_trace_end(UAT_TRACE_RESUME, begin, bytes, home.rank);
    if (home.rank != uat_self.rank)
        uat_task_counts.resumes_away++;
    /* Other children of a group may have ended on other workers, so an ACQUIRE is due even if the stack was here. */
    if (home.rank != uat_self.rank || (record & UAT_RECORD_GROUP) != 0)
        uat_global_after_resume();
    return waiter->sp;
}

uintptr_t uat_join_child_ended(uintptr_t base)
{
    struct uat_frame *frame = uat_frame_at(base);
    uat_task_t *task = frame->task;
    uint64_t name = frame->record;
    bool in_group = name & UAT_RECORD_GROUP;
    if (in_group)
        uat_failure_refuse("a child of a group");
    uat_meet_check_result(name, in_group ? 0 : frame->result_size);
    uat_global_before_end();
    uat_views_leave(name, in_group ? frame->result_size : 0);
    bool resumes = in_group ? uat_meet_child_of_group(&name, frame->result_size)
                            : uat_meet_child(name, uat_frame_result(frame), frame->result_size);
    if (!resumes) {
        uat_task_counts.ends_first++;
        if (uat_failing.yes)
            uat_failure_take(NULL);
        return 0;
    }
    struct uat_waiter waiter = uat_met()->waiter;
    if (waiter.rank == UAT_WAITER_FLOW) { /* uat_join_defer() arrived first */
        uint64_t views = uat_met()->views;
        if (views)
            uat_views_empty_list(name, views);
        give_record_back(name);
        uat_alone_child_ended(waiter.block, views);
        return 0;
    }
    uat_task_counts.ends_second++;
    if (uat_failing.yes)
        uat_failure_settle(name, false);
    return uat_stacks ? uat_stacks->resume(&waiter, name, task) : resume_joiner(&waiter, name, task);
}

/* Complete a join in place. The child has ended, its result was READ, and the task at base continues here. */
static void finish_join(uat_task_t *task, uint64_t name, uintptr_t base)
{
    if (!uat_group_of(task) && (uat_met()->old & UAT_RECORD_FAILED) != 0)
        uat_failure_settle(name, true);
    uat_join_settle(task, name, base);
    uat_global_after_join();
    uat_task_counts.joins_second++;
}

/* Report a full heap, once. */
static void report_full_heap(size_t bytes)
{
    static bool said;
    if (!said && uat_self.size > 1) /* otherwise refuse_in_place() follows */
        uat_warn("UAT_HEAP_SIZE=%zuk leaves no room for a waiting stack of %zu bytes, so joins wait in place, "
                 "and their workers run no other tasks meanwhile; set it to %zuk or more to avoid this",
                 uat_segment.heap_size >> 10, bytes, uat_heap_advice(bytes));
    said = true;
}

/* Copy the stack [sp, base) out of the region, for the worker that will resume it. Returns NULL if the heap is full. */
static struct uat_block *evacuate(uintptr_t sp, uintptr_t base)
{
    uint64_t begin = uat_trace_begin();
    struct uat_block *block = uat_heap_get(&uat_heap, base - sp);
    if (!block) {
        report_full_heap(base - sp);
        return NULL;
    }
    uat_sanitize_unpoison(sp, base);
    memcpy(uat_block_stack(block), (void *)sp, base - sp);
    uat_copied(base - sp);
    ((struct uat_parked *)block)->kind = UAT_PARK_JOIN;
    ((struct uat_parked *)block)->object = 0;
    uat_task_counts.evacuations++;
    uat_task_counts.evacuated_bytes += base - sp;
    uat_trace_end(UAT_TRACE_EVACUATE, begin, base - sp, -1);
    return block;
}

/*
 * Wait in place if there is no room to evacuate the joiner. The child can end without this worker. The deque here holds
 * only the joiner's ancestors, and this worker goes on offering them, because the child may wait for an event of one of
 * them. Other workers can fetch the stacks evacuated here, and those of tasks that sleep here once this worker has
 * woken them. Workers that wait in place cannot form a cycle, because each waits for a task further down the tree.
 * stop: called if this worker must stop.
 */
static void wait_in_place(const uat_group_t *group, uint64_t name, void (*stop)(void))
{
    struct uat_relax relax = {0};
    while (!uat_meet_asks(group, name)) {
        uat_chains_check_wait();
        if (uat_stop_on && uat_stop_ordered())
            (uat_failing.yes ? uat_stop_refuse : stop)();
        uat_relax_away(&relax);
        if (uat_sleep_any()) /* perhaps the child, or a task for which it waits; another worker will run it */
            uat_sleep_wake();
        if (!uat_deque_offer(&uat_worker.deque))
            uat_deque_refuse(&uat_worker.deque);
        if (relax.spins % WATCH_EVERY == 0)
            uat_stall_child(uat_record_rank(name));
    }
    uat_stall_over();
}

/* Stop this worker while its suspended task waits in place. The task joins again when it continues. */
static void stop_joiner(void)
{
    uat_stop_worker(uat_worker.suspended_sp, uat_worker.suspended_task);
}

/*
 * Should a joiner with the stack [sp, base) first ask whether its child has ended, and be evacuated only if not?
 * Copying a small stack costs less than the round trip of the question. But asking is worthwhile while writes to global
 * memory are pending: before an evacuation, they must be written back.
 */
static bool asks_first(uintptr_t sp, uintptr_t base)
{
    const bool *unreleased = uat_global_unreleased();
    return uat_delay_choice(base - sp > LEAVE_AT_ONCE_MAX || (unreleased && *unreleased));
}

/* Ends the job unless the task whose segment is [sp, base) may join this child: the task must be the child's
 * spawner. */
static void check_joiner(uintptr_t sp, uintptr_t base, const uat_task_t *task)
{
    uat_task_check_stack(sp, "uat_join()");
    uat_stacks_check(sp, uat_worker.deque.top[-1]);
    bool is_own = (uintptr_t)task >= sp && (uintptr_t)task < base;
    if (task->record & UAT_RECORD_GROUP) {
        if (!is_own)
            uat_fatal(
                "uat_group_wait() was given a group at %p, which is not in the calling task's own frames; only the "
                "task that began a group may wait for it",
                (const void *)task);
        uat_group_record((uat_task_t *)task);
    }
    if (!is_own)
        uat_fatal("uat_join() was given a handle at %p, which is not in the calling task's own frames; only the task "
                  "that spawned a child may join it",
                  (const void *)task);
    if (uat_frame_at(base)->pending == 0)
        uat_fatal("uat_join() of a child that the task has not spawned or has joined already; every child is joined "
                  "once, by the task that spawned it");
    uat_exception_check("uat_join()");
}

/* Ends the job if its only worker would have to wait in place: nobody could run the child. bytes: of the stack. */
static void refuse_in_place(const uat_group_t *group, uint64_t name, size_t bytes)
{
    if (uat_self.size == 1 && !uat_meet_asks(group, name))
        uat_fatal(
            "a task joins a child that waits, and no other worker can run the child, but UAT_HEAP_SIZE=%zuk has no "
            "room for the task's stack of %zu bytes, or no join record is free; set UAT_HEAP_SIZE or UAT_RECORDS "
            "to more, or start more workers",
            uat_segment.heap_size >> 10, bytes);
}

uintptr_t uat_join_wait_at(uintptr_t sp, uintptr_t base)
{
    uat_task_t *task = uat_worker.suspended_task;
    check_joiner(sp, base, task);
    uat_fork_check();
    uat_modes_check();
    uint64_t name = task->record;
    const uat_group_t *group = uat_group_of(task);
    uat_meet_check_result(name, task->size);
    uat_global_refuse_open("at a join");
    struct uat_block *block = NULL;
    bool has_ended = asks_first(sp, base) && uat_meet_asks(group, name);
    /* The deque may hold private spawners below a task that has waited. These spawners part from this task before its
     * stack is copied. */
    uintptr_t parted = 0;
    bool moves = !uat_stacks; /* otherwise a joiner waits where it is */
    if (!has_ended && (uat_park_part_next(&parted) == UAT_PARK_NO_RECORD || (moves && !(block = evacuate(sp, base))))) {
        uat_park_unpart(parted); /* do this now, so that no checkpoint records them as parted */
        parted = 0;
        refuse_in_place(group, name, base - sp);
        wait_in_place(group, name, stop_joiner);
        has_ended = true;
    }
    if (has_ended) {
        uat_meet_second(group, name, task->size);
        finish_join(task, name, base);
        uat_park_unpart(parted);
        return sp;
    }
    uat_global_before_wait();
    const struct uat_waiter self = {.rank = (uint64_t)uat_self.rank, .block = (uintptr_t)block, .sp = sp, .base = base};
    if (!uat_meet_joiner(group, name, &self, task->size)) {
        uat_task_counts.joins_first++;
        return 0;
    }
    /* The child added to the record before the joiner did, so the child never learns of the block. The stack is still
     * in place. */
    if (block)
        uat_heap_put(&uat_heap, block);
    uat_task_counts.joins_raced++;
    finish_join(task, name, base);
    uat_park_unpart(parted);
    return sp;
}

bool uat_join_defer(uat_task_t *task, uint64_t entry)
{
    uintptr_t base = uat_stacks_running_base();
    uint64_t name = task->record;
    const struct uat_waiter nobody = {.rank = UAT_WAITER_FLOW, .block = entry};
    if (!uat_meet_joiner(NULL, name, &nobody, 0)) {
        uat_frame_at(base)->pending--;
        *task = (uat_task_t){0};
        return true;
    }
    finish_join(task, name, base);
    if (task->size != 0)
        uat_views_take_left(task->size);
    return false;
}

void uat_join_in_place(uat_task_t *task)
{
    const uat_group_t *group = uat_group_of(task);
    uintptr_t base = uat_stacks_running_base();
    uint64_t name = task->record;
    uat_meet_check_result(name, task->size);
    uat_global_refuse_open("at a join");
    uat_deque_offer(&uat_worker.deque); /* other workers may need the continuations that wait here */
    if (uat_self.size == 1 && !uat_meet_asks(group, name))
        uat_fatal("an exception unwinds a task while its child waits, and no other worker can run the child; join the "
                  "child before the exception leaves the block where the child was spawned");
    wait_in_place(group, name, uat_stop_refuse); /* an exception in flight cannot migrate */
    uat_meet_second(group, name, task->size);
    finish_join(task, name, base);
    if (task->size)
        uat_views_take_left(task->size);
    if (uat_failing.yes)
        uat_failure_take(NULL);
}
