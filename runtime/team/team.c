/* SPDX-License-Identifier: MIT */
#include "runtime/team/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/delay.h"
#include "base/log.h"
#include "base/virtual.h"
#include "include/uat/detail/failure.h"
#include "include/uat/detail/reducer.h"
#include "include/uat/pattern.h"
#include "runtime/global/global.h"
#include "runtime/job/crew.h"
#include "runtime/job/self.h"
#include "runtime/sched/alone.h"
#include "runtime/task/fork.h"
#include "runtime/task/keeper.h"
#include "runtime/sched/park.h"
#include "runtime/task/stacks.h"
#include "runtime/sched/stop.h"
#include "runtime/task/views.h"
#include "runtime/task/views_left.h"
#include "runtime/task/worker.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"

enum {
    STACK_MORE = 4096, /* bytes that the root's stack grows by until it waits, apart from its views */
    GRACE_NS = 4000,   /* from the bells until the root's worker claims the parts of others: their claims arrive within
                          * this time and GRACE_EACH_NS for each worker */
    GRACE_EACH_NS = 60,
    VALUES_AT_ONCE = 8192 /* bytes of values that the root READs together */
};

/* A part, as its task's argument. The block follows, and room for the part's value follows the block. */
struct part {
    int64_t index, begin, end;
    uint64_t values, value_size, bytes;
    uint64_t views, record, starts;
    uat_team_fn *run;
    _Alignas(UAT_TEAM_ALIGN) char block[];
};

static struct {
    bool own;         /* the board's loop is open, and this worker's own part has not begun */
    uint64_t after;   /* time from which this worker claims parts of others */
    const void *body; /* of the board's loop */
    char *part;       /* memory for the argument of a part that is about to start */
} team;

static size_t round_up(size_t bytes)
{
    return (bytes + UAT_TEAM_ALIGN - 1) / UAT_TEAM_ALIGN * UAT_TEAM_ALIGN;
}

/* The failure of a part travels to the root as the view of a reducer. The failure of the first part remains. */
static void keep_left(void *left, const void *right, const void *arg)
{
    (void)left;
    (void)right;
    (void)arg;
}
static const struct uat_failure none;
static const uat_reduction_t first_failure = {NULL, keep_left, &none, sizeof(struct uat_failure)};
static const uat_reducer_t failures = {&failures, &first_failure};

bool uat_team_within;

/* The place of a part's value in the block for values. */
static char *slot_of(uint64_t values, size_t each, int64_t index)
{
    return (char *)(uintptr_t)(values & ((UINT64_C(1) << 48) - 1)) + UAT_HEAP_HEADER + each * (size_t)index;
}

static void run_part(void *arg, void *result)
{
    struct part *part = arg;
    char *value = part->value_size > 0 ? part->block + round_up(part->bytes) : NULL;
    size_t each = uat_round8(part->value_size);
    (void)result;
    if (part->starts) { /* the root's CPU stored the value before it opened the loop */
        struct uat_op op = uat_op_read(value, slot_of(part->values, each, part->index), each);
        uat_keeper_do((int)(part->values >> 48), &op, 1);
    }
    part->run(part->block, part->begin, part->end, value);
    if (__builtin_expect(uat_failing.yes != 0, 0)) {
        struct uat_failure failure;
        uat_failure_take(&failure);
        memcpy(uat_reducer_view(&failures), &failure, sizeof(failure));
    } else if (value && !part->starts) {
        struct uat_op op = uat_op_write(value, slot_of(part->values, each, part->index), each);
        uat_delay();
        /* Takes effect before the FETCH_ADD of this task's end, to the same worker (O1, O5). Pairs with the READ in
         * combine_values(). */
        if (each <= UAT_UNSIGNALED_WRITE_MAX)
            uat_keeper_post_unsignaled((int)(part->values >> 48), &op, 1);
        else
            uat_keeper_do((int)(part->values >> 48), &op, 1);
    }
    if (part->views)
        uat_views_leave_in_slot(part->views, part->record, (uint64_t)part->index);
    else
        uat_views_leave(part->record, (uint64_t)part->index); /* the task's own record may be that of a batch */
}

