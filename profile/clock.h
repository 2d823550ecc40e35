/* SPDX-License-Identifier: MIT */
/* The clock of the profile, and the waits that it counts. */
#ifndef UAT_PROFILE_CLOCK_H
#define UAT_PROFILE_CLOCK_H

#include "profile/strand.h"

/* Take the first reading of the clock, early; and set its rate, at the start of a run. */
void uat_profile_clock_open(void);
void uat_profile_clock_set(void);
bool uat_profile_is_virtual(void);

/* A call in which the task may leave the processor, and may come back on another worker. It lives in the caller's
 * frame. */
struct uat_wait {
    uint64_t begin, host, stretches; /* uat_profile_stretches */
};

/* Before and after such a call. Afterwards the caller calls uat_profile_start(). me: may be NULL. */
struct uat_wait uat_wait_begin(struct uat_strand *me);
void uat_wait_end(const struct uat_wait *w, struct uat_strand *me);

#endif
