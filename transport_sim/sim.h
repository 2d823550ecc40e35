/* SPDX-License-Identifier: MIT */
/*
 * A job in virtual time: one process forks all workers, and they take turns. The start of it, which stands in the place
 * of PMIx. The transport is uat_transport_sim.
 */
#ifndef UAT_SIM_H
#define UAT_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/options.h"

/* Which worker this is. */
struct uat_sim_place {
    int rank, size;
    int local_rank, local_size; /* on its simulated host */
    int host;                   /* the number of that */
};

/*
 * Fork the workers. Comes back in each of them with *place; the calling process itself becomes their keeper, who ends
 * with the job's status, and does not come back. Without UAT_SIM_WORKERS_VARIABLE it is a job of one, with no fork.
 * 0 or a negative errno, reported.
 */
int uat_sim_start(const struct uat_options *options, struct uat_sim_place *place);

/* Is this process a worker of a simulation? */
bool uat_sim_on(void);

/* The descriptor of the memory object that holds the segments of all workers, this one's at *offset; -1 with errno. It
 * is the caller's to close. */
int uat_sim_object(size_t segment_size, off_t *offset);

/* As uat_bootstrap_exchange(), but for the blobs, which stay where they are: only the two arrays are the caller's. */
int uat_sim_exchange(const void *blob, size_t size, void ***blobs, size_t **sizes);

/* The first call begins virtual time at 0, once all workers have called it. The second leaves the simulation. */
int uat_sim_barrier(void);

#endif