/* The first iteration of a part: see team.h. */
static int64_t edge(const struct uat_team_call *call, int64_t part)
{
    int64_t n = call->end - call->begin, parts = uat_self.size;
    if (part == 0 || part == parts)
        return part == 0 ? call->begin : call->end;
    if (call->chunk == 0)
        return call->begin + n / parts * part + n % parts * part / parts;
    int64_t bytes = (int64_t)(call->start + (uint64_t)part * call->chunk - call->first), size = (int64_t)call->size;
    int64_t at = bytes <= 0 ? call->begin : (bytes + size / 2) / size;
    return at < call->begin ? call->begin : at > call->end ? call->end : at;
}

/* Fill *task with a part of the call. */
static void make(struct uat_alone *task, int index, const struct uat_team_call *call)
{
    struct part *part = (struct part *)(void *)team.part;
    *part = (struct part){.index = index,
                          .begin = edge(call, index),
                          .end = edge(call, index + 1),
                          .values = call->values,
                          .value_size = call->value_size,
                          .bytes = call->bytes,
                          .views = call->views,
                          .starts = call->starts,
                          .record = call->record,
                          .run = call->run};
    memcpy(part->block, call->block, call->bytes);
    uint64_t name = call->record, number = (uint64_t)index, size = call->batch_size;
    if (size) {
        uint64_t batch = number / size, left = (uint64_t)uat_self.size - batch * size;
        name = call->batch[batch];
        number = left < size ? left : size; /* the last batch may be smaller */
    }
    *task = (struct uat_alone){.name = name,
                               .group = call->group,
                               .index = (uint32_t)number,
                               .fn = run_part,
                               .arg = part,
                               .arg_size = sizeof(*part) + round_up(call->bytes) + uat_round8(call->value_size)};
}

static bool is_unbegun(void)
{
    return team.own || uat_board_has_unclaimed();
}

static bool take(struct uat_alone *task)
{
    uat_team_within = false;
    if (uat_alone_takes() && uat_board_rings() && uat_board_answer()) {
        uat_global_after_steal(); /* an ACQUIRE; pairs with the RELEASE before the root's wait */
        make(task, uat_self.rank, uat_board_claimed());
        return true;
    }
    if (team.own) {
        team.own = false;
        make(task, uat_self.rank, uat_board_call());
        return true;
    }
    if (uat_board_has_unclaimed() && uat_clock_ns() >= team.after) {
        int index = uat_board_claim_any();
        if (index >= 0) {
            uat_team_was_busy(team.body);
            make(task, index, uat_board_call());
            return true;
        }
    }
    return false;
}

/* Is there room to wait, once the loop's blocks and records are taken? A root that waited in place would never begin
 * its worker's own part, which nobody else may claim. */
static bool can_leave(void)
{
    uintptr_t base = uat_stacks_running_base(), here = (uintptr_t)__builtin_frame_address(0);
    return uat_park_has_room(base - here + uat_views_bytes + STACK_MORE);
}

/*
 * May a team run this loop now? Only the memory is left to uat_team_run(), which looks at it last. Otherwise the loop
 * splits on demand, as it always can. No team runs
 *   - with stacks of iso-address, and under torture that keeps all work private;
 *   - while some workers take no work (uat_concurrency_set(), uat_resize()), or in a job of more than UAT_TEAM_MAX
 *     workers;
 *   - within the body of a part, whose worker has no idle workers beside it;
 *   - while this worker's board has a loop, or ranges are checked out, or a stop waits, or memory is short;
 *   - for a loop that is too short, whose block is too large, or whose array has several blocks on a rank.
 */
