/* SPDX-License-Identifier: MIT */
#include "runtime/sched/worker.h"

#include "base/kernel.h"

struct uat_worker uat_worker = {.deque = UAT_DEQUE_CLOSED};
UAT_KERNEL(uat_worker);
uat_stats_detail_t uat_task_counts;

#define ASSERT_OFFSET(field, offset)                                                                                   \
    _Static_assert(__builtin_offsetof(struct uat_worker, field) == (offset), "asm/offsets.h is out of step: " #field)
ASSERT_OFFSET(deque.top, UAT_WORKER_TOP);
ASSERT_OFFSET(deque.look, UAT_WORKER_LOOK);
ASSERT_OFFSET(deque.push_claims, UAT_WORKER_PUSH_CLAIMS);
ASSERT_OFFSET(deque.pop_claims, UAT_WORKER_POP_CLAIMS);
ASSERT_OFFSET(tasks, UAT_WORKER_TASKS);
ASSERT_OFFSET(scheduler_sp, UAT_WORKER_SCHEDULER_SP);
ASSERT_OFFSET(suspended_sp, UAT_WORKER_SUSPENDED_SP);
ASSERT_OFFSET(suspended_task, UAT_WORKER_SUSPENDED_TASK);
