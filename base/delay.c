/* SPDX-License-Identifier: MIT */
#include "base/delay.h"

#include <sched.h>

#include "base/cpu.h"

bool uat_delay_on;
static uint64_t delay_random;

void uat_delay_start(uint64_t seed)
{
    delay_random = seed * 0x9e3779b97f4a7c15u | 1;
    uat_delay_on = true;
}

/* Usually nothing, often some hundred cycles, rarely long enough for a peer's whole round. */
void uat_delay_now(void)
{
    delay_random ^= delay_random << 13;
    delay_random ^= delay_random >> 7;
    delay_random ^= delay_random << 17;
    unsigned kind = delay_random >> 32 & 63;
    if (kind < 2)
        sched_yield();
    else if (kind < 16)
        for (unsigned n = delay_random >> 40 & 255; n > 0; n--)
            uat_cpu_pause();
}
