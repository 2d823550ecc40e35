/* SPDX-License-Identifier: MIT */
/*
 * The chain of a stopped worker: all its continuations, and where its running task continues. While a worker's entries
 * are in a chain, its deque is empty and no thief can claim from it.
 */
#ifndef UAT_CHAIN_H
#define UAT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "deque/owner.h"

struct uat_chain {
    uintptr_t sp;       /* where the running task continues; 0: the worker has no task and no entry */
    uintptr_t join;     /* the handle of the child for which the task waits in place; 0: it does not wait in place */
    uintptr_t *entries; /* oldest first; each is tagged PRIVATE, ABORTED or GONE */
    size_t count, room;
};

/*
 * Move all entries from d to chain->entries, which grows as needed. Published entries are taken back first. No thief
 * may have an operation in flight. So every claim is acknowledged, and this call does not wait. Returns 0, or -ENOMEM
 * with nothing changed.
 */
int uat_chain_take(struct uat_chain *chain, struct uat_deque *d);

/* Move the chain's entries to d, which must be empty. The next push or pop takes the slow path, which publishes the
 * entries. */
void uat_chain_put(const struct uat_chain *chain, struct uat_deque *d);

/* Check entries that may come from a file: could they be those of a worker with the region [low, high)? */
int uat_chain_check(const struct uat_chain *chain, uintptr_t low, uintptr_t high, size_t capacity);

static inline uintptr_t uat_chain_base(const struct uat_chain *chain, size_t i)
{
    return chain->entries[i] & ~(uintptr_t)UAT_TAG_MASK;
}

#endif
