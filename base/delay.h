/* SPDX-License-Identifier: MIT */
/*
 * Torture: random delays between any two steps of owner and thief, to widen windows of a few cycles, and random choices
 * where either way is right. Off unless UAT_TORTURE=delay=SEED is set. While off, it costs one predictable branch, on
 * slow paths only.
 */
#ifndef UAT_DELAY_H
#define UAT_DELAY_H

#include <stdbool.h>
#include <stdint.h>

extern bool uat_delay_on;

/* Turn delays on. The seed differs between workers; a simulation ignores it and uses its own. */
void uat_delay_start(uint64_t seed);
void uat_delay_now(void);
bool uat_delay_coin(void);

static inline void uat_delay(void)
{
    if (__builtin_expect(uat_delay_on, 0))
        uat_delay_now();
}

/* A choice between two ways that are both right: returns `usual`, or under torture a random value. */
static inline bool uat_delay_choice(bool usual)
{
    return __builtin_expect(uat_delay_on, 0) ? uat_delay_coin() : usual;
}

#endif
