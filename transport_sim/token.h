/* SPDX-License-Identifier: MIT */
/* Whose turn it is. */
#ifndef UAT_SIM_TOKEN_H
#define UAT_SIM_TOKEN_H

#include "transport_sim/world.h"

/* Let ns of this worker's time pass; comes back when S2 holds. */
void uat_sim_pass(uint64_t ns);

/* The same without seeing to S2: see S3. */
void uat_sim_pass_later(uint64_t ns);

/* Sleep in this state until uat_sim_wake(). */
void uat_sim_sleep(enum sim_state state);

/* This worker takes no more part. The first worker of the rest gets the token. */
void uat_sim_leave(void);

/* All workers have arrived: whoever came last lets the simulation begin; back when it is this worker's turn. */
void uat_sim_begin(void);

/* The token by its word `go`, as workers and executor pass it on. */
void uat_sim_token_await(uint32_t *go);
void uat_sim_token_give(uint32_t *go);

/* Whoever has the token: do what comes next until a worker is to run, and give it the token. */
void uat_sim_token_pass_on(void);

/* Run on the core of the simulation, if it has one. */
void uat_sim_token_share_core(void);

#endif
