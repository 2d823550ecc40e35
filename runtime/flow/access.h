/* SPDX-License-Identifier: MIT */
/* Operations on the words of flows, near or far. */
#ifndef UAT_FLOW_ACCESS_H
#define UAT_FLOW_ACCESS_H

#include "runtime/flow/ledger.h"
#include "runtime/job/self.h"
#include "runtime/torture/settings.h"
#include "transport/transport.h"

enum { UAT_FLOW_BATCH = 24 /* chains in flight at once */ };

/* Local buffers of the operations that this worker posts. A function keeps no data here after it returns, unless its
 * comment says otherwise. */
struct uat_flow_staging {
    uint64_t old[UAT_FLOW_BATCH]; /* old values that atomics return */
    uint64_t word[UAT_FLOW_BATCH];
    uint64_t peek[8][2][2]; /* words that a thief has READ from each victim */
    struct uat_flow_links links;
    struct uat_flow_body body; /* the argument of the task that starts next */
    struct uat_flow_waiter waiter;
    uint64_t mark[UAT_FLOW_CHUNK];
    struct uat_flow_entry entry;
};
struct uat_flow_staging *uat_flow_staging(void);

/* Reserve the staging area in the segment. */
void uat_flow_access_reserve(void);

/* Must every task of a flow become an entry? Under UAT_TORTURE=order and fence, no task runs in place. */
static inline bool uat_flow_always(void)
{
    int mode = uat_torture_settings.torture;
    return mode == UAT_TORTURE_ORDER || mode == UAT_TORTURE_FENCE;
}

/* Can this CPU access the words of this rank directly, just as the adapter would? */
static inline bool uat_flow_is_near(int rank)
{
    return rank == uat_self.rank && uat_self.near_size > 0;
}

/* Chains that are posted and not yet complete. */
struct uat_flow_batch {
    struct uat_pending pending[UAT_FLOW_BATCH], *all[UAT_FLOW_BATCH];
    int n;
};

/* Post a chain to this rank. The batch must have room. */
void uat_flow_post(struct uat_flow_batch *batch, int rank, const struct uat_op *ops, int n);
/* Wait until all chains are complete. Afterwards the batch is empty. */
void uat_flow_wait(struct uat_flow_batch *batch);
/* Post a chain and wait for it. */
void uat_flow_do(int rank, const struct uat_op *ops, int n);

/* Add to a word of an entry or a chunk on this rank by FETCH_ADD. Returns the old value. The atomic is a full barrier:
 * it orders this worker's earlier accesses before its later ones. Pairs with the other atomics on the same word.
 * uat_flow_add_near() is for words that are near. */
static inline uint64_t uat_flow_add_near(uint64_t *word, uint64_t addend)
{ /* Acquires and releases. Pairs with adapters' and CPUs' atomics on this word. */
    return __atomic_fetch_add(word, addend, __ATOMIC_SEQ_CST);
}
uint64_t uat_flow_add(int rank, uint64_t *word, uint64_t addend);

/* Can an entry lie at the place of this name? The name may be wrong, because a file or a peer may have written it. */
bool uat_flow_is_entry(uint64_t name);

/* Offset of a near entry or block from the start of this worker's heap. If the entry or block is not near, the result
 * is at least uat_self.near_size. */
static inline uint64_t uat_flow_near_offset(uint64_t name)
{
    return (name & ~(uint64_t)UAT_FLOW_KINDS) - uat_self.near_first;
}

/* uat_flow_check() ends the job unless an entry can lie at the place that `name` names. uat_flow_check_block() ends the
 * job unless a block of `bytes` bytes can lie there. Names are checked because a peer may have written them. The
 * functions with `_far` handle names that are not near, and wrong names. */
void uat_flow_check_far(uint64_t name, const char *what);
static inline void uat_flow_check(uint64_t name, const char *what)
{
    uint64_t at = uat_flow_near_offset(name);
    if (__builtin_expect(at % UAT_FLOW_ENTRY != 0 || at % UAT_FLOW_CHUNK_BYTES == 0 || at >= uat_self.near_size, 0))
        uat_flow_check_far(name, what);
}
void uat_flow_check_block_far(uint64_t name, size_t bytes, const char *what);
static inline void uat_flow_check_block(uint64_t name, size_t bytes, const char *what)
{
    uint64_t at = uat_flow_near_offset(name);
    if (__builtin_expect(at % UAT_HEAP_UNIT != 0 || at >= uat_self.near_size || bytes > uat_self.near_size - at, 0))
        uat_flow_check_block_far(name, bytes, what);
}

/* The mark of an entry, in its chunk. Chunks are blocks of a buddy allocator, so their offsets are multiples of their
 * size. */
uint64_t *uat_flow_mark_far(uint64_t name);
static inline uint64_t *uat_flow_mark(uint64_t name)
{
    uint64_t at = uat_flow_near_offset(name), within = at % UAT_FLOW_CHUNK_BYTES;
    if (__builtin_expect(at >= uat_self.near_size, 0))
        return uat_flow_mark_far(name);
    struct uat_flow_chunk *c = (struct uat_flow_chunk *)(void *)((char *)uat_flow_address(name) - within);
    return &c->mark[within / UAT_FLOW_ENTRY - 1];
}

#endif
