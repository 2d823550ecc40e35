/* SPDX-License-Identifier: MIT */
#include "runtime/task/worker.h"

#include "base/kernel.h"

struct uat_worker uat_worker = {.deque = UAT_DEQUE_CLOSED};
UAT_KERNEL(uat_worker);
uat_stats_detail_t uat_task_counts;

#ifdef UAT_SPAWN_FRAME
/* The name by which the inline spawn of a program finds the worker. The library uses the hidden name, which needs no
 * load of an address. Here it has the type of the whole, so that the address sanitizer sees no end within it. */
extern struct uat_worker uat_spawn_whole __asm__("uat_spawn_words")
    __attribute__((alias("uat_worker"), visibility("default")));

#define ASSERT_WORD(field, offset)                                                                                     \
    _Static_assert(offsetof(struct uat_spawn_words, field) == (offset), "include/uat/detail/spawn.h: " #field)
ASSERT_WORD(top, UAT_WORKER_TOP);
ASSERT_WORD(look, UAT_WORKER_LOOK);
ASSERT_WORD(push_claims, UAT_WORKER_PUSH_CLAIMS);
ASSERT_WORD(pop_claims, UAT_WORKER_POP_CLAIMS);
ASSERT_WORD(tasks, UAT_WORKER_TASKS);
_Static_assert(UAT_SPAWN_SAVED == UAT_SAVED_SIZE && UAT_SPAWN_FRAME == UAT_FRAME_SIZE && UAT_FRAME_TASK == 0 &&
                   UAT_FRAME_RESULT_SIZE == 16 && UAT_FRAME_PENDING == 20 && UAT_TASK_RESULT == 8,
               "include/uat/detail/spawn.h: the numbers in the assembly");
#endif

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
