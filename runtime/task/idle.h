/* SPDX-License-Identifier: MIT */
/* How an idle worker waits between two attempts to steal: spin, then give the core away, then sleep if cores are
 * short. */
#ifndef UAT_IDLE_H
#define UAT_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct uat_idle {
    unsigned failures; /* in a row */
};

/* Begin: seed and rank are of the random pauses. */
void uat_idle_open(uint64_t seed, int rank);

/* After a failed attempt. lost: another thief was there; back off for a random while, so that many do not livelock. */
void uat_idle(struct uat_idle *idle, bool lost);

#endif
