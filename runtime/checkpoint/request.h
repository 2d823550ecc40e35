/* SPDX-License-Identifier: MIT */
/* The requests for a checkpoint: by SIGUSR2, by SIGTERM, by the clock, by uat_checkpoint(). */
#ifndef UAT_CHECKPOINT_REQUEST_H
#define UAT_CHECKPOINT_REQUEST_H

#include <stdbool.h>

/* Catch SIGUSR2, unless the program catches it. A request that arrives before uat_request_open() is not lost. Returns
 * 0. uat_request_is_caught(): does this library catch it? */
int uat_request_catch(void);
bool uat_request_is_caught(void);
void uat_request_release(void);

/* With sigterm=checkpoint or leave, take this worker's first SIGTERM as a request. Called before the barrier at the
 * start. After this barrier the program may run, and a user who sees it run may send SIGTERM to all workers. Returns
 * 0. */
int uat_request_spare(void);

/* Has a SIGTERM asked this worker to leave (sigterm=leave)? Then it ends with status 0 after the checkpoint that it has
 * requested, and uatrun starts the job without it. */
bool uat_request_leaves(void);

/* Start the clock on rank 0. It asks in runs only. Returns 0, or a negative errno that has been reported. */
int uat_request_open(void);
void uat_request_close(void);

/* A run begins (on) or ends. */
void uat_request_in_run(bool on);

/* Start the clock again, because a stop is over. end: the stop should have ended the job, but could not. */
void uat_request_done(bool end);

/* Start the clock again, because a worker's state cannot be saved now. If the request should end the job (end), the
 * request stays, and is made again after a second. Returns whether the request stays. */
bool uat_request_refused(bool end);

#endif
