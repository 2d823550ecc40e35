/* SPDX-License-Identifier: MIT */
#ifndef UAT_SPAWN_H
#define UAT_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The deque is about to publish the continuation at sp: make the join record, name it in the spawner's uat_task_t and
 * in the child's frame. False if no record is free. */
bool uat_spawn_part(void *context, uintptr_t sp);

/* Called by asm/x86_64/spawn.S only. */
void uat_task_pushed(uintptr_t sp);
void uat_task_returned(uintptr_t sp);
void uat_task_check(uintptr_t sp, size_t arg_size, size_t result_size);

#endif
