/* SPDX-License-Identifier: MIT */
/* Failures in a pattern: a body that the pattern has called may fail, and so may a child that it has joined. See
 * uat/detail/failure.h. */
#ifndef UAT_FAILED_H
#define UAT_FAILED_H

#include <stdbool.h>

#include "include/uat/detail/failure.h"

static inline bool uat_failed(void)
{
    return __builtin_expect(uat_failing.yes != 0, 0);
}

/* Join. If both the running task and the child have failed, only the first failure in serial order remains. If
 * `child_is_first`, that is the child's failure. */
void uat_join_failed(uat_task_t *task, bool child_is_first);
static inline void uat_pattern_join(uat_task_t *task, bool child_is_first)
{
    if (uat_failed())
        uat_join_failed(task, child_is_first);
    else
        uat_join(task);
}

#endif
