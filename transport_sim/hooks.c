/* SPDX-License-Identifier: MIT */
#include "transport_sim/hooks.h"

#include "base/virtual.h"
#include "transport_sim/measure.h"
#include "transport_sim/stores.h"
#include "transport_sim/token.h"
#include "transport_sim/world.h"

/* Adverse: how often a worker stops between two steps, and for how long, in round trips. */
enum { REST_EVERY = 512, REST_MAX = 30, STEP_EVERY = 3 };

void sim_hook_enter(void)
{
    sim.me->clock += sim_measure_take(); /* S2 is seen to before the hook ends */
}

void sim_hook_leave(void)
{
    sim_measure_restart();
}

static uint64_t now(void)
{
    return sim.me->clock + (sim.inside ? sim_measure_take() : 0);
}

static void pass(uint64_t ns)
{
    if (!sim.inside)
        return;
    sim_hook_enter();
    sim_pass(ns);
    sim_hook_leave();
}

static void task(void)
{
    uint64_t ns = sim.world->settings.task;
    pass(sim_adverse() && sim.inside ? 1 + sim_random(2 * ns) : ns);
}

static void delay(void)
{
    if (!sim.inside || !sim_adverse())
        return;
    uint64_t way = sim.world->settings.network.one_way;
    if (sim_random(REST_EVERY) == 0)
        pass(sim_random(2 * REST_MAX * way));
    else if (sim_random(STEP_EVERY) == 0)
        pass(sim_random(way));
    else
        pass(sim_random(8));
}

static void wait(void)
{
    if (!sim.inside)
        return;
    sim_hook_enter();
    uint64_t changes = sim.me->changes;
    sim_pass(0); /* in the measured time since the caller's look the word may have changed */
    if (sim.me->changes == changes)
        sim_sleep(SIM_WAITS);
    sim_hook_leave();
}

static void fence(void)
{
    if (sim.inside)
        sim_stores_drain();
}

static const struct uat_virtual table = {
    .now = now,
    .task = task,
    .work = pass,
    .pause = pass,
    .wait = wait,
    .delay = delay,
    .fence = fence,
    .store = sim_stores_add,
};

void sim_hooks_set(void)
{
    uat_virtual = &table;
}
