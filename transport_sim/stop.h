/* SPDX-License-Identifier: MIT */
/* UAT_SIM_STOP: stop for a debugger at a moment of virtual time. */
#ifndef UAT_SIM_STOP_H
#define UAT_SIM_STOP_H

#include "transport_sim/world.h"

void uat_sim_stop_here(void);

/* Stop this worker with SIGSTOP if the moment is reached, once per job. Call it with the token when the clock moved. */
static inline void sim_stop_look(void)
{
    if (__builtin_expect(uat_sim.me->clock >= uat_sim.world->stop_at, 0))
        uat_sim_stop_here();
}

#endif
