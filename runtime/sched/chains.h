/* SPDX-License-Identifier: MIT */
/*
 * The chains of ghosts (runtime/segment/ghost.h): a checkpoint has recorded them, and they have yet to begin. The
 * keeper of a ghost offers its chain as a ready task, which any worker may take. The block of this task holds the
 * chain's stacks, the number of the chain's entries, and the entries. A chain begins on its ghost's keeper if the heap
 * has no room for the chain, or if the chain's task waits in place. The keeper begins such a chain when it has no other
 * work of its own, and before it steals.
 */
#ifndef UAT_CHAINS_H
#define UAT_CHAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "deque/chain.h"
#include "deque/ready.h"

/* next() puts the stacks of a chain in place and returns the chain, or returns NULL after the last chain. any() says
 * whether a chain is left. Both may be NULL if there are no chains. */
void uat_chains_set(const struct uat_chain *(*next)(void), bool (*any)(void));

/* The next chain, or NULL. The region must be empty. */
const struct uat_chain *uat_chains_next(void);

/* Does `where` name a block that has room for `bytes` bytes in an evacuation heap? */
typedef bool uat_chains_block_fn(uint64_t where, size_t bytes);

/* Push the entries of the chain that the task's block holds. The chain's stacks must be in place, and the deque must be
 * empty. */
void uat_chains_take(const struct uat_ready_task *task, uat_chains_block_fn *is_block);

/* End the job if chains are left. Called by a joiner that waits in place. Its child may be in one of these chains. This
 * worker cannot begin a chain while the joiner is in the region. */
void uat_chains_check_wait(void);

#endif
