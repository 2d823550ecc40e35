/* SPDX-License-Identifier: MIT */
#include "runtime/sched/park.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/kernel.h"
#include "base/virtual.h"
#include "base/word.h"
#include "runtime/global/global.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/deadlock.h"
#include "runtime/sched/alone.h"
#include "runtime/task/stacks.h"
#include "runtime/sched/chains.h"
#include "runtime/task/exception.h"
#include "runtime/task/modes.h"
#include "runtime/task/sanitize.h"
#include "runtime/sched/sleep.h"
#include "runtime/sched/spawn.h"
#include "runtime/sched/steal.h"
#include "runtime/torture/torture.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/job/crew.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"

enum { LOOK_EVERY = 16 /* until a ready task was seen, 1 attempt in 16 looks at ready rings */ };

struct uat_parking uat_parking;

static struct uat_area ring = {.name = "ready tasks",
                               .size = sizeof(struct uat_ready_ring),
                               .align = _Alignof(struct uat_ready_ring),
                               .peers = UAT_PEERS_CHANGE,
                               .striped = true};
static struct uat_area landing = {.name = "landing of ready tasks",
                                  .size = sizeof(struct uat_ready_landing),
                                  .align = _Alignof(struct uat_ready_landing),
                                  .peers = UAT_PEERS_NOTHING};
static struct uat_area inbox = {.name = "inbox", .size = sizeof(uint64_t), .peers = UAT_PEERS_CHANGE, .striped = true};
static struct uat_area inbox_landing = {
    .name = "landing of the inbox", .size = sizeof(struct uat_inbox_landing), .peers = UAT_PEERS_NOTHING};

void uat_park_reserve(void)
{
    uat_segment_reserve(&ring);
    uat_segment_reserve(&landing);
    uat_segment_reserve(&inbox);
    uat_segment_reserve(&inbox_landing);
    uat_deadlock_reserve();
}

const uint64_t *uat_park_atomic(void)
{
    return &((const struct uat_ready_ring *)ring.at)->claims;
}

uint64_t *uat_park_inbox(void)
{
    return inbox.at;
}

static void push(const struct uat_ready_task *task)
{
    uat_park_push(task);
}

void uat_park_open(void)
{
    struct uat_parking *p = &uat_parking;
    const struct uat_ready_parts parts = {
        .ring = ring.at, .landing = landing.at, .low = uat_segment.low, .is_block = uat_park_is_block};
    *p = (struct uat_parking){.inbox = {.transport = uat_self.transport,
                                        .head = inbox.at,
                                        .landing = inbox_landing.at,
                                        .notice = uat_stall_notice(),
                                        .colours = uat_segment.colours,
                                        .is_block = uat_park_is_block,
                                        .blocks_max = uat_park_blocks_max()}};
    uat_ready_open(&p->ready, uat_self.transport, &parts);
    uat_inbox_open(&p->inbox);
    uat_sleepers.push = push;
    uat_self.near_first = (uint64_t)uat_self.rank << 48 | (uintptr_t)uat_segment.heap;
    uat_self.near_size = uat_self.transport->cpu_atomics ? uat_segment.heap_size : 0;
}

void uat_park_close(void)
{
    uat_self.near_size = 0;
    uat_sleep_close();
    uat_inbox_close(&uat_parking.inbox);
    uat_ready_close(&uat_parking.ready);
}

void uat_park_reset(void)
{
    const struct uat_area *const words[] = {&ring, &inbox, &uat_deadlock_waits};
    uat_park_close();
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        memset(words[i]->at, 0, words[i]->size);
    uat_park_open();
}

void uat_park_check(const struct uat_park *wait)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!uat_worker.running || here < uat_segment.low || here >= uat_segment.high)
        uat_fatal("a wait for %s was called outside of a task; only the root of uat_run() and its descendants may wait",
                  uat_deadlock_name(wait->kind));
    uat_global_refuse_open("at a call that waits");
}
UAT_KERNEL(uat_park_check);

enum uat_park_part uat_park_part_next(uintptr_t *out)
{
    uintptr_t sp = uat_deque_next_private(&uat_worker.deque);
    *out = 0;
    if (!sp)
        return UAT_PARK_NONE_TO_PART;
    if (uat_torture_on) /* the spawner's stack may have been moved away, and its handle is about to be written */
        uat_torture_returned(sp);
    if (uat_spawn_part(NULL, sp)) {
        *out = sp;
        return UAT_PARK_PARTED;
    }
    if (uat_worker.deque.user.keep_private)
        uat_torture_pushed(sp);
    return UAT_PARK_NO_RECORD;
}

