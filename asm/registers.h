/* SPDX-License-Identifier: MIT */
/* For tests, not part of the library: functions that fill the callee-saved registers. */
#ifndef UAT_REGISTERS_H
#define UAT_REGISTERS_H

#include "include/uat.h"

/* Call uat_spawn() with known values in the callee-saved registers. Returns the number of registers that the call has
 * changed. */
uint64_t uat_registers_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result,
                             size_t result_size);

/* A task that changes all of these registers and restores them. Its argument is a number, its result is the number plus
 * 1. */
void uat_registers_task(void *arg, void *result);

#endif
