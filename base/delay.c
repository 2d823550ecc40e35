/* SPDX-License-Identifier: MIT */
#include "base/delay.h"

#include <sched.h>

#include "base/cpu.h"
#include "base/kernel.h"
#include "base/random.h"
#include "base/virtual.h"

bool uat_delay_on;
UAT_KERNEL(uat_delay_on);
static struct uat_random delay_random;

void uat_delay_start(uint64_t seed)
{
    delay_random = uat_random_seed(seed, 0);
    uat_delay_on = true;
}

/* Delay by a random time: usually none, sometimes up to 255 pauses, rarely a yield. A yield may last until a peer has
 * used its time slice. */
void uat_delay_now(void)
{
    if (UAT_IS_VIRTUAL()) {
        uat_virtual->delay();
        return;
    }
    uint64_t random = uat_random_next(&delay_random);
    unsigned kind = random >> 32 & 63;
    if (kind < 2)
        sched_yield();
    else if (kind < 16)
        for (unsigned n = random >> 40 & 255; n > 0; n--)
            uat_cpu_pause();
}
UAT_KERNEL(uat_delay_now);

bool uat_delay_coin(void)
{
    return uat_random_next(&delay_random) >> 63;
}
UAT_KERNEL(uat_delay_coin);
