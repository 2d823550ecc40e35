/* SPDX-License-Identifier: MIT */
/* What a program asks about itself while it runs. */
#include "base/clock.h"
#include "base/virtual.h"
#include "include/uat.h"
#include "runtime/job/self.h"

uint64_t uat_time_ns(void)
{
    return uat_clock_ns();
}

void uat_sim_work(uint64_t ns)
{
    if (UAT_IS_VIRTUAL())
        uat_virtual->work(ns);
}

int uat_rank(void)
{
    return uat_self.rank;
}

int uat_size(void)
{
    return uat_self.size;
}
