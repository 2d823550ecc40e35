/* SPDX-License-Identifier: MIT */
/*
 * The floating-point modes: rounding, denormals, trapped exceptions. A call preserves them, so a continuation should
 * carry them. But saving them would cost each spawn a few cycles, and none of our programs changes them. So the modes
 * belong to the worker, and all workers have the same modes. The check detects a task that has changed the modes when a
 * steal parts the task from its spawner, or when the task waits. Under torture the check also runs at every spawn.
 */
#ifndef UAT_MODES_H
#define UAT_MODES_H

#include <stdint.h>

#include "base/cpu.h"

extern uint32_t uat_modes_of_run;

/* Make the current modes the modes of the run. */
static inline void uat_modes_note(void)
{
    uat_modes_of_run = uat_cpu_modes();
}

/* Ends the job. */
_Noreturn void uat_modes_refuse(void) __attribute__((cold));

/* Check the modes when the running task is about to spawn, to wait or to end. */
static inline void uat_modes_check(void)
{
    if (__builtin_expect(uat_cpu_modes() != uat_modes_of_run, 0))
        uat_modes_refuse();
}

#endif
