/* SPDX-License-Identifier: MIT */
#include "runtime/sched/meet.h"

#include <string.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/word.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/sched/failure.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/segment.h"
#include "runtime/task/keeper.h"

enum { STATE_BITS = 48 /* bits of a record's state: no record is used 2^47 times */ };

_Static_assert(offsetof(struct uat_met, result) == sizeof(struct uat_record) &&
                   offsetof(struct uat_met, views) == offsetof(struct uat_record, views) &&
                   offsetof(struct uat_met, waiter) == offsetof(struct uat_record, waiter),
               "as in struct uat_record");

static struct uat_area met_area = {.name = "staging of joins", .peers = UAT_PEERS_NOTHING};

struct uat_met *uat_met(void)
{
    return met_area.at;
}

void uat_meet_reserve(void)
{
    met_area.size = sizeof(struct uat_met) + uat_round8(uat_segment.result_max);
    met_area.align = UAT_CACHE_LINE;
    uat_segment_reserve(&met_area);
}

void uat_meet_check_result(uint64_t record, uint64_t size)
{
    if (size > uat_segment.result_max || uat_record_rank(record) >= uat_self.size)
        uat_fatal("a task's frame names a result of %llu bytes (UAT_RESULT_MAX=%zu) at rank %d; the stack is corrupt",
                  (unsigned long long)size, uat_segment.result_max, uat_record_rank(record));
}

/* Check and return a record's state that an atomic or a READ has left in the buffers. Each use of the record adds
 * 2. */
static uint64_t state_of(uint64_t record)
{
    uint64_t state = uat_met()->old;
    bool failed = state & UAT_RECORD_FAILED; /* only a child that has ended adds this */
    if ((state & ~UAT_RECORD_FAILED) >> STATE_BITS || (failed && state % 2 == 0))
        uat_word_refuse(uat_record_rank(record), "the state of a join record", state);
    return state;
}

/* Check and return a record's count in the same way. The count lies between minus and plus the number of the group's
 * children (J4, J5). */
static uint64_t count_of(uint64_t record)
{
    uint64_t count = uat_met()->old;
    if ((count + (UINT64_C(1) << 32)) >> 33)
        uat_word_refuse(uat_record_rank(record), "the count of a join record", count);
    return count;
}

/* READs of the waiter and of the result. Each also gets the list of views, which lies between the two. The READs follow
 * the FETCH_ADD, so the list is complete if the reader arrived second (V3). */
static struct uat_op read_waiter(const struct uat_record *record)
{
    return uat_op_read(&uat_met()->waiter, &record->waiter, sizeof(struct uat_waiter) + sizeof(record->views));
}
static struct uat_op read_result(const struct uat_record *record, uint64_t size)
{
    return uat_op_read(&uat_met()->views, &record->views, sizeof(record->views) + uat_round8(size));
}

/* Add 1 to the batch's count (J5). Returns the name of the group's record, or 0 if this child is not the batch's
 * last. */
static uint64_t end_in_batch(uint64_t batch, uint32_t size)
{
    struct uat_met *met = uat_met();
    struct uat_record *record = uat_record_address(batch);
    struct uat_op chain[] = {
        /* The FETCH_ADDs of the batch's children, all in this function, choose the last child. What the others did
         * before theirs has taken effect when the last child adds to the group's count. */
        uat_op_fetch_add(&met->old, &record->count, 1),
        read_waiter(record), /* the owner stored the group's name before this child started; used by the last one */
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(batch), chain, 2));
    uint64_t group = met->waiter.block;
    if (count_of(batch) != size - 1)
        return 0;
    if ((group & UAT_RECORD_KINDS) != UAT_RECORD_GROUP || uat_record_owner(group) != uat_record_owner(batch))
        uat_word_refuse(uat_record_rank(batch), "the group in the join record of a batch", group);
    return group;
}

