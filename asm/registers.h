/* SPDX-License-Identifier: MIT */
/* For tests: functions that fill the registers which a call preserves. They are not part of the library. */
#ifndef UAT_REGISTERS_H
#define UAT_REGISTERS_H

#include "include/uat.h"

/* uat_spawn() with known values in the registers that a call preserves. Returns how many of them have changed
 * afterwards. */
uint64_t uat_registers_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result,
                             size_t result_size);

/* A task that uses all of these registers itself. Its argument is a number, its result the next number. */
void uat_registers_task(void *arg, void *result);

#endif
