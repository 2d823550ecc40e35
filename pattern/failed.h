/* SPDX-License-Identifier: MIT */
/* What a pattern does when a body that it has called, or a child that it has joined, has failed. See
 * uat/detail/failure.h. */
#ifndef UAT_FAILED_H
#define UAT_FAILED_H

#include <stdbool.h>

#include "include/uat/detail/failure.h"

static inline bool uat_failed(void)
{
    return __builtin_expect(uat_failing.yes != 0, 0);
}

/* Join. If both the running task and the child have failed, one failure remains: the child's if it comes before this
 * task's in serial order. */
void uat_join_failed(uat_task_t *task, bool child_is_first);
static inline void uat_pattern_join(uat_task_t *task, bool child_is_first)
{
    if (uat_failed())
        uat_join_failed(task, child_is_first);
    else
        uat_join(task);
}

#endif
