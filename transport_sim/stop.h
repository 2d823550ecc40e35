/* SPDX-License-Identifier: MIT */
/* UAT_SIM_LIMIT=stop=TIME: stop a worker for a debugger at a point in virtual time. */
#ifndef UAT_SIM_STOP_H
#define UAT_SIM_STOP_H

#include "transport_sim/world.h"

void uat_sim_stop_here(void);

/* If the clock has reached the point of this setting, stop the worker that the setting names, by SIGSTOP. Stops at
 * most once per job. The caller must have the token. Call this after the clock has moved. */
static inline void sim_stop_look(void)
{
    if (__builtin_expect(uat_sim.me->clock >= uat_sim.world->stop_at, 0))
        uat_sim_stop_here();
}

#endif
