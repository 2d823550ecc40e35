/* SPDX-License-Identifier: MIT */
/* A moment: the time-stamp counter and the clock, read together. In virtual time both count virtual nanoseconds. */
#ifndef UAT_TSC_H
#define UAT_TSC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "uat.h"

struct uat_moment {
    uint64_t cycles;
    double seconds;
};

static inline bool uat_time_is_virtual(void)
{
    const char *time = uat_setting("time");
    return time && time[0] == 'v';
}

static inline struct uat_moment uat_moment_now(void)
{
    uint64_t ns = uat_time_ns();

    return (struct uat_moment){uat_time_is_virtual() ? ns : uat_cpu_counter(), 1e-9 * (double)ns};
}

#endif
