/* SPDX-License-Identifier: MIT */
#include "transport_sim/hooks.h"

#include "base/virtual.h"
#include "transport_sim/measure.h"
#include "transport_sim/stores.h"
#include "transport_sim/token.h"
#include "transport_sim/world.h"

/* Adverse: how often a worker stops between two steps, and for how long, in round trips. */
enum { REST_EVERY = 512, REST_MAX = 30, STEP_EVERY = 3 };

void uat_sim_hook_enter(void)
{
    uat_sim.me->clock += uat_sim_measure_take(); /* S2 is seen to before the hook ends */
}

void uat_sim_hook_leave(void)
{
    uat_sim_measure_restart();
}

static uint64_t now(void)
{
    return uat_sim.me->clock + (uat_sim.inside ? uat_sim_measure_take() : 0);
}

static void pass(uint64_t ns)
{
    if (!uat_sim.inside)
        return;
    uat_sim_hook_enter();
    uat_sim_pass(ns);
    uat_sim_hook_leave();
}

static void task(void)
{
    uint64_t ns = uat_sim.world->settings.task;
    pass(sim_adverse() && uat_sim.inside ? 1 + uat_sim_random(2 * ns) : ns);
}

static void delay(void)
{
    if (!uat_sim.inside || !sim_adverse())
        return;
    uint64_t way = uat_sim.world->settings.network.one_way;
    if (uat_sim_random(REST_EVERY) == 0)
        pass(uat_sim_random(2 * REST_MAX * way));
    else if (uat_sim_random(STEP_EVERY) == 0)
        pass(uat_sim_random(way));
    else
        pass(uat_sim_random(8));
}

static void wait(void)
{
    if (!uat_sim.inside)
        return;
    uat_sim_hook_enter();
    uint64_t changes = uat_sim.me->changes;
    uat_sim_pass(0); /* in the measured time since the caller's look the word may have changed */
    if (uat_sim.me->changes == changes)
        uat_sim_sleep(SIM_WAITS);
    uat_sim_hook_leave();
}

static void fence(void)
{
    if (uat_sim.inside)
        uat_sim_stores_drain();
}

static const struct uat_virtual table = {
    .now = now,
    .task = task,
    .work = pass,
    .pause = pass,
    .wait = wait,
    .delay = delay,
    .fence = fence,
    .store = uat_sim_stores_add,
};

void uat_sim_hooks_set(void)
{
    uat_virtual = &table;
}
