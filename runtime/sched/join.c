/* SPDX-License-Identifier: MIT */
#include "runtime/sched/join.h"

#include <string.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/log.h"
#include "base/relax.h"
#include "base/word.h"
#include "runtime/global/global.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/exception.h"
#include "runtime/sched/failure.h"
#include "runtime/sched/fork.h"
#include "runtime/sched/group.h"
#include "runtime/sched/modes.h"
#include "runtime/sched/sanitize.h"
#include "runtime/sched/spawn.h"
#include "runtime/sched/park.h"
#include "runtime/sched/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"

enum {
    STATE_BITS = 48,             /* bits of a record's state: no record is used 2^47 times */
    WATCH_EVERY = 64,            /* polls of the record between two calls of the watch */
    LEAVE_AT_ONCE_MAX = 16 << 10 /* bytes: copying a stack up to this size takes less time than a round trip */
};

/* Local buffers of the operations that this worker posts. */
struct staging {
    uint64_t old; /* old value that an atomic returns */
    struct uat_waiter waiter;
    _Alignas(UAT_CACHE_LINE) uint64_t result[];
};

static struct uat_area staging_area = {.name = "staging of joins", .peers = UAT_PEERS_NOTHING};

static struct staging *staged(void)
{
    return staging_area.at;
}

void uat_join_reserve(void)
{
    staging_area.size = sizeof(struct staging) + uat_round8(uat_segment.result_max);
    uat_segment_reserve(&staging_area);
}

/* Check the result's size against the room for results before it is used: the frame may come from another worker. */
static void check_result(uint64_t record, uint64_t size)
{
    if (size > uat_segment.result_max || uat_record_rank(record) >= uat_self.size)
        uat_fatal("a task's frame names a result of %llu bytes (UAT_RESULT_MAX=%zu) at rank %d; the stack is corrupt",
                  (unsigned long long)size, uat_segment.result_max, uat_record_rank(record));
}

/* Check a waiter that was READ from a record of this rank: peers may have written it. */
static void check_waiter(const struct uat_waiter *waiter, int rank)
{
    if (!uat_park_is_stack(waiter->sp, waiter->base)) {
        bool begins = waiter->sp >= uat_segment.low && waiter->sp < uat_segment.high && waiter->sp % 8 == 0;
        uat_word_refuse(rank, "the stack of the waiter in a join record", begins ? waiter->base : waiter->sp);
    }
    if (waiter->rank >= (uint64_t)uat_self.size)
        uat_word_refuse(rank, "the rank of the waiter in a join record", waiter->rank);
    if (waiter->block >> 48 || !uat_park_is_block(waiter->rank << 48 | waiter->block, waiter->base - waiter->sp))
        uat_word_refuse(rank, "the block of the waiter in a join record", waiter->block);
}

/* Check and return a record's state that an atomic or a READ has left in the staging area. Each use of the record adds
 * 2. */
static uint64_t state_of(uint64_t record)
{
    uint64_t state = staged()->old;
    bool failed = state & UAT_RECORD_FAILED; /* only a child that has ended adds this */
    if ((state & ~UAT_RECORD_FAILED) >> STATE_BITS || (failed && state % 2 == 0))
        uat_word_refuse(uat_record_rank(record), "the state of a join record", state);
    return state;
}

/* Check and return a record's count in the same way. It is between the number of a group's children and minus that
 * number (J4). */
static uint64_t count_of(uint64_t record)
{
    uint64_t count = staged()->old;
    if ((count + (UINT64_C(1) << 32)) >> 33)
        uat_word_refuse(uat_record_rank(record), "the count of a join record", count);
    return count;
}

/* Let the task at base go on: it has its child's result, or all children of its group have ended. */
static void settle_join(uat_task_t *task, uint64_t name, uintptr_t base)
{
    uat_group_t *group = uat_group_of(task);
    if (!group && !uat_failing.yes) /* a failed task goes on as failed */
        memcpy(task->result, staged()->result, task->size);
    uat_frame_at(base)->pending -= group ? uat_group_clear(group) : 1;
    task->record = 0;
    uat_park_give_back(uat_record_rank(name), &uat_record_address(name)->returned);
}

/* Bring the joiner's stack back to its addresses, and store the child's result where the joiner wants it. */
static uintptr_t resume_joiner(const struct uat_waiter *waiter, uint64_t record, uat_task_t *task)
{
    size_t bytes = waiter->base - waiter->sp;
    check_waiter(waiter, uat_record_rank(record));
    uint64_t begin = uat_trace_begin();
    struct uat_block *block = (struct uat_block *)waiter->block;
    struct uat_op op = uat_op_read((void *)waiter->sp, uat_block_stack(block), bytes);
    uat_check(uat_transport_do(uat_self.transport, (int)waiter->rank, &op, 1));
    /* The joiner's stack has overwritten the ended child's frame. What is needed of the frame was copied before. */
    if (uat_deque_size(&uat_worker.deque) == 0 || uat_deque_base(&uat_worker.deque) != waiter->base)
        uat_deque_push_gone(&uat_worker.deque, waiter->base);
    uat_sanitize_unpoison(waiter->sp, waiter->base);
    settle_join(task, record, waiter->base);
    uat_park_give_back((int)waiter->rank, &block->returned);
    uat_task_counts.resumed_bytes += bytes;
    uat_trace_end(UAT_TRACE_RESUME, begin, bytes, (int)waiter->rank);
    if ((int)waiter->rank != uat_self.rank) {
        uat_global_after_resume();
        uat_task_counts.resumes_away++;
    }
    return waiter->sp;
}

