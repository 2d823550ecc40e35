/* SPDX-License-Identifier: MIT */
/*
 * Waits for workers that have not entered a collective call yet. A worker may be late for any length of time. A waiting
 * worker reports once, after UAT_STALL_TIMEOUT, which worker it is waiting for, and continues to wait. Meanwhile it
 * READs from that worker once a second. So the waiting worker notices if the two are in different calls, and it notices
 * a cut network as soon as the transport can detect that. Stopped workers are noticed by uatrun or a neighbour.
 *
 * The end of a run is bounded. Once every worker has entered the run, its end takes only a moment, unless a worker is
 * stopped, swapped out or lost. A longer wait ends the job after UAT_STALL_LIMIT.
 */
#ifndef UAT_STRAGGLER_H
#define UAT_STRAGGLER_H

/* uat_straggler_barrier() is called periodically while a barrier waits for rank. uat_straggler_over() is called when
 * rank has arrived. */
void uat_straggler_barrier(int rank);
void uat_straggler_over(void);

/* A run starts on this worker. */
void uat_straggler_run(void);

/* Called periodically while this worker finds no work in a run: rank 0 may not have entered the run yet. */
void uat_straggler_root(void);

#endif
