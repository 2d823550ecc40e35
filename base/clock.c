/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <time.h>

#include "base/kernel.h"
#include "base/virtual.h"

const struct uat_virtual *uat_virtual;
UAT_KERNEL(uat_virtual);

static struct timespec read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return t;
}

uint64_t uat_clock_ns(void)
{
    if (UAT_IS_VIRTUAL())
        return uat_virtual->now();
    struct timespec t = read_clock(CLOCK_MONOTONIC);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t uat_clock_seconds(void)
{
    if (UAT_IS_VIRTUAL())
        return uat_virtual->now() / 1000000000;
    return (uint64_t)read_clock(CLOCK_MONOTONIC_COARSE).tv_sec;
}