void uat_park_unpart(uintptr_t sp)
{
    if (!sp)
        return;
    uat_spawn_unpart(sp);
    if (uat_worker.deque.user.keep_private) /* the torture mode that moves spawners away does so here, too */
        uat_torture_pushed(sp);
}

bool uat_park_has_room(size_t bytes)
{
    struct uat_block *block = uat_heap_get(&uat_heap, bytes);
    if (block)
        uat_heap_put(&uat_heap, block);
    struct uat_record *record =
        block && uat_deque_next_private(&uat_worker.deque) ? uat_record_get(&uat_records) : NULL;
    if (record)
        uat_record_put(&uat_records, record);
    return block && (record || !uat_deque_next_private(&uat_worker.deque));
}

void uat_park_leave(uintptr_t sp, uintptr_t base, struct uat_park *wait)
{
    /* Let the spawner's continuation part from this task. This comes before the copy of the stack, because it stores
     * the join record's name in the task's frame. */
    uintptr_t parted;
    if (uat_park_part_next(&parted) == UAT_PARK_NO_RECORD)
        uat_fatal("no join record is left for the spawner of a task that waits for %s; set UAT_RECORDS to more",
                  uat_deadlock_name(wait->kind));
    uat_exception_check("a call that waits");
    uat_modes_check();
    uat_stacks_check(sp, uat_worker.deque.top[-1]);
    uint64_t begin = uat_trace_begin();
    struct uat_block *block = uat_heap_get(&uat_heap, base - sp);
    if (!block)
        uat_fatal(
            "UAT_HEAP_SIZE=%zuk leaves no room for a stack of %zu bytes that waits for %s; set it to %zuk or more",
            uat_segment.heap_size >> 10, (size_t)(base - sp), uat_deadlock_name(wait->kind),
            uat_heap_advice(base - sp));
    char *stack = uat_block_stack(block);
    struct uat_parked *parked = (struct uat_parked *)block;
    uat_sanitize_unpoison(sp, base);
    memcpy(stack, (void *)sp, base - sp);
    uat_copied(base - sp);
    parked->next = 0;
    parked->sp = sp;
    parked->base = base;
    parked->reply = wait->reply ? (uintptr_t)stack + ((uintptr_t)wait->reply - sp) : wait->tag;
    parked->object = wait->object;
    parked->kind = wait->kind;
    parked->holder = wait->holder;
    uat_task_counts.evacuations++;
    uat_task_counts.evacuated_bytes += base - sp;
    uat_parking.seen = true;
    uat_deadlock_count(wait->kind, 1);
    uat_trace_end(UAT_TRACE_EVACUATE, begin, base - sp, -1);
    uat_global_before_wait(); /* a release: what the task wrote is at its home before the task runs elsewhere */
    /* No fence is needed: an operation of the transport makes the name known, and orders our stores before it. */
    /* Queue the task. For a future: uat_waitobj_park(), runtime/sync/queue.c. */
    wait->park(wait, (uint64_t)uat_self.rank << 48 | (uintptr_t)block);
}

void uat_park_no_memory(void)
{
    uat_fatal("no memory for the list of %zu ready tasks", uat_parking.ready.count);
}

/* READ the stack back to its original addresses. */
static void fetch(const struct uat_ready_task *task)
{
    if (__builtin_expect(!uat_park_is_stack(task->sp, task->base), 0))
        uat_word_refuse(uat_self.rank, "the stack of a ready task", task->sp);
    if (__builtin_expect(!uat_park_is_block(task->where & ~UAT_READY_CHAIN, task->base - task->sp), 0))
        uat_word_refuse(uat_self.rank, "the place of a ready task", task->where);
    char *stack = uat_ready_block(task) + UAT_READY_STACK;
    size_t bytes = task->base - task->sp;
    if (uat_ready_rank(task) == uat_self.rank) {
        uat_sanitize_unpoison(task->sp, task->base);
        memcpy((void *)task->sp, stack, bytes);
        uat_copied(bytes);
        return;
    }
    struct uat_op op = uat_op_read((void *)task->sp, stack, bytes);
    uat_keeper_do(uat_ready_rank(task), &op, 1); /* post, and wait */
}

