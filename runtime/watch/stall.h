/* SPDX-License-Identifier: MIT */
/*
 * Waits for a protocol step of a peer: an acknowledgement, a barrier at the end of a run. Each is short unless
 * the peer is stopped, swapped out or lost. Then it is reported after UAT_STALL_TIMEOUT, with who waits for whom and
 * why, and ends the job after UAT_STALL_LIMIT. Meanwhile the worker READs from the peer, so that a cut network ends the job
 * as soon as the transport notices. Joins, idleness and tasks may last for hours: they are not watched.
 *
 * SIGUSR1 makes a worker print what it does and waits for.
 */
#ifndef UAT_STALL_H
#define UAT_STALL_H

#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

enum uat_doing {
    UAT_DOING_OUTSIDE,  /* the program's own code, between runs */
    UAT_DOING_TASK,     /* runs a task */
    UAT_DOING_SCHEDULE, /* steals, or moves stacks */
    UAT_DOING_END,      /* has passed on the end of a run, waits for the others */
    UAT_DOING_BARRIER   /* waits in uat_barrier() */
};

/* What this worker does from now on. */
void uat_stall_set(enum uat_doing doing);

/* Called periodically during a wait: for the acknowledgement of entry index; for rank in a barrier; in PMIx_Fence. */
void uat_stall_ack(void *context, uint64_t index);
void uat_stall_barrier(int rank);
void uat_stall_fence(void);

/* The wait is over. */
void uat_stall_over(void);

/*
 * Begin, with UAT_STALL_TIMEOUT and UAT_STALL_LIMIT of options; waits are watched over uat_self.transport. Catch SIGUSR1,
 * unless the program does; describe: adds the worker's state to its line, in a signal handler. 0 or a
 * negative errno, reported.
 */
int uat_stall_open(const struct uat_options *options, void (*describe)(char *text, size_t size));
void uat_stall_close(void);

#endif