static bool may_run(const struct uat_team_loop *loop)
{
    int64_t count = loop->end - loop->begin;
    uintptr_t start;
    uint64_t chunk;
    return uat_self.size > 1 && uat_self.size <= UAT_TEAM_MAX && count / uat_self.size >= loop->grain &&
           loop->bytes <= UAT_TEAM_ROOM && loop->value_size <= uat_segment.result_max && uat_worker.running &&
           !uat_fork_is_child && !uat_stacks && !uat_worker.deque.user.keep_private && !uat_team_within &&
           !uat_board_is_open() && !uat_global_has_open() && !uat_failing.yes && !uat_stop_wanted() &&
           (!loop->array ||
            uat_global_blocked((const char *)loop->array + loop->begin * (int64_t)loop->size, &start, &chunk)) &&
           uat_alone_active() == uat_self.size && uat_crew_is_whole() && uat_workers() == uat_self.size &&
           uat_team_is_worth(loop->body, count) && uat_work_wanted();
}

/* A block for the values of all parts, or 0 if the heap is full. */
static uint64_t take_values(size_t value_size)
{
    struct uat_block *block = uat_heap_get(&uat_heap, uat_round8(value_size) * (size_t)uat_self.size);
    if (!block)
        return 0;
    struct uat_parked *header = (struct uat_parked *)(void *)block;
    header->kind = UAT_PARK_NONE; /* no stack waits in it */
    header->next = 0;
    return (uint64_t)uat_self.rank << 48 | (uintptr_t)block;
}

/* Make the group's children: each part, of which none has begun. */
static void begin_group(uat_group_t *group, struct uat_record *record)
{
    uat_group_begin(group);
    group->task = (uat_task_t){.result = UAT_GROUP_RESULT}; /* as uat_group_spawn() leaves it */
    group->record = uat_record_name(uat_self.rank, record) | UAT_RECORD_GROUP;
    group->parted = (uint64_t)uat_self.size;
    uat_frame_at(uat_stacks_running_base())->pending += (uint32_t)uat_self.size;
}

/* Take records for the batches of the group's parts (J5). If there are too few, the parts have no batches. The root
 * must still be able to leave when it waits. */
static void take_batches(struct uat_team_call *call, const uat_group_t *group)
{
    int size = uat_board_batch_size(), count = size ? (uat_self.size + size - 1) / size : 0, taken = 0;
    while (taken < count) {
        struct uat_record *record = uat_record_get(&uat_records);
        if (!record)
            break;
        record->waiter.block = group->record; /* known to peers by the bells: pairs with the READ in end_in_batch() */
        call->batch[taken++] = uat_record_name(uat_self.rank, record) | UAT_RECORD_KINDS;
    }
    call->batch_size = count > 0 && taken == count && can_leave() ? (uint64_t)size : 0;
    while (call->batch_size == 0 && taken > 0)
        uat_record_put(&uat_records, uat_record_address(call->batch[--taken]));
}

/* Put the loop on the board. */
static void announce(const struct uat_team_loop *loop, uat_group_t *group, uint64_t values, uint64_t views)
{
    struct uat_team_call *call = uat_board_call();
    call->group = &group->task;
    call->record = group->record;
    take_batches(call, group);
    call->values = values;
    call->starts = loop->starts != NULL;
    if (loop->starts)
        memcpy(slot_of(values, 0, 0), loop->starts, uat_round8(loop->value_size) * (size_t)uat_self.size);
    call->views = views;
    call->value_size = loop->value_size;
    call->begin = loop->begin;
    call->end = loop->end;
    call->run = loop->run;
    call->bytes = loop->bytes;
    memcpy(call->block, loop->block, loop->bytes);
    call->chunk = 0;
    if (loop->array) {
        uat_global_blocked((const char *)loop->array + loop->begin * (int64_t)loop->size, &call->start, &call->chunk);
        call->first = (uintptr_t)loop->array;
        call->size = loop->size;
    }
    uat_global_before_wait(); /* a RELEASE; pairs with the ACQUIREs in take() */
    team.own = true;
    team.body = loop->body;
    team.after = uat_clock_ns() + GRACE_NS + GRACE_EACH_NS * (uint64_t)uat_self.size;
    uat_board_open();
}

