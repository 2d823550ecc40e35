/* SPDX-License-Identifier: MIT */
#include "transport_sim/token.h"

#include "base/virtual.h"
#include "transport_sim/memory.h"
#include "transport_sim/operation.h"
#include "transport_sim/progress.h"
#include "transport_sim/world.h"

/* Under the adversary, one delay in REST_EVERY lasts up to REST_MAX round trips. Of the other delays, one in STEP_EVERY
 * lasts up to half a round trip. */
enum { REST_EVERY = 512, REST_MAX = 30, STEP_EVERY = 3 };

void uat_sim_hook_enter(void)
{
    uat_sim.me->clock += uat_sim_measure_take(); /* S2 holds again before the hook ends */
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
    uat_sim_chain_turn_away();
    uat_sim.world->tasks++;
    uint64_t ns = uat_sim.world->settings.task;
    if (sim_adverse() && uat_sim.inside)
        pass(1 + uat_sim_random(2 * ns));
    else if (uat_sim.ahead + ns > uat_sim.world->settings.quantum)
        pass(ns);
    else
        uat_sim_pass_later(ns);
}

static void copy(size_t bytes)
{
    uint64_t speed = uat_sim.world->settings.network.copy;
    if (speed > 0)
        pass(sim_transfer(bytes, speed));
}

static void fault(uint64_t pages, bool steal)
{
    uint64_t ns = uat_sim.world->settings.network.fault;
    if (ns == 0 || !uat_sim.inside)
        return;
    if (steal) { /* one worker runs at a time */
        uat_sim.world->steals++;
        uat_sim.world->faults += pages;
    }
    pass(pages * ns);
}

/* Restore S2 if a hook has deferred it. */
static void catch_up(void)
{
    if (uat_sim.ahead > 0)
        pass(0);
}

static void delay(void)
{
    if (!uat_sim.inside || !sim_adverse()) {
        catch_up();
        return;
    }
    uat_sim_chain_turn_away();
    uint64_t way = uat_sim.world->settings.network.one_way;
    if (uat_sim_random(REST_EVERY) == 0)
        pass(uat_sim_random(2 * REST_MAX * way));
    else if (uat_sim_random(STEP_EVERY) == 0)
        pass(uat_sim_random(way));
    else
        pass(uat_sim_random(8));
}

static void wait_in(enum sim_state state)
{
    if (!uat_sim.inside)
        return;
    uint64_t changes = uat_sim.me->changes, clock = uat_sim.me->clock;
    uat_sim_hook_enter();
    if (uat_sim.me->clock > clock)
        uat_sim_pass(0); /* the word may have changed during the measured time, after the caller read it */
    if (uat_sim.me->changes == changes)
        uat_sim_sleep(state);
    uat_sim_hook_leave();
}

static void wait(void)
{
    wait_in(SIM_WAITS);
}

static void complete(void)
{
    wait_in(SIM_WAITS_OWN);
}

static void fence(void)
{
    catch_up();
    if (uat_sim.inside)
        uat_sim_stores_drain();
}

static void store(uint64_t *word, uint64_t value)
{
    catch_up();
    uat_sim_stores_add(word, value, false);
}

static void release(uint64_t *word, uint64_t value)
{
    catch_up();
    uat_sim_stores_add(word, value, true);
}

static const struct uat_virtual table = {
    .now = now,
    .run = uat_sim_progress_run,
    .task = task,
    .work = pass,
    .copy = copy,
    .fault = fault,
    .pause = pass,
    .wait = wait,
    .complete = complete,
    .delay = delay,
    .fence = fence,
    .store = store,
    .release = release,
};

void uat_sim_hooks_set(void)
{
    uat_virtual = &table;
}
