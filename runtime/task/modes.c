/* SPDX-License-Identifier: MIT */
#include "runtime/task/modes.h"

#include "runtime/job/fatal.h"

uint32_t uat_modes_of_run;

void uat_modes_refuse(void)
{
    uat_fatal(
        "a task has changed the rounding mode or another floating-point mode (0x%08x, was 0x%08x), and a task that is "
        "stolen loses it: restore it before the next spawn, join, wait or end of the task, or set it on all workers "
        "before "
        "uat_run()",
        uat_cpu_modes(), uat_modes_of_run);
}
