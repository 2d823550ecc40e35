/* SPDX-License-Identifier: MIT */
/* Decides which worker runs: the one that has the token. */
#ifndef UAT_SIM_TOKEN_H
#define UAT_SIM_TOKEN_H

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

#endif
