/* SPDX-License-Identifier: MIT */
#include "runtime/task/park.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "asm/switch.h"
#include "base/log.h"
#include "global/global.h"
#include "runtime/memory/frame.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/record.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/counts.h"
#include "runtime/task/deadlock.h"
#include "runtime/task/exception.h"
#include "runtime/task/sanitize.h"
#include "runtime/task/spawn.h"
#include "runtime/task/steal.h"
#include "runtime/task/torture.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/watch/die.h"

enum { LIST_ROOM = 64, LOOK_EVERY = 16 /* attempts at ready rings before any was seen, one in so many */ };

struct uat_parking uat_parking;

int uat_park_open(void)
{
    const struct uat_ready_parts parts = {
        .ring = uat_segment.ready, .landing = uat_segment.ready_landing, .low = uat_segment.low};
    int rc = uat_ready_open(&uat_parking.ready, uat_self.transport, &parts, LIST_ROOM);
    if (rc)
        uat_error("no memory for the list of ready tasks");
    uat_self.near_first = (uint64_t)uat_self.rank << 48 | (uintptr_t)uat_segment.heap;
    uat_self.near_size = uat_self.transport->cpu_atomics ? uat_segment.heap_size : 0;
    return rc;
}

void uat_park_close(void)
{
    uat_self.near_size = 0;
    uat_ready_close(&uat_parking.ready);
}

const struct uat_park_counts *uat_park_counted(void)
{
    return &uat_parking.count;
}

void uat_park_check(const struct uat_park *wait)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!uat_worker.running || here < uat_segment.low || here >= uat_segment.high)
        uat_die("a wait for %s was called outside of a task; only the root of uat_run() and its descendants may wait",
                uat_deadlock_name(wait->kind));
    uat_global_refuse_open("at a call that waits");
}

uintptr_t uat_park_part_next(void)
{
    uintptr_t sp = uat_deque_next_private(&uat_worker.deque);
    if (!sp)
        return 0;
    if (uat_torture_on) /* the spawner's stack may have been moved away; its handle is written to */
        uat_torture_returned(sp);
    if (uat_spawn_part(NULL, sp))
        return sp;
    if (uat_worker.deque.user.keep_private)
        uat_torture_pushed(sp);
    return 1;
}

void uat_park_unpart(uintptr_t sp)
{
    if (sp < 2)
        return;
    struct uat_frame *frame = uat_frame_at(sp);
    uat_record_put(&uat_records, uat_record_address(frame->record));
    frame->task->record = 0;
    if (uat_worker.deque.user.keep_private) /* as at the spawn, in the torture mode that moves spawners away */
        uat_torture_pushed(sp);
}

void uat_park_leave(uintptr_t sp, uintptr_t base, struct uat_park *wait)
{
    /* Before the stack is copied, for the record's name goes into the task's frame. */
    if (uat_park_part_next() == 1)
        uat_die("no join record is left for the spawner of a task that waits for %s; set UAT_RECORDS to more",
                uat_deadlock_name(wait->kind));
    uat_exception_check("a call that waits");
    uint64_t begin = uat_trace_begin();
    struct uat_block *block = uat_heap_get(&uat_heap, base - sp);
    if (!block)
        uat_die("UAT_HEAP_SIZE=%zuk leaves no room for a stack of %zu bytes that waits for %s; set it to %zuk or more",
                uat_segment.heap_size >> 10, (size_t)(base - sp), uat_deadlock_name(wait->kind),
                2 * ((base - sp > uat_segment.heap_size ? base - sp : uat_segment.heap_size) >> 10));
    char *stack = uat_block_stack(block);
    struct uat_parked *parked = (struct uat_parked *)block;
    uat_sanitize_forget(sp, base);
    memcpy(stack, (void *)sp, base - sp);
    parked->next = 0;
    parked->sp = sp;
    parked->base = base;
    parked->reply = wait->reply ? (uintptr_t)stack + ((uintptr_t)wait->reply - sp) : wait->tag;
    parked->object = wait->object;
    parked->kind = wait->kind;
    parked->holder = wait->holder;
    uat_task_counts.evacuations++;
    uat_task_counts.evacuated_bytes += base - sp;
    uat_parking.count.waits++;
    uat_parking.seen = true;
    uat_deadlock_count(wait->kind, 1);
    uat_trace_end(UAT_TRACE_EVACUATE, begin, base - sp, -1);
    uat_global_before_wait();
    /* No fence: what makes the name known is an operation of the transport, which orders our stores before it. */
    wait->park(wait, (uint64_t)uat_self.rank << 48 | (uintptr_t)block);
}

