/* SPDX-License-Identifier: MIT */
/* What all workers do together, over the transport: the end of a run, barriers. */
#ifndef UAT_COLLECTIVE_H
#define UAT_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/memory/segment.h"
#include "transport/transport.h"

/* Begin: over this transport, with the control words and the result's room of this segment. Both stay the caller's. */
void uat_collective_open(struct uat_transport *transport, const struct uat_segment *segment);

/* The root has ended on this worker with this result: tell all workers, along a tree with this one as its root. */
void uat_collective_announce(const void *result, size_t size);

/* Has the end of the present run been announced to this worker? */
bool uat_collective_announced(void);

/* Pass the announcement on to this worker's children in the tree. Once per run, after uat_collective_announced(). */
void uat_collective_pass_on(void);

/* Copy the result that was announced, at most size bytes of it, to result. Before the barrier that ends the run: behind
 * it the others may end the next run, whose result is written over this one. */
void uat_collective_take_result(void *result, size_t size);

/* Dissemination barrier (Hensgen, Finkel and Manber 1988): ceil(log2 n) rounds of one FETCH_ADD each. 0 or a negative
 * errno. */
int uat_collective_barrier(void);

#endif
