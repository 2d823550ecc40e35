/* SPDX-License-Identifier: MIT */
/*
 * What workers do while they wait for one that has not entered a collective call. That worker may be late for any
 * length of time. After UAT_STALL_TIMEOUT, the lowest rank that waits reports once which worker it is waiting for, and
 * continues to wait. If that rank stops waiting and others do not, the lowest of those reports the wait later.
 * Meanwhile each waiting worker READs once a second from the worker that it waits for. So the waiting worker notices
 * if the two are in different calls, and it notices a cut network as soon as the transport can detect that. Stopped
 * workers are noticed by uatrun or a neighbour.
 *
 * The end of a run is bounded. Once every worker has entered the run, its end takes only a moment, unless a worker is
 * stopped, swapped out or lost. A longer wait ends the job after UAT_STALL_LIMIT. So does a barrier or a tree in which
 * all workers wait for each other for that time.
 */
#ifndef UAT_STRAGGLER_H
#define UAT_STRAGGLER_H

/* uat_straggler_barrier() is called periodically while a barrier or a tree waits for rank. uat_straggler_over() is
 * called when rank has arrived. */
void uat_straggler_barrier(int rank);
void uat_straggler_over(void);

/* A run starts on this worker. */
void uat_straggler_run(void);

/* Called periodically while this worker finds no work in a run: rank 0 may not have entered the run yet. */
void uat_straggler_root(void);

#endif
