/* SPDX-License-Identifier: MIT */
/*
 * The functions of task groups (include/uat.h) that spawn and join use. All children of a group that part from their
 * spawner share one join record (J4). The group holds the record from the first publication of its spawner until the
 * wait. There is one exception. If the child of that publication ends here, and no other child lives elsewhere, the
 * group drops the record earlier.
 */
#ifndef UAT_RUNTIME_GROUP_H
#define UAT_RUNTIME_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat.h"

/* The group to which this handle belongs, or NULL if this is an ordinary handle. */
static inline uat_group_t *uat_group_of(uat_task_t *task)
{
    return task->result == UAT_GROUP_RESULT ? (uat_group_t *)(void *)task : NULL;
}

/* The name of the record that the handle's group holds; 0 if the group holds none, or if this is an ordinary handle.
 * Ends the job if the group was never begun. */
uint64_t uat_group_record(uat_task_t *task);

/* Let the handle's group hold the record. Returns the name by which child and spawner know the record. */
uint64_t uat_group_keep(uat_task_t *task, uint64_t name);

/* Note that the newest child did not part after all. Returns true if nothing else needs its record; in
 * that case the group no longer holds the record. */
bool uat_group_forget(uat_task_t *task);

/* Make the group empty, after all its children have ended and were joined. Returns their number. */
uint32_t uat_group_clear(uat_group_t *group);

#endif