/* A child of a group has ended (J4). Returns whether it is the last one and its spawner waits, as staging->waiter. */
static bool is_last_of_group(uint64_t name)
{
    struct staging *staging = staged();
    struct uat_record *record = uat_record_address(name);
    struct uat_op chain[] = {
        /* Before the READ (O1), so that the waiter is valid if the old value is -1; the peer is the FETCH_ADD of
         * uat_join_wait_at(). */
        uat_op_fetch_add(&staging->old, &record->count, 1),
        uat_op_read(&staging->waiter, &record->waiter, sizeof(struct uat_waiter)),
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 2));
    return count_of(name) == UINT64_MAX;
}

/* A child has ended: deliver its result, or its failure. Returns whether its spawner waits, as staging->waiter. */
static bool is_second(uint64_t name, const void *result, uint32_t size)
{
    struct staging *staging = staged();
    struct uat_record *record = uat_record_address(name);
    uint64_t addend = uat_failing.yes ? UAT_RECORD_FAILED + 1 : 1;
    if (uat_failing.yes) {
        result = &uat_failing.failure;
        size = sizeof(uat_failing.failure);
    }
    memcpy(staging->result, result, size);
    struct uat_op chain[] = {
        uat_op_write(staging->result, record->result, uat_round8(size)),
        /* After the WRITE (O1), so that a joiner that finds state odd finds the result; the peer is the FETCH_ADD of
         * uat_join_wait_at(). Before the READ (O1), so that the waiter is valid if the old value is odd. */
        uat_op_fetch_add(&staging->old, &record->state, addend),
        uat_op_read(&staging->waiter, &record->waiter, sizeof(struct uat_waiter)),
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 3));
    return state_of(name) % 2 == 1;
}

uintptr_t uat_join_child_ended(uintptr_t base)
{
    struct uat_frame *frame = uat_frame_at(base);
    uat_task_t *task = frame->task;
    uint64_t name = frame->record;
    check_result(name, frame->result_size);
    uat_global_before_end();
    bool resumes =
        name & UAT_RECORD_GROUP ? is_last_of_group(name) : is_second(name, uat_frame_result(frame), frame->result_size);
    if (!resumes) {
        uat_task_counts.ends_first++;
        if (uat_failing.yes)
            uat_failure_take(NULL);
        return 0;
    }
    uat_task_counts.ends_second++;
    struct uat_waiter waiter = staged()->waiter;
    if (uat_failing.yes)
        uat_failure_settle(name, false);
    return resume_joiner(&waiter, name, task);
}

/* Complete a join in place. The child has ended, its result was READ, and the task at base continues here. */
static void finish_join(uat_task_t *task, uint64_t name, uintptr_t base)
{
    if (!uat_group_of(task) && (staged()->old & UAT_RECORD_FAILED) != 0)
        uat_failure_settle(name, true);
    settle_join(task, name, base);
    uat_global_after_join();
    uat_task_counts.joins_second++;
}

/* Report a full heap, once. The size is a lower bound of what is needed. */
static void report_full_heap(size_t bytes)
{
    static bool said;
    size_t heap = uat_segment.heap_size, needed = 2 * (bytes > heap ? bytes : heap);
    if (!said)
        uat_warn("UAT_HEAP_SIZE=%zuk leaves no room for a waiting stack of %zu bytes, so joins wait where they are, "
                 "and the worker with them; set it to %zuk or more to have it work meanwhile",
                 heap >> 10, bytes, needed >> 10);
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
    ((struct uat_parked *)block)->kind = UAT_PARK_JOIN;
    ((struct uat_parked *)block)->object = 0;
    uat_task_counts.evacuations++;
    uat_task_counts.evacuated_bytes += base - sp;
    uat_trace_end(UAT_TRACE_EVACUATE, begin, base - sp, -1);
    return block;
}

/* The word to which the joiner adds 1 or, for a group, from which it subtracts the number of the group's children. */
static uint64_t *meeting(const uat_group_t *group, uint64_t name)
{
    struct uat_record *record = uat_record_address(name);
    return group ? &record->count : &record->state;
}

/* Does the old value say that the child, or each of the group's children, has ended? */
static bool says_ended(const uat_group_t *group, uint64_t name)
{
    return group ? count_of(name) == group->parted : state_of(name) % 2 == 1;
}

/* Has the child ended, or each of the group's children? This takes one READ. The answer "no" may be old. */
static bool child_has_ended(const uat_group_t *group, uint64_t name)
{
    struct staging *staging = staged();
    struct uat_op op = uat_op_read(&staging->old, meeting(group, name), 8);
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), &op, 1));
    return says_ended(group, name);
}

