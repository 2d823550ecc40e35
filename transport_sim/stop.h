/* SPDX-License-Identifier: MIT */
/* Stop for a debugger at a moment of virtual time: UAT_SIM_STOP, UAT_SIM_STOP_RANK. */
#ifndef UAT_SIM_STOP_H
#define UAT_SIM_STOP_H

#include "transport_sim/world.h"

void uat_sim_stop_here(void);

/* This worker's clock has moved, and it has the token: stop it with SIGSTOP if the moment is reached, once in a job. */
static inline void sim_stop_look(void)
{
    if (__builtin_expect(uat_sim.me->clock >= uat_sim.world->stop_at, 0))
        uat_sim_stop_here();
}

#endif
