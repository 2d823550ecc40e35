/* SPDX-License-Identifier: MIT */
/*
 * Sums and copies along a binomial tree whose root is rank 0. For a sum, each other worker sends one chain to its
 * parent and gets one from its parent. For a copy, each other worker gets one, and READs the bytes from its parent. In
 * a barrier, each worker posts log2 n chains.
 */
#ifndef UAT_TREE_H
#define UAT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "include/uat.h"

/* Reserve the words of trees in the segment. */
void uat_tree_reserve(void);

/* Clear the words, together with uat_collective_reset(), which has the counts. */
void uat_tree_reset(void);

/* Returns a word that adapters change. For tests. */
const uint64_t *uat_tree_atomic(void);

/* Replace *stats on all workers by the sum of all workers' *stats; of stack_bytes_max, by the maximum. It is also a
 * barrier: nobody leaves it before all have entered it. status: as for uat_collective_agree(). Returns 0, or the lowest
 * status of any worker, or a negative errno of the transport that has been reported. */
int uat_tree_sum(int status, uat_stats_detail_t *stats);

/* Copy n bytes at rank 0's `from` to `to` on all workers, rank 0 included. `to` is NULL on a worker that wants no copy;
 * `from` is used on rank 0 only; n is the same on all. The bytes travel through the uni-address region, which is
 * registered and unused outside of runs, so call this function outside of runs only. The function is also a barrier,
 * but does nothing if n is 0. Returns 0, or a negative errno of the transport that has been reported. */
int uat_tree_copy(void *to, const void *from, size_t n);

#endif
