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

/* The root has ended on this worker with this result, or could not begin: tell all workers, along a tree with this one
 * as its root. */
void uat_collective_announce(const void *result, size_t size);

/* Has the end of the present run been announced to this worker? */
bool uat_collective_announced(void);

/* Pass the announcement on to this worker's children in the tree. Once per run, after uat_collective_announced(). */
void uat_collective_pass_on(void);

/* Copy the result that was announced to result, where there is room for size bytes; nothing if size is 0. Before the
 * barrier that ends the run: behind it the others may end the next run, whose result is written over this one.
 * 0, or -EMSGSIZE if there is too little room, reported. */
int uat_collective_take_result(void *result, size_t size);

/* Dissemination barrier (Hensgen, Finkel and Manber 1988): ceil(log2 n) rounds of one chain each. Ends the job if
 * another worker is in another collective call. 0 or a negative errno of the transport, reported. */
int uat_collective_barrier(void);

/* A barrier after which all know the lowest status that any had: 0, or a negative errno. So a call that fails on one
 * worker fails on all; the one that fails reports why. */
int uat_collective_agree(int status);

/* The same, and it brings rank 0's word: on the other ranks it replaces *word. */
int uat_collective_agree_on(int status, uint64_t *word);

#endif
