/* SPDX-License-Identifier: MIT */
/*
 * Requests of uatrun (base/control.h) to rank 0: how many workers take part, and how many shall. A signal tells rank 0
 * that a request has arrived, SIGURG: without a handler it has no effect. The handler answers questions. A new limit
 * needs operations on other workers, so it waits for rank 0's next slow path, or for the next run.
 */
#ifndef UAT_CONTROL_H
#define UAT_CONTROL_H

/* Take requests from now on, on rank 0 of a job that a uatrun has started. If the program itself catches SIGURG,
 * requests wait for the beginning of a run. Returns 0. */
int uat_control_open(void);
void uat_control_close(void);

/* A run begins on this worker: take the requests that have arrived. */
void uat_control_run(void);

#endif
