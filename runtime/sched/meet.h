/* SPDX-License-Identifier: MIT */
/* The chains that child and joiner post to their join record (J1 to J5 of runtime/segment/record.h), and the checks of
 * the words that arrive with them. join.h says which chain is posted when. */
#ifndef UAT_MEET_H
#define UAT_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat.h"
#include "runtime/segment/record.h"

/* Local buffers of the chains. waiter, views and result have the same order as in struct uat_record, so that one READ
 * can get two neighbours. */
struct uat_met {
    uint64_t old;     /* old value that an atomic returns */
    uint64_t cleared; /* of the batch (J5), whose value nobody needs */
    uint64_t unused;
    struct uat_waiter waiter;
    uint64_t views;
    uint64_t result[];
};

/* Reserve the buffers in the segment. */
void uat_meet_reserve(void);

/* The buffers, as the last chain has filled them. */
struct uat_met *uat_met(void);

/* Check the result's size and the record's rank before use, because the frame may come from another worker. */
void uat_meet_check_result(uint64_t record, uint64_t size);

/* A child of a group has ended (J4). *name: the record of the group, or of the child's batch, which has batch_size
 * children (J5). Returns whether this child is the group's last one and the spawner waits. If so, *name is the group's
 * record, and uat_met()->waiter is the spawner. */
bool uat_meet_child_of_group(uint64_t *name, uint32_t batch_size);

/* A child has ended: deliver its result of `size` bytes, or its failure. Returns whether its spawner waits or has
 * called uat_join_defer(). If so, uat_met()->waiter is the spawner, or its rank is UAT_WAITER_FLOW. */
bool uat_meet_child(uint64_t name, const void *result, uint32_t size);

/* Has the child ended, or each of the group's children? This takes one READ. The answer "no" may be out of date. */
bool uat_meet_asks(const uat_group_t *group, uint64_t name);

/* Called when uat_meet_asks() has said that the joiner is second: get the result of `size` bytes. */
void uat_meet_second(const uat_group_t *group, uint64_t name, uint64_t size);

/* Store the waiter in the record. Returns whether the child had already ended, or for a group, whether all its children
 * had. If so, the waiter is unused, and the result is in the buffers. */
bool uat_meet_joiner(const uat_group_t *group, uint64_t name, const struct uat_waiter *waiter, uint64_t size);

#endif
