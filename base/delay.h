/* SPDX-License-Identifier: MIT */
/*
 * Torture. Random delays between the steps of owner and thief widen races of a few cycles. Torture mode also chooses at
 * random between alternatives that are both correct. The delays are off unless UAT_TORTURE=delay=SEED is set. While
 * they are off, each call costs one predictable branch, on slow paths only.
 */
#ifndef UAT_DELAY_H
#define UAT_DELAY_H

#include <stdbool.h>
#include <stdint.h>

extern bool uat_delay_on;

/* Turn delays on. Each worker must pass a different seed. In a simulation, only uat_delay_coin() uses this seed; the
 * delays use UAT_SIM_SEED. */
void uat_delay_start(uint64_t seed);
void uat_delay_now(void);
bool uat_delay_coin(void);

static inline void uat_delay(void)
{
    if (__builtin_expect(uat_delay_on, 0))
        uat_delay_now();
}

/* A choice between two correct alternatives. Returns `usual`; under torture, returns a random value. */
static inline bool uat_delay_choice(bool usual)
{
    return __builtin_expect(uat_delay_on, 0) ? uat_delay_coin() : usual;
}

#endif
