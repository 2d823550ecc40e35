/* SPDX-License-Identifier: MIT */
/* How an idle worker waits between two attempts to steal: spin, then give the core away, then sleep if cores are
 * short. */
#ifndef UAT_IDLE_H
#define UAT_IDLE_H

#include <stdbool.h>

struct uat_idle {
    unsigned failures; /* in a row */
};

/* After a failed attempt. lost: another thief was there; back off for a random while, so that many do not livelock. */
void uat_idle(struct uat_idle *idle, bool lost);

#endif
