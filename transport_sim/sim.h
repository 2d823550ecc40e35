/* SPDX-License-Identifier: MIT */
/*
 * The start of a job in virtual time, without PMIx. One process forks all workers. The workers run in turn. The
 * transport is uat_transport_sim.
 */
#ifndef UAT_SIM_H
#define UAT_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* This worker's place in the job. */
struct uat_sim_place {
    int rank, size;
    int local_rank, local_size; /* this worker's rank on its simulated host; number of workers there */
    int host;                   /* that host's number */
};

/*
 * Fork the workers and return in each of them with *place set. The calling process becomes their keeper: it does not
 * return, but exits with the job's status. Without UAT_SIM_WORKERS_VARIABLE the job has one worker, and the call forks
 * no process. bind: run all workers on one core. report: report the simulation's cost. Returns 0, or a negative errno
 * after reporting the error.
 */
int uat_sim_start(bool bind, bool report, struct uat_sim_place *place);

/* Is this process a worker of a simulation? */
bool uat_sim_on(void);

/* Returns a descriptor of the memory object with the segments of all workers. The caller must close it. This worker's
 * segment is at *offset. On failure returns -1 with errno set. */
int uat_sim_object(size_t segment_size, off_t *offset);

/* Like uat_bootstrap_exchange(), except that the caller must free only the two arrays, not the blobs. */
int uat_sim_exchange(const void *blob, size_t size, void ***blobs, size_t **sizes);

/* The first call starts virtual time at 0 as soon as all workers have called it. The second call leaves the
 * simulation. */
int uat_sim_barrier(void);

#endif
