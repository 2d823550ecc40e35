/* SPDX-License-Identifier: MIT */
/*
 * Sums and copies along a binomial tree whose root is rank 0: one chain up and one down for each worker, where a
 * barrier takes log2 n chains of each.
 */
#ifndef UAT_TREE_H
#define UAT_TREE_H

#include <stddef.h>

#include "runtime/memory/segment.h"

/* Add one worker's counters, or those of some, to *sum. */
typedef void uat_tree_add(uat_stats_t *sum, const uat_stats_t *one);

/* The sum of all workers' *stats, in *stats on all of them. A barrier too: nobody leaves it before all have entered it.
 * status: as for uat_collective_agree(). 0, or the lowest status that any worker had, or a negative errno of the
 * transport, reported. */
int uat_tree_sum(int status, uat_stats_t *stats, uat_tree_add *add);

/* Copy n bytes at rank 0's `from` to `to` on all workers, rank 0 included. `to` is NULL on those that want none; `from`
 * counts on rank 0 only; n is the same on all. The bytes travel through the uni-address region, which is registered,
 * and unused outside of runs: call it there. A barrier too, unless n is 0: then it does nothing. 0 or a negative errno
 * of the transport, reported. */
int uat_tree_copy(void *to, const void *from, size_t n);

#endif
