/* SPDX-License-Identifier: MIT */
/* The views that children leave for the task that joins them: V3 to V6 of views.h. */
#ifndef UAT_VIEWS_LEFT_H
#define UAT_VIEWS_LEFT_H

#include <stdbool.h>
#include <stdint.h>

/* Reserve the local buffers of views in the segment. */
void uat_views_left_reserve(void);

/* A child ends apart from its spawner (V3), or a part of a team ends (the record is then the team's group). record: the
 * name of the join record. index: the child's number in its group, in the order in which the children parted, or 0. */
void uat_views_leave(uint64_t record, uint64_t index);

/* Empty the record's list, whose head is `list` (V5). Called on the scheduler's side before the record is given
 * back. */
void uat_views_empty_list(uint64_t record, uint64_t list);

/* views_join.c: called by the task that has joined. Combine the views in the list with the task's views (V4). */
void uat_views_take_left(uint64_t list);

/* Combine the views in this list of blocks with the running strand's, in the order of the children. Gives the blocks
 * back. */
void uat_views_add_blocks(uint64_t list);

/* Move the strand's views, of which there are some, to a new block of this worker's heap. Returns the block's name.
 * uat_views_add_block() combines the views of such a block with the running strand's, and gives the block back. */
uint64_t uat_views_put_in_block(void);
void uat_views_add_block(uint64_t name);

/* Take slots for the children 0 to count - 1 of a group of this worker's record, before any of them starts (V6).
 * count >= 1. Returns the name of the slots. 0: there is no memory, or the program seems to have no reducers; then the
 * children push their views to the record's list (V3). uat_views_slots_put() gives them back, after the children were
 * joined. */
uint64_t uat_views_slots_take(int count);
void uat_views_slots_put(uint64_t name);

/* Called by the task of child `index`, as the last that it does with views: leave the strand's views in its slot. */
void uat_views_leave_in_slot(uint64_t name, uint64_t record, uint64_t index);

/* Is this head of a record's list the name of slots? uat_views_add_slots() combines the views in the slots with the
 * running strand's, in the order of the children. */
bool uat_views_in_slots(uint64_t list);
void uat_views_add_slots(uint64_t name);

/* Room in the segment for the old value of an atomic of this worker. */
uint64_t *uat_views_landing(void);

#endif
