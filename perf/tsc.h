/* SPDX-License-Identifier: MIT */
/* Moments read from the time-stamp counter and from the clock at once. */
#ifndef UAT_TSC_H
#define UAT_TSC_H

#include <stdint.h>
#include <time.h>

#include "base/cpu.h"

struct uat_moment {
    uint64_t cycles;
    double seconds;
};

static inline struct uat_moment uat_moment_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (struct uat_moment){uat_cpu_counter(), (double)now.tv_sec + 1e-9 * (double)now.tv_nsec};
}

#endif
