/* SPDX-License-Identifier: MIT */
/* The views that children leave for the task that joins them: V3 to V5 of views.h. uat_join_wait() is here, too. */
#ifndef UAT_VIEWS_LEFT_H
#define UAT_VIEWS_LEFT_H

#include <stdint.h>

/* Reserve the local buffers of views in the segment. */
void uat_views_left_reserve(void);

/* A child ends apart from its spawner (V3). record: the name of the join record. index: the child's number in its
 * group, in the order in which the children parted, or 0. */
void uat_views_leave(uint64_t record, uint64_t index);

/* Empty the record's list, whose head is `list` (V5). Called on the scheduler's side before the record is given
 * back. */
void uat_views_empty_list(uint64_t record, uint64_t list);

/* Called by the task that has joined: combine the views in the list with the task's views (V4). */
void uat_views_take_left(uint64_t list);

#endif
