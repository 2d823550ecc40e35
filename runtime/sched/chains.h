/* SPDX-License-Identifier: MIT */
/*
 * Chains of a checkpoint that have yet to begin: those of ghosts (runtime/segment/ghost.h). Their keeper offers them as
 * ready tasks, which any worker may take: the block of such a task has the chain's stacks, the number of its entries,
 * and the entries. A chain that finds no room in the heap, or whose task waits in place, begins on its keeper, when
 * this has nothing of its own, before it steals.
 */
#ifndef UAT_CHAINS_H
#define UAT_CHAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "deque/chain.h"
#include "deque/ready.h"

/* next() returns a chain whose stacks it has put in place, or NULL after the last. Until then any() is true. Both may
 * be NULL: there are none. */
void uat_chains_set(const struct uat_chain *(*next)(void), bool (*any)(void));

/* The next chain, or NULL. The region must be empty. */
const struct uat_chain *uat_chains_next(void);

/* Does `where` name a block of an evacuation heap with room for `bytes` bytes? */
typedef bool uat_chains_block_fn(uint64_t where, size_t bytes);

/* Push the entries of the chain in the task's block. Its stacks are in place, and the deque is empty. */
void uat_chains_take(const struct uat_ready_task *task, uat_chains_block_fn *is_block);

/* End the job if chains are left. A joiner that waits in place calls this: its child may be in one of them, which this
 * worker cannot begin while the joiner is in its region. */
void uat_chains_check_wait(void);

#endif
