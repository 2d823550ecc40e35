/* SPDX-License-Identifier: MIT */
/*
 * The views of reducers (include/uat/reducer.h). Model: tests/model/reducer.pml.
 *
 *   V1  The worker holds the views of the strand that it runs. It holds none while it is in the scheduler. So a
 *       continuation begins without views, whether it was stolen, given, resumed or left over by a child that waits.
 *       A child that is spawned, and a spawner whose child has ended here, keep the views: they are one strand.
 *   V2  A task that waits has put its views onto its own stack before the stack is copied.
 *   V3  A child that ends apart from its spawner leaves its views in a block of this worker's heap. The child pushes
 *       the block's name to the list `views` of its join record before it adds to the record's state or count.
 *   V4  The task that continues after the join combines the views in the list, as left operands, with its own views, as
 *       right operands. The list of a group's record has a block for each child that had views. The blocks are combined
 *       in the order in which the children parted from their spawner.
 *   V5  Only atomics of adapters change the head of the list. The head is 0 again before the record is given back.
 *   V6  The parts of a team's loop end at the same time, and would push to one list in turn. So the root takes a slot
 *       for each part beforehand, if uat_views_seen. A part WRITEs its views to its slot, and then changes the head of
 *       the list from 0 to the name of the slots, before it adds to the record's count. V4 holds: parts are combined in
 *       their order.
 */
#ifndef UAT_VIEWS_H
#define UAT_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asm/switch.h"
#include "base/kernel.h"
#include "include/uat/detail/reducer.h"

/* Bytes of the running strand's views in flat form: uat_views_size(). 0: it has none. */
extern size_t uat_views_bytes UAT_KERNEL_OBJECT;

/* Has any strand that this worker ran had views, or will the parts of a team have some (profile/spawn.c)? Then teams
 * take slots (V6). */
extern bool uat_views_seen __attribute__((visibility("hidden")));

enum { UAT_VIEWS_ALIGN = 16 }; /* alignment of flat views */

/* End the job if there is no room for flat views of `size` bytes on the running task's stack. */
void uat_views_check_stack(size_t size);

/* Drop the views of a root that has ended. */
void uat_views_drop(void);

/* Also give back their memory. Outside of runs. */
void uat_views_reset(void);

/* uat_suspend() and uat_suspend_word() for a task that has views (V2). */
int uat_views_suspend(struct uat_park *wait);
int uat_views_suspend_word(struct uat_park *wait, uint64_t value, void *to);

#endif
