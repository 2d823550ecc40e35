/* SPDX-License-Identifier: MIT */
/*
 * Task groups (include/uat.h), where spawn and join see them. All children of a group that part from their spawner
 * share one join record (J4). The group holds it from the first publication of its spawner until the wait, or until the
 * child of that publication has ended here, if no other child lives elsewhere.
 */
#ifndef UAT_RUNTIME_GROUP_H
#define UAT_RUNTIME_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat.h"

/* The group whose handle this is, or NULL: an ordinary handle. */
static inline uat_group_t *uat_group_of(uat_task_t *task)
{
    return task->result == UAT_GROUP_RESULT ? (uat_group_t *)(void *)task : NULL;
}

/* The name of the record that the handle's group holds. 0: none, or an ordinary handle. Ends the job if the handle is
 * that of a group that was never begun. */
uint64_t uat_group_record(uat_task_t *task);

/* Have the handle's group hold the record. Returns the name by which child and spawner know it. */
uint64_t uat_group_keep(uat_task_t *task, uint64_t name);

/* The child that is being spawned did not part after all. Returns true if nothing else needs its record, which the
 * group no longer holds. */
bool uat_group_forget(uat_task_t *task);

/* All children have ended and are joined: make the group empty. Returns their number. */
uint32_t uat_group_clear(uat_group_t *group);

#endif
