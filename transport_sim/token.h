/* SPDX-License-Identifier: MIT */
/* Decides which worker runs: the one that has the token. */
#ifndef UAT_SIM_TOKEN_H
#define UAT_SIM_TOKEN_H

#include <stdint.h>

#include "transport_sim/world.h"

/* Advance this worker's clock by ns. Returns when S2 holds. */
void uat_sim_pass(uint64_t ns);

/* Advance this worker's clock by ns without waiting for S2: see S3. */
void uat_sim_pass_later(uint64_t ns);

/* Sleep in this state until uat_sim_wake(). */
void uat_sim_sleep(enum sim_state state);

/* This worker leaves the simulation, and the next worker gets the token. */
void uat_sim_leave(void);

/* Wait for all workers; the last worker to arrive starts the simulation. Returns when it is this worker's turn. */
void uat_sim_begin(void);

/* Take and give the token through `go`, the word of a worker or of the executor. */
void uat_sim_token_await(uint32_t *go);
void uat_sim_token_give(uint32_t *go);

/* Execute items until the next item is a worker, and give that worker the token. The caller must have the token. */
void uat_sim_token_pass_on(void);

/* Bind this process to the simulation's core, if there is one. */
void uat_sim_token_share_core(void);

/* End a simulation that cannot continue: report the states of the first 32 workers, then exit. */

/* Deadlock: the queue is empty, and some workers have not left. */
_Noreturn void uat_sim_fail_deadlock(void) __attribute__((cold));

/* UAT_SIM_LIMIT has been reached. */
_Noreturn void uat_sim_fail_limit(uint64_t time) __attribute__((cold));

/* UAT_SIM_TASK=...,cpu=N adds to virtual time N percent of the processor time of program and runtime. */

/* Virtual time in ns since the last call of uat_sim_measure_restart(); 0 unless cpu= is set. */
uint64_t uat_sim_measure_take(void);

/* Start to measure. Call this just before the program continues, so that the simulation's own processor time is not
 * counted. */
void uat_sim_measure_restart(void);

/* UAT_SIM_LIMIT=stop=TIME: stop this worker for a debugger, if the setting names it. */
void uat_sim_stop_here(void);

/* If the clock has reached the point of this setting, stop the worker that the setting names, by SIGSTOP. Stops at
 * most once per job. The caller must have the token. Call this after the clock has moved. */
static inline void sim_stop_look(void)
{
    if (__builtin_expect(uat_sim.me->clock >= uat_sim.world->stop_at, 0))
        uat_sim_stop_here();
}

/* Install the hooks of base/virtual.h. From then on, this process runs in virtual time. */
void uat_sim_hooks_set(void);

/* Enter or leave a hook of the transport. From leaving one hook to entering the next, this worker's clock advances by
 * the processor time that the program uses. */
void uat_sim_hook_enter(void);
void uat_sim_hook_leave(void);

#endif