void uat_park_no_memory(void)
{
    uat_die("no memory for the list of %zu ready tasks", uat_parking.ready.count);
}

/* READ the stack to where it was born. */
static void fetch(const struct uat_ready_task *task)
{
    char *stack = uat_ready_block(task) + UAT_READY_STACK;
    size_t bytes = task->base - task->sp;
    if (uat_ready_rank(task) == uat_self.rank) {
        uat_sanitize_forget(task->sp, task->base);
        memcpy((void *)task->sp, stack, bytes);
        return;
    }
    struct uat_op op = uat_op_read((void *)task->sp, stack, bytes);
    uat_check(uat_transport_do(uat_self.transport, uat_ready_rank(task), &op, 1));
}

/* The stack is in place: its block goes back to its owner, the task stands on a base without a spawner. */
static uintptr_t settle(const struct uat_ready_task *task)
{
    struct uat_block *block = (struct uat_block *)(void *)uat_ready_block(task);
    if (uat_ready_rank(task) == uat_self.rank) {
        ((struct uat_parked *)block)->kind = UAT_PARK_NONE;
        uat_heap_put(&uat_heap, block);
    } else {
        struct uat_staging *staging = uat_segment.staging;
        staging->word = 1;
        struct uat_op op = uat_op_write(&staging->word, &block->returned, 8);
        uat_check(uat_transport_forget(uat_self.transport, uat_ready_rank(task), &op, 1));
    }
    uat_global_after_resume();
    uat_deque_push_gone(&uat_worker.deque, task->base);
    uat_task_counts.resumed_bytes += task->base - task->sp;
    uat_parking.count.resumed++;
    return task->sp;
}

uintptr_t uat_park_take_own(void)
{
    struct uat_ready_task task;
    if (!uat_check(uat_ready_take(&uat_parking.ready, &task)))
        return 0;
    uat_notice_begin(&uat_segment.control->notice);
    fetch(&task);
    return settle(&task);
}

uintptr_t uat_park_take_other(void)
{
    struct uat_ready_task task;
    bool fetched;
    unsigned trips;
    if (++uat_parking.attempts % (uat_parking.seen ? 2 : LOOK_EVERY) != 0)
        return 0;
    uint64_t begin = uat_trace_begin();
    int result = uat_check(uat_steal_ready(&uat_parking.ready, &task, &fetched, &trips));
    if (result != UAT_STEAL_DONE) {
        uat_parking.seen |= result == UAT_STEAL_LOST_RACE;
        return 0;
    }
    uat_parking.seen = true;
    uat_parking.count.stolen++;
    if (!fetched)
        fetch(&task);
    uat_trace_end(UAT_TRACE_RESUME, begin, task.base - task.sp, uat_ready_rank(&task));
    return settle(&task);
}

void uat_park_idle(unsigned failures)
{
    /* Claimed by others counts as gone: they have said that they have work before they claimed. */
    if (!uat_ready_any(&uat_parking.ready))
        uat_notice_end(&uat_segment.control->notice);
    uat_deadlock_look(failures);
}

void uat_park_describe(char *text, size_t size)
{
    const struct uat_heap *heap = &uat_heap;
    size_t length = 0;
    for (size_t i = 0; i < heap->loans.count && length < size; i++) {
        const struct uat_parked *p =
            (const struct uat_parked *)(void *)(heap->memory + (size_t)heap->loans.items[i] * UAT_HEAP_UNIT);
        /* Relaxed: the mark is looked at, nothing is done with the block. */
        if (__atomic_load_n(&p->returned, __ATOMIC_RELAXED) || p->kind == UAT_PARK_NONE || p->kind >= UAT_PARK_KINDS)
            continue;
        int n = snprintf(text + length, size - length, "%s%s", length ? ", " : "; waiting here: a task for ",
                         uat_deadlock_name((enum uat_park_kind)p->kind));
        if (p->object && n > 0 && length + (size_t)n < size)
            n += snprintf(text + length + (size_t)n, size - length - (size_t)n, " %" PRIx64 " of rank %d",
                          p->object & ((UINT64_C(1) << 48) - 1), (int)(p->object >> 48));
        length += n > 0 ? (size_t)n : 0;
    }
}
