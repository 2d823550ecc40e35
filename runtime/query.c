/* SPDX-License-Identifier: MIT */
/* What a program asks about itself while it runs. */
#include "base/clock.h"
#include "base/virtual.h"
#include "include/uat.h"
#include "include/uat/checkpoint.h"
#include "runtime/job/self.h"
#include "runtime/task/worker.h"
#include "runtime/segment/segment.h"

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

int uat_restarted(void)
{
    return (int)uat_self.restarts;
}

int uat_is_running(void)
{
    return uat_self.transport != NULL;
}

int uat_in_task(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= uat_segment.low && here < uat_segment.high && uat_worker.running;
}
