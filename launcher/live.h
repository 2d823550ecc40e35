/* SPDX-License-Identifier: MIT */
/*
 * Requests to the workers of the running job: `uatrun --ctl`. The guard passes a request on to rank 0 over a pair of
 * sockets (base/control.h), and rank 0's reply becomes the answer to the sender. A request that rank 0 has not answered
 * when the job starts again is passed on to the next rank 0. There is one request at a time.
 */
#ifndef UAT_LAUNCHER_LIVE_H
#define UAT_LAUNCHER_LIVE_H

#include "launcher/arguments.h"

/* Make the pair, and add rank 0's end to the environment of the workers. Without enough open files there is no pair,
 * and requests are refused. */
void uat_live_open(struct uat_arguments *arguments);

/* Descriptors: the one that becomes readable when rank 0 has replied, and the one that rank 0 inherits. -1: none. */
int uat_live_replies(void);
int uat_live_inherited(void);

/* Pass on a request for this number of workers, or a question if that is 0, of the sender at `connection`, which is
 * answered and closed. job: the number of the job's workers. */
void uat_live_ask(int connection, int workers, int job);

/* Take rank 0's reply, and answer the sender. */
void uat_live_hear(void);

/* The job starts again, or has ended. */
void uat_live_again(void);
void uat_live_end(void);

#endif
