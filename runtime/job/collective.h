/* SPDX-License-Identifier: MIT */
/* What all workers do together, over the transport: barriers, and the end of a run. */
#ifndef UAT_COLLECTIVE_H
#define UAT_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/segment/segment.h"
#include "transport/transport.h"

/* Reserve the words of barriers and ends of runs in the segment. */
void uat_collective_reserve(void);

/* Start collective calls over this transport, which the caller keeps. */
void uat_collective_open(struct uat_transport *transport);

/* Count runs, barriers and trees from 0 again. The words of trees are reset by uat_tree_reset(). */
void uat_collective_reset(void);

/* Returns one of these words, one that adapters change. For tests. */
const uint64_t *uat_collective_atomic(void);

/* Announce that the root task has ended on this worker with this result, or could not start. failed: the result is what
 * uat_collective_failure() returns. This tells only this worker; uat_collective_pass_on() sends the announcement to all
 * others, along a tree with this worker as its root. */
void uat_collective_announce(const void *result, size_t size, bool failed);

/* Has the end of the present run been announced to this worker? */
bool uat_collective_announced(void);

/* Pass the announcement on to this worker's children in the tree. Call it once per run, after
 * uat_collective_announced(). */
void uat_collective_pass_on(void);

/* The announced result, and its size. Valid until the barrier that ends the run. */
const void *uat_collective_result(size_t *size);

/* The `size` bytes that were announced about a failed root; NULL if the root has not failed. Valid until the barrier
 * that ends the run, like the result. */
const void *uat_collective_failure(size_t size);

/* Dissemination barrier (Hensgen, Finkel and Manber 1988): ceil(log2 n) rounds of one chain each. Ends the job if
 * another worker is in another collective call. Returns 0, or a negative errno of the transport that has been
 * reported. */
int uat_collective_barrier(void);

/* The lowest status that workers tell each other. A status is 0 or negative. It is mostly an errno; it can also be, for
 * example, a rank minus the number of workers, or a size that is sent as a number below all errnos. */
enum { UAT_STATUS_MIN = -(1 << 24) };

/* A barrier after which all workers know the lowest status of any worker: 0 or a negative errno. So a call that fails
 * on one worker fails on all. Only the worker on which it fails reports why. */
int uat_collective_agree(int status);

/* Like uat_collective_agree(), but rank 0's *word also replaces *word on the other ranks. */
int uat_collective_agree_on(int status, uint64_t *word);

#endif
