/* SPDX-License-Identifier: MIT */
/*
 * Waits for workers that have yet to come to a collective call. How late a worker is, is the program's business: who
 * waits is told once, after UAT_STALL_TIMEOUT, whom it waits for, and goes on waiting. Meanwhile the one who is waited
 * for is read from once a second, so that two different calls are noticed, and a network that is cut as soon as the
 * transport can tell; workers that are stopped are noticed by uatrun or by their neighbour.
 *
 * Only at the end of a run, when every worker has entered it and one does not come to its end, is something wrong: that
 * takes a moment, unless the worker is stopped, swapped out or lost. It ends the job after UAT_STALL_LIMIT.
 */
#ifndef UAT_LATE_H
#define UAT_LATE_H

#include "base/options.h"

/* Begin, with UAT_STALL_TIMEOUT and UAT_STALL_LIMIT of options. */
void uat_late_open(const struct uat_options *options);

/* Called periodically in a barrier, while it waits for rank; and when rank has come. */
void uat_late_barrier(int rank);
void uat_late_over(void);

/* A run begins on this worker. */
void uat_late_run(void);

/* Called periodically while this worker finds no work in a run: rank 0 may not have entered it yet. */
void uat_late_root(void);

#endif