/* Give the block back to its owner, now that the stack is in place. Push the task's base, as for a task without a
 * spawner here, or the chain's entries. Returns the task's stack pointer. There uat_resume() or uat_to_next() goes on:
 * after a wait for one word, in uat_suspend_word(), asm/PROCESSOR/switch.S. */
static uintptr_t settle(const struct uat_ready_task *task)
{
    struct uat_block *block = (struct uat_block *)(void *)uat_ready_block(task);
    bool chain = __builtin_expect((task->where & UAT_READY_CHAIN) != 0, 0);
    if (chain)
        uat_chains_take(task, uat_park_is_block);
    if (uat_ready_rank(task) == uat_self.rank) {
        ((struct uat_parked *)block)->kind = UAT_PARK_NONE;
        uat_heap_put(&uat_heap, block);
    } else {
        uat_keeper_give_back(uat_ready_rank(task), &block->returned);
    }
    uat_global_after_resume(); /* an acquire */
    if (!chain)
        uat_deque_push_gone(&uat_worker.deque, task->base);
    uat_task_counts.resumed_bytes += task->base - task->sp;
    return task->sp;
}

void uat_park_send(struct uat_park *wait, uint64_t name)
{
    uat_deadlock_count(UAT_PARK_NONE, -1);
    uat_check(uat_inbox_send(&uat_parking.inbox, (int)(uint32_t)wait->tag, name));
    uat_crew_wake((int)(uint32_t)wait->tag);
}

void uat_park_at_once(struct uat_park *wait, uint64_t name)
{
    const struct uat_ready_task ready = {.where = name};
    const struct uat_parked *parked = (const struct uat_parked *)(const void *)uat_ready_block(&ready);
    (void)wait;
    uat_park_ready(&(struct uat_ready_task){.sp = parked->sp, .base = parked->base, .where = name}, UAT_PARK_NONE);
}

/* Bring a taken task to this worker's region. */
static uintptr_t resume(const struct uat_ready_task *task)
{
    uat_notice_begin(uat_stall_notice());
    fetch(task);
    uat_stacks_arrived(task->sp, task->base, false);
    return settle(task);
}

uintptr_t uat_park_take_sent(void)
{
    struct uat_ready_task task;
    if (uat_sleep_any())
        uat_sleep_wake();
    if (!uat_inbox_any(&uat_parking.inbox) || !uat_check(uat_inbox_take(&uat_parking.inbox, &task)))
        return 0;
    return resume(&task);
}

uintptr_t uat_park_take_own(void)
{
    struct uat_ready_task task;
    if (uat_sleep_any())
        uat_sleep_wake();
    /* Sent tasks and ready tasks take turns (deque/inbox.h). With several workers, uat_ready_take_shared() in
     * deque/ready.c takes the oldest ready task of the list. If the list is empty, and every 8th time, it takes the
     * oldest one of the ring, by a CMP_SWAP as a thief does. */
    if (!uat_check(uat_inbox_take_next(&uat_parking.inbox, &uat_parking.ready, &task)))
        return 0;
    return resume(&task);
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
    if (!fetched)
        fetch(&task);
    uat_stacks_arrived(task.sp, task.base, false);
    uat_trace_end(UAT_TRACE_RESUME, begin, task.base - task.sp, uat_ready_rank(&task));
    return settle(&task);
}

void uat_park_idle(unsigned failures)
{
    /* A task that another worker has claimed does not count: before claiming, that worker published that it has work.
     * A task in the inbox does not count either, because rank 0 READs the inbox. */
    if (!uat_ready_any(&uat_parking.ready) && !uat_alone_any())
        uat_notice_end(uat_stall_notice());
    uat_deadlock_look(failures, inbox.at);
}

void uat_park_describe(char *text, size_t size)
{
    const struct uat_heap *heap = &uat_heap;
    size_t length = 0;
    for (size_t i = 0; i < heap->lent.count && length < size; i++) {
        const struct uat_parked *p =
            (const struct uat_parked *)(void *)(heap->memory + (size_t)heap->lent.items[i] * UAT_HEAP_UNIT);
        /* Relaxed: this reads only the mark, and nothing else of the block. */
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
