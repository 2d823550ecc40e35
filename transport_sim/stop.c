/* SPDX-License-Identifier: MIT */
#include "transport_sim/token.h"

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "base/log.h"

void uat_sim_stop_here(void)
{
    struct sim_world *w = uat_sim.world;
    if (w->settings.stop_rank >= 0 && w->settings.stop_rank != uat_sim.rank)
        return;
    w->stop_at = SIM_NEVER;
    uat_error("pid %d stops at %" PRIu64
              " ns of virtual time: inspect it by gdb -p %d; kill -CONT %d continues the job",
              getpid(), uat_sim.me->clock, getpid(), getpid());
    raise(SIGSTOP); /* this worker has the token, so time stands still for all workers */
}
