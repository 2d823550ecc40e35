/* SPDX-License-Identifier: MIT */
/*
 * The chain of a stopped worker: all its continuations, and the stack pointer of its running task. While a worker's
 * entries are in a chain, the worker's deque is empty, so no thief can claim from the deque.
 */
#ifndef UAT_CHAIN_H
#define UAT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "deque/owner.h"

struct uat_chain {
    uintptr_t sp;       /* the stack pointer at which the running task continues; 0: the worker has no task and no
                         * entry */
    uintptr_t join;     /* the handle of the child for which the task waits in place; 0: the task does not wait in
                         * place */
    uintptr_t *entries; /* oldest first; each entry is tagged PRIVATE, ABORTED or GONE */
    size_t count, room;
};

/*
 * Move all entries from d to chain->entries, which grows as needed. First take back the published entries. The caller
 * ensures that no thief has an operation in flight. So every claim is acknowledged, and this call does not wait.
 * Returns 0. If there is no memory, changes nothing and returns -ENOMEM.
 */
int uat_chain_take(struct uat_chain *chain, struct uat_deque *d);

/* Move the chain's entries to d, which must be empty. The next push or pop takes the slow path, which publishes the
 * entries. */
void uat_chain_put(const struct uat_chain *chain, struct uat_deque *d);

/* Check entries that may come from a file: could a worker with the region [low, high) have these entries? Returns 0 or
 * -EINVAL. */
int uat_chain_check(const struct uat_chain *chain, uintptr_t low, uintptr_t high, size_t capacity);

static inline uintptr_t uat_chain_base(const struct uat_chain *chain, size_t i)
{
    return chain->entries[i] & ~(uintptr_t)UAT_TAG_MASK;
}

#endif