/*
 * Wait in place if there is no room to evacuate the joiner. The child can end without this worker: the deque here holds
 * only the joiner's ancestors, and other workers can fetch the stacks evacuated here. Workers that wait in place cannot
 * form a cycle, because each waits for a task further down the tree.
 */
static void wait_in_place(const uat_group_t *group, uint64_t name)
{
    struct uat_relax relax = {0};
    while (!child_has_ended(group, name)) {
        uat_relax_away(&relax);
        uat_deque_refuse(&uat_worker.deque);
        if (relax.spins % WATCH_EVERY == 0)
            uat_stall_child(uat_record_rank(name));
    }
    uat_stall_over();
}

/*
 * Should a joiner with the stack [sp, base) ask whether its child has ended before it is evacuated? Copying a small
 * stack costs less than the round trip of the question. But asking is worthwhile if writes to global memory are
 * pending, because an evacuation would have to write them back first.
 */
static bool asks_first(uintptr_t sp, uintptr_t base)
{
    const bool *unreleased = uat_global_unreleased();
    return uat_delay_choice(base - sp > LEAVE_AT_ONCE_MAX || (unreleased && *unreleased));
}

/* Ends the job unless the task whose segment is [sp, base) may join this child: it must be the child's spawner. */
static void check_joiner(uintptr_t sp, uintptr_t base, const uat_task_t *task)
{
    uat_task_check_stack(sp, "uat_join()");
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

uintptr_t uat_join_wait_at(uintptr_t sp, uintptr_t base)
{
    struct staging *staging = staged();
    uat_task_t *task = uat_worker.suspended_task;
    check_joiner(sp, base, task);
    uat_fork_check();
    uat_modes_check();
    uint64_t name = task->record;
    const uat_group_t *group = uat_group_of(task);
    struct uat_record *record = uat_record_address(name);
    struct uat_op fetch_add = uat_op_fetch_add(&staging->old, meeting(group, name), group ? 0 - group->parted : 1);
    int reads = group ? 0 : 1; /* number of READs of results */
    /* After the FETCH_ADD (O1). The result is valid if the old value is odd, because then the child's WRITE came first:
     * see uat_join_child_ended(). */
    struct uat_op read_result = uat_op_read(staging->result, record->result, uat_round8(task->size));
    check_result(name, task->size);
    uat_global_refuse_open("at a join");
    struct uat_block *block = NULL;
    bool has_ended = asks_first(sp, base) && child_has_ended(group, name);
    /* The deque may hold private spawners below a task that has waited. They part from this task before its stack is
     * copied. */
    uintptr_t parted = 0;
    if (!has_ended && (uat_park_part_next(&parted) == UAT_PARK_NO_RECORD || !(block = evacuate(sp, base)))) {
        wait_in_place(group, name);
        has_ended = true;
    }
    if (has_ended) {
        struct uat_op chain[] = {fetch_add, read_result}; /* FETCH_ADD because the state must end up even (J1) */
        uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 1 + reads));
        finish_join(task, name, base);
        uat_park_unpart(parted);
        return sp;
    }
    uat_global_before_wait();
    staging->waiter =
        (struct uat_waiter){.rank = (uint64_t)uat_self.rank, .block = (uintptr_t)block, .sp = sp, .base = base};
    struct uat_op chain[] = {
        /* Before the FETCH_ADD (O1): see uat_join_child_ended(). */
        uat_op_write(&staging->waiter, &record->waiter, sizeof(struct uat_waiter)),
        fetch_add,
        read_result,
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 2 + reads));
    if (!says_ended(group, name)) {
        uat_task_counts.joins_first++;
        return 0;
    }
    /* The child ended in between and never learns of the block. The stack is still in place. */
    uat_heap_put(&uat_heap, block);
    uat_task_counts.joins_raced++;
    finish_join(task, name, base);
    uat_park_unpart(parted);
    return sp;
}

void uat_join_in_place(uat_task_t *task)
{
    struct staging *staging = staged();
    const uat_group_t *group = uat_group_of(task);
    struct uat_record *record = uat_record_address(task->record);
    uintptr_t base = uat_deque_base(&uat_worker.deque);
    uint64_t name = task->record;
    check_result(name, task->size);
    uat_global_refuse_open("at a join");
    uat_deque_offer(&uat_worker.deque); /* the others may need what waits here */
    if (uat_self.size == 1 && !child_has_ended(group, name))
        uat_fatal("an exception unwinds a task while its child waits, and no other worker can run the child; join the "
                  "child before the exception leaves the block where the child was spawned");
    wait_in_place(group, name);
    struct uat_op chain[] = {
        uat_op_fetch_add(&staging->old, meeting(group, name), group ? -group->parted : 1),
        uat_op_read(staging->result, record->result, uat_round8(task->size)),
    };
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, group ? 1 : 2));
    finish_join(task, name, base);
    if (uat_failing.yes)
        uat_failure_take(NULL);
}
