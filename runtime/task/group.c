/* SPDX-License-Identifier: MIT */
#include "runtime/task/group.h"

#include "runtime/job/fatal.h"
#include "runtime/segment/record.h"

uint64_t uat_group_record(uat_task_t *task)
{
    uat_group_t *group = uat_group_of(task);
    if (group && group->self != group)
        uat_fatal(
            "the group at %p was never begun, or is a copy; call uat_group_begin() in the task that spawns into it",
            (void *)group);
    return group ? group->record : 0;
}

uint64_t uat_group_keep(uat_task_t *task, uint64_t name)
{
    uat_group_t *group = uat_group_of(task);
    if (group)
        group->record = name |= UAT_RECORD_GROUP;
    return name;
}

bool uat_group_forget(uat_task_t *task)
{
    uat_group_t *group = uat_group_of(task);
    if (group && group->parted > 0)
        return false;
    if (group)
        group->record = 0;
    return true;
}

uint32_t uat_group_clear(uat_group_t *group)
{
    uint32_t parted = (uint32_t)group->parted;
    group->parted = 0;
    group->record = 0;
    return parted;
}
