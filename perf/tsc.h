/* SPDX-License-Identifier: MIT */
/* Moments, read from the time-stamp counter and the clock at once. In virtual time both are that, in nanoseconds. */
#ifndef UAT_TSC_H
#define UAT_TSC_H

#include <stdint.h>

#include "base/cpu.h"
#include "uat.h"

struct uat_moment {
    uint64_t cycles;
    double seconds;
};

static inline struct uat_moment uat_moment_now(void)
{
    const char *time = uat_setting("time");
    uint64_t ns = uat_time();

    return (struct uat_moment){time && time[0] == 'v' ? ns : uat_cpu_counter(), 1e-9 * (double)ns};
}

#endif
