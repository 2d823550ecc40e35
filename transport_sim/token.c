/* SPDX-License-Identifier: MIT */
/*
 * The token is the right to access the world and to run program and runtime. A process passes the token on through the
 * futex `go` of the next worker. The store that gives the token is a release, and the load that takes the token is an
 * acquire. This pair orders the giver's accesses to world and segments before the taker's accesses.
 */
#include "transport_sim/token.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transport_sim/cost.h"
#include "transport_sim/operation.h"
#include "transport_sim/queue.h"

void uat_sim_token_await(uint32_t *go)
{
    /* Acquire: pairs with the store in uat_sim_token_give() of the process that had the token before. */
    while (__atomic_load_n(go, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, go, FUTEX_WAIT, 0, NULL, NULL, 0);
    __atomic_store_n(go, 0, __ATOMIC_RELAXED); /* nobody sets the word again before this worker has passed the token
                                                * on */
}

void uat_sim_token_give(uint32_t *go)
{
    /* Release: pairs with the load in uat_sim_token_await() of the process that gets the token. */
    __atomic_store_n(go, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, go, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void take_token(void)
{
    uat_sim_token_await(&uat_sim.me->go);
}

static void give_token(int rank)
{
    uat_sim.world->switches++;
    uat_sim_token_give(&uat_sim.world->worker[rank].go);
}

/* Execute items until the next item is a worker. Returns that worker's rank, or -1 if the queue is empty. */
static int next_worker(void)
{
    struct sim_world *w = uat_sim.world;
    while (w->count > 0) {
        struct sim_item item = uat_sim_queue_take();
        if (w->settings.limit > 0 && item.time > w->settings.limit)
            uat_sim_fail_limit(item.time);
        w->items += sim_kind_of(&item) != SIM_POST;
        if (sim_kind_of(&item) == SIM_WORKER)
            return sim_rank_of(&item);
        uat_sim_operate(&item);
    }
    return -1;
}

void uat_sim_token_pass_on(void)
{
    int next = next_worker();
    if (next < 0)
        uat_sim_fail_deadlock();
    give_token(next);
}

/* If operations are due before the next worker's turn, give the token to the executor. Returns whether it gave the
 * token. */
static bool give_to_executor(void)
{
    struct sim_world *w = uat_sim.world;
    const struct sim_item *top = sim_queue_top();
    /* Relaxed: pairs with the store in uat_sim_executor_start(). The token orders everything else. */
    if (!__atomic_load_n(&w->executes, __ATOMIC_RELAXED) || !top || sim_kind_of(top) == SIM_WORKER)
        return false;
    uat_sim_token_give(&w->execute);
    return true;
}

/* Let other workers run until it is this worker's turn. This worker must be in the queue, or asleep. */
static void give_way(void)
{
    if (give_to_executor()) {
        take_token();
        return;
    }
    int next = next_worker();
    if (next < 0)
        uat_sim_fail_deadlock();
    if (next != uat_sim.rank) {
        give_token(next);
        take_token();
    }
}

/* Does S2 hold for this worker? top: the next item of the queue. */
static bool may_go_on(const struct sim_item *top)
{
    const struct sim_worker *me = uat_sim.me;
    uint64_t others = top->time + uat_sim.world->settings.lookahead;
    uint64_t own = me->touching == 0 ? SIM_NEVER : me->touched > top->time ? me->touched : top->time;
    return me->clock < others && me->clock < own;
}

void uat_sim_pass(uint64_t ns)
{
    struct sim_worker *me = uat_sim.me;
    const struct sim_item *top;
    me->clock += ns;
    uat_sim.ahead = 0;
    while ((top = sim_queue_top()) && !may_go_on(top)) {
        if (sim_kind_of(top) != SIM_WORKER && top->time <= me->clock) {
            struct sim_item item = uat_sim_queue_take(); /* this process executes the item, so the token need not
                                                          * move */
            uat_sim.world->items += sim_kind_of(&item) != SIM_POST;
            uat_sim_operate(&item);
            continue;
        }
        if (top->time > me->clock || (top->time == me->clock && sim_rank_of(top) > uat_sim.rank))
            break; /* this worker is the first in the order of S1 */
        uat_sim_wake(uat_sim.rank, me->clock);
        give_way();
    }
    if (uat_sim.world->settings.limit > 0 && me->clock > uat_sim.world->settings.limit)
        uat_sim_fail_limit(me->clock);
    sim_stop_look();
}

void uat_sim_pass_later(uint64_t ns)
{
    uat_sim.me->clock += ns;
    uat_sim.ahead += ns;
}

void uat_sim_sleep(enum sim_state state)
{
    uat_sim.ahead = 0; /* the queue wakes this worker at its clock or later */
    uat_sim.me->state = state;
    give_way();
    sim_stop_look();
}

void uat_sim_leave(void)
{
    struct sim_world *w = uat_sim.world;
    uat_sim.inside = false;
    uat_sim_cost_add(&w->cost.until);
    uat_sim_cost_left(w);
    uat_sim_cost_memory(w);
    uat_sim.me->state = SIM_LEFT;
    w->left++;
    int next = next_worker();
    if (next >= 0)
        give_token(next);
    else if (w->left < (uint32_t)w->settings.size)
        uat_sim_fail_deadlock();
}

/* This affects only the speed. Passing the token between cores takes several times as long as on one core. Under
 * SCHED_BATCH, a woken process does not preempt the process that wakes it. The waking process is about to wait for its
 * next turn anyway, so a preemption would only cost one more context switch. */
void uat_sim_token_share_core(void)
{
    if (uat_sim.world->core < 0)
        return;
    static const struct sched_param none;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(uat_sim.world->core, &set);
    sched_setaffinity(0, sizeof(set), &set);
    if (sched_getscheduler(0) == SCHED_OTHER) /* keep a policy that the user has chosen, for example by chrt -f */
        sched_setscheduler(0, SCHED_BATCH, &none);
}

void uat_sim_begin(void)
{
    struct sim_world *w = uat_sim.world;
    uat_sim_token_share_core();
    uat_sim_cost_add(&w->cost.before);
    /* Acquire and release: pairs with this addition in every other worker. The pair orders all preparations before the
     * start. */
    bool last = __atomic_add_fetch(&w->arrived, 1, __ATOMIC_ACQ_REL) == (uint32_t)w->settings.size;
    if (last) {
        uat_sim_cost_started(w);
        for (int i = 0; i < w->settings.size; i++)
            uat_sim_wake(i, 0);
        int first = next_worker();
        if (first != uat_sim.rank) {
            give_token(first);
            take_token();
        }
    } else {
        take_token();
    }
    uat_sim.inside = true;
    uat_sim_measure_restart();
}