bool uat_meet_child_of_group(uint64_t *name, uint32_t batch_size)
{
    struct uat_met *met = uat_met();
    uint64_t batch = *name & UAT_RECORD_BATCH ? *name : 0, ends = batch ? batch_size : 1;
    if (batch && !(*name = end_in_batch(batch, batch_size)))
        return false;
    struct uat_record *record = uat_record_address(*name);
    struct uat_op chain[] = {
        /* Takes effect before the READ (O1), so that the waiter is valid if the old value is -ends; pairs with the
         * FETCH_ADD of uat_meet_joiner(). */
        uat_op_fetch_add(&met->old, &record->count, ends),
        read_waiter(record),
        /* The batch's count is 0 again before the record is given back below. */
        uat_op_fetch_add(&met->cleared, batch ? &uat_record_address(batch)->count : NULL, 0 - ends),
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(*name), chain, batch ? 3 : 2));
    if (batch)
        uat_keeper_give_back(uat_record_rank(batch), &uat_record_address(batch)->returned);
    return count_of(*name) == 0 - ends;
}

bool uat_meet_child(uint64_t name, const void *result, uint32_t size)
{
    struct uat_met *met = uat_met();
    struct uat_record *record = uat_record_address(name);
    uint64_t addend = uat_failing.yes ? UAT_RECORD_FAILED + 1 : 1;
    if (uat_failing.yes) {
        result = &uat_failing.failure;
        size = sizeof(uat_failing.failure);
    }
    memcpy(met->result, result, size);
    struct uat_op chain[] = {
        uat_op_write(met->result, record->result, uat_round8(size)),
        /* Takes effect after the WRITE (O1), so that a joiner that finds state odd finds the result; pairs with the
         * FETCH_ADD of uat_meet_joiner(). It takes effect before the READ (O1), so that the waiter is valid if the old
         * value is odd. */
        uat_op_fetch_add(&met->old, &record->state, addend),
        read_waiter(record),
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 3));
    return state_of(name) % 2 == 1;
}

/* The word that the joiner changes. The joiner adds 1 to this word or, for a group, subtracts the number of the group's
 * children. */
static uint64_t *meeting(const uat_group_t *group, uint64_t name)
{
    struct uat_record *record = uat_record_address(name);
    return group ? &record->count : &record->state;
}

/* Does the old value say that the child has ended, or for a group, that all its children have ended? */
static bool says_ended(const uat_group_t *group, uint64_t name)
{
    return group ? count_of(name) == group->parted : state_of(name) % 2 == 1;
}

bool uat_meet_asks(const uat_group_t *group, uint64_t name)
{
    struct uat_met *met = uat_met();
    struct uat_op op = uat_op_read(&met->old, meeting(group, name), 8);
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), &op, 1));
    return says_ended(group, name);
}

static struct uat_op meet_as_joiner(const uat_group_t *group, uint64_t name)
{
    return uat_op_fetch_add(&uat_met()->old, meeting(group, name), group ? 0 - group->parted : 1);
}

void uat_meet_second(const uat_group_t *group, uint64_t name, uint64_t size)
{
    struct uat_op chain[] = {
        meet_as_joiner(group, name), /* needed all the same, because the state must end up even (J1) */
        read_result(uat_record_address(name), size),
    };
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 2));
}

bool uat_meet_joiner(const uat_group_t *group, uint64_t name, const struct uat_waiter *waiter, uint64_t size)
{
    struct uat_met *met = uat_met();
    struct uat_record *record = uat_record_address(name);
    met->waiter = *waiter;
    struct uat_op chain[] = {
        /* Takes effect before the FETCH_ADD (O1), so that a child that is second finds the waiter; pairs with the
         * FETCH_ADDs of uat_meet_child() and uat_meet_child_of_group(). */
        uat_op_write(&met->waiter, &record->waiter, sizeof(struct uat_waiter)),
        meet_as_joiner(group, name),
        /* After the FETCH_ADD (O1): the result is valid if the old value is odd, because then the WRITE of
         * uat_meet_child() came first. */
        read_result(record, size),
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 3));
    return says_ended(group, name);
}
