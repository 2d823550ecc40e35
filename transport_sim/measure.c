/* SPDX-License-Identifier: MIT */
#include "transport_sim/token.h"

#include <time.h>

#include "transport_sim/world.h"

static uint64_t begun; /* ns of this thread's processor time */

static uint64_t processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t uat_sim_measure_take(void)
{
    uint64_t percent = uat_sim.world->settings.cpu_percent;
    return percent == 0 ? 0 : (processor_time() - begun) * percent / 100;
}

void uat_sim_measure_restart(void)
{
    if (uat_sim.world->settings.cpu_percent > 0)
        begun = processor_time();
}
