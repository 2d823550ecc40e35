/* SPDX-License-Identifier: MIT */
#include "transport_sim/token.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "transport_sim/world.h"

enum { SHOWN = 32 /* workers */ };

static const char *doing(const struct sim_worker *worker)
{
    switch ((enum sim_state)worker->state) {
    case SIM_RUNS:
        return "runs";
    case SIM_WAITS:
        return worker->awaited > 0 ? "waits for its operations" : "waits for a peer to change its segment";
    case SIM_WAITS_OWN:
    case SIM_WAITS_ANY:
        return "waits for its operations to end";
    case SIM_LEFT:
        return "has left";
    }
    return "?";
}

static _Noreturn void end(void)
{
    const struct sim_world *w = uat_sim.world;
    int shown = w->settings.size < SHOWN ? w->settings.size : SHOWN;
    for (int i = 0; i < shown; i++)
        uat_error("  rank %d, pid %d, at %" PRIu64 " ns: %s", i, w->worker[i].pid, w->worker[i].clock,
                  doing(&w->worker[i]));
    if (shown < w->settings.size)
        uat_error("  ... and %d more", w->settings.size - shown);
    fflush(NULL);
    if (uat_sim.fail)
        uat_sim.fail();
    _exit(1);
}

void uat_sim_fail_deadlock(void)
{
    uat_error("the simulation cannot continue: every worker waits and no operation is in flight");
    end();
}

void uat_sim_fail_limit(uint64_t time)
{
    uat_error("UAT_SIM_LIMIT=%" PRIu64 " ms of virtual time is reached (%" PRIu64
              " ns); a livelock, or too low a limit",
              uat_sim.world->settings.limit / 1000000, time);
    end();
}