/* READ the values of the parts, and combine them in order. Called on the worker where the root has resumed. */
static __attribute__((noinline)) void combine_values(const struct uat_team_loop *loop, uat_team_combine_fn *combine,
                                                     void *into, uint64_t values, int parts)
{
    size_t each = uat_round8(loop->value_size);
    int most = each < VALUES_AT_ONCE ? (int)(VALUES_AT_ONCE / each) : 1;
    _Alignas(UAT_TEAM_ALIGN) char some[each * (size_t)most]; /* on the task's stack: a READ must land in the segment */
    struct uat_block *block = (struct uat_block *)(uintptr_t)(values & ((UINT64_C(1) << 48) - 1));
    for (int i = 0; i < parts && !loop->starts && !uat_failing.yes; i++) {
        if (i % most == 0) {
            int n = parts - i < most ? parts - i : most;
            struct uat_op op = uat_op_read(some, (char *)uat_block_stack(block) + each * (size_t)i, each * (size_t)n);
            uat_keeper_do((int)(values >> 48), &op, 1);
        }
        combine(loop->block, into, some + each * (size_t)(i % most));
    }
    uat_keeper_give_back((int)(values >> 48), &block->returned);
}

/* The values were READ or are not needed. If a part has failed, the root fails. */
static __attribute__((noinline)) void take_failure(void)
{
    struct uat_failure failure;
    if (uat_reducer_is_empty(&failures))
        return;
    uat_reducer_take(&failures, &failure);
    uat_fail(&failure);
}

/* Wait for the parts. Their views come after those that the root has now. */
static void wait(uat_group_t *group)
{
    size_t before_size = uat_views_size();
    if (before_size == 0) {
        uat_group_wait(group);
        return;
    }
    _Alignas(UAT_VIEWS_ALIGN) char before[before_size];
    uat_views_put_aside(before);
    uat_group_wait(group);
    size_t size = uat_views_size();
    _Alignas(UAT_VIEWS_ALIGN) char of_parts[size + 1]; /* C has no arrays of zero bytes */
    uat_views_put_aside(of_parts);
    uat_views_add(before, before_size);
    uat_views_add(of_parts, size);
}

bool uat_team_run(const struct uat_team_loop *loop, uat_team_combine_fn *combine, void *into)
{
    uat_group_t group;
    uint64_t values = 0, epoch = uat_self.epoch, began = uat_clock_ns();
    int rank = uat_self.rank, parts = uat_self.size;
    if (!may_run(loop) || (loop->value_size > 0 && !(values = take_values(loop->value_size))))
        return false;
    struct uat_record *record = uat_record_get(&uat_records);
    uint64_t views = record ? uat_views_slots_take(parts) : 0;
    if (!record || !can_leave()) {
        if (views)
            uat_views_slots_put(views);
        if (record)
            uat_record_put(&uat_records, record);
        if (values)
            uat_heap_put(&uat_heap, (struct uat_block *)(uintptr_t)(values & ((UINT64_C(1) << 48) - 1)));
        return false;
    }
    begin_group(&group, record);
    announce(loop, &group, values, views);
    wait(&group); /* resumes on any worker, perhaps of a later job or after a way back */
    if (views)
        uat_views_slots_put(views);
    uat_team_within = false;
    if (epoch == uat_self.epoch) { /* otherwise the boards were reset, and have no loop of this root */
        uat_board_close(rank);
        if (rank == uat_self.rank || uat_self.transport->cpu_atomics || UAT_IS_VIRTUAL()) /* one clock */
            uat_team_took(loop->body, loop->end - loop->begin, uat_clock_ns() - began);
    }
    take_failure();
    if (values)
        combine_values(loop, combine, into, values, parts);
    return true;
}

int uat_team_open(const struct uat_room_job *job)
{
    (void)job;
    team.part = malloc(sizeof(struct part) + UAT_TEAM_ROOM + round_up(uat_segment.result_max));
    if (!team.part) {
        uat_error("no memory for the parts of loops");
        return -ENOMEM;
    }
    uat_stop_hindered = is_unbegun; /* no chain has a part that has not begun */
    return 0;
}

void uat_team_close(void)
{
    free(team.part);
    team.part = NULL;
    uat_stop_hindered = NULL;
}

void uat_team_reset(void)
{
    team.own = false;
    team.after = 0;
    team.body = NULL;
    uat_team_within = false;
}

const struct uat_work uat_team_work = {.take_own = take, .any = is_unbegun};
