/* SPDX-License-Identifier: MIT */
/*
 * The floating-point modes: rounding, denormals, trapped exceptions. A call preserves them, so a continuation should
 * bring them along; but to save them would cost each spawn a few cycles, and no program of ours has changed them. So
 * they belong to the worker, and all workers have the same ones. A task that has changed them is found where it parts
 * from its spawner by a steal or waits in a join, and under torture at every spawn.
 */
#ifndef UAT_MODES_H
#define UAT_MODES_H

#include <stdint.h>

#include "base/cpu.h"

extern uint32_t uat_modes_of_run;

/* Those of now are the ones of the run. */
static inline void uat_modes_note(void)
{
    uat_modes_of_run = uat_cpu_modes();
}

/* Ends the job. */
_Noreturn void uat_modes_refuse(void) __attribute__((cold));

/* The running task is about to spawn, to wait or to end. */
static inline void uat_modes_check(void)
{
    if (__builtin_expect(uat_cpu_modes() != uat_modes_of_run, 0))
        uat_modes_refuse();
}

#endif
