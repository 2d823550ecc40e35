/* SPDX-License-Identifier: MIT */
#ifndef UAT_SPAWN_H
#define UAT_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make the join record of the continuation at sp. The deque is about to publish this continuation. Store the record's
 * name in the spawner's uat_task_t and in the child's frame. Returns false if no record is free. */
bool uat_spawn_part(void *context, uintptr_t sp);

/* Undo uat_spawn_part(), because child and spawner never parted. */
void uat_spawn_unpart(uintptr_t sp);

/*
 * End the job if sp, the stack pointer of the task that called `call`, is not in the uni-address region. The guard
 * below the region catches accesses to it, but a frame can be larger than the guard. So this check comes before any
 * peer can see the frame. The check also catches another thread, or a signal handler on its own stack.
 */
void uat_task_check_stack(uintptr_t sp, const char *call);

/* Called by spawn.S only. */
uintptr_t uat_task_pushed(uintptr_t sp, uintptr_t low);
uintptr_t uat_task_returned(uintptr_t sp);
void uat_task_check(uintptr_t sp, size_t arg_size, size_t result_size);

#endif
