/* SPDX-License-Identifier: MIT */
/*
 * The evacuation heap: registered memory for the stacks of waiting tasks, the objects of uat/sync.h, and other blocks
 * that peers access. It is a buddy allocator (Knuth, TAOCP 1, 2.5), because peers give blocks back in any order. Its
 * bookkeeping is private, so no peer can damage it.
 *
 * A block starts with the word by which a peer gives the block back. The stack or other content follows this word.
 */
#ifndef UAT_HEAP_H
#define UAT_HEAP_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/word.h"
#include "runtime/segment/lent.h"

enum {
    UAT_HEAP_UNIT = 256 /* bytes of the smallest block */,
    UAT_HEAP_ORDERS = 24,
    UAT_HEAP_HEADER = 64,
    UAT_HEAP_KEPT = 8,       /* at most this number of free blocks of each small order are kept unmerged */
    UAT_HEAP_KEPT_ORDERS = 5 /* number of small orders: blocks of up to 4 KiB */
};

struct uat_block {
    uint64_t returned; /* 0 while in use; the worker that fetched the stack WRITEs 1 */
};

struct uat_heap {
    char *memory;
    size_t units;
    uint8_t *order;        /* for each unit that starts a block: order + 1 if the block is free, 0 if not */
    uint8_t *used_order;   /* for each unit that starts a block in use: its order. Part of the array `order` */
    uint32_t *next, *prev; /* lists of free blocks, by unit */
    uint32_t list[UAT_HEAP_ORDERS];
    /* Small free blocks, by order. The block that was freed last is reused first, without a merge or a split. */
    uint32_t kept[UAT_HEAP_KEPT_ORDERS][UAT_HEAP_KEPT];
    uint8_t kept_count[UAT_HEAP_KEPT_ORDERS];
    struct uat_lent lent;
};

/* Open a heap of size bytes (a multiple of UAT_HEAP_UNIT) at memory, which is zeroed memory of the segment. Returns 0
 * or -ENOMEM. */
int uat_heap_open(struct uat_heap *heap, char *memory, size_t size);
void uat_heap_close(struct uat_heap *heap);

/* Free all blocks, whoever has them. Afterwards the heap is as after uat_heap_open(); the blocks keep their bytes. */
void uat_heap_reset(struct uat_heap *heap);

/* The heap of this worker. */
extern struct uat_heap uat_heap __attribute__((visibility("hidden")));

/* The slow paths. uat_heap_get() calls uat_heap_search() if no block of this order is kept. uat_heap_put() calls
 * uat_heap_release() for a block that cannot be kept. */
struct uat_block *uat_heap_search(struct uat_heap *heap, unsigned order);
void uat_heap_release(struct uat_heap *heap, uint32_t unit);

static inline struct uat_block *uat_heap_block(const struct uat_heap *heap, uint32_t unit)
{
    return (struct uat_block *)(heap->memory + (size_t)unit * UAT_HEAP_UNIT);
}

/* A block with room for `bytes` of stack, or NULL if there is none. */
static inline struct uat_block *uat_heap_get(struct uat_heap *heap, size_t bytes)
{
    size_t units = (bytes + UAT_HEAP_HEADER + UAT_HEAP_UNIT - 1) / UAT_HEAP_UNIT;
    unsigned order = units <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(units - 1);
    if (__builtin_expect(order >= UAT_HEAP_KEPT_ORDERS || heap->kept_count[order] == 0, 0))
        return uat_heap_search(heap, order);
    uint32_t unit = heap->kept[order][--heap->kept_count[order]]; /* its used_order and returned word are still valid */
    uat_lent_add(&heap->lent, unit);
    return uat_heap_block(heap, unit);
}

/* Free a block whose `returned` word is 0 and stays 0, because no peer will mark the block. A marked block must come
 * back through uat_lent_collect() instead, because a kept block is reused without resetting that word. Called by the
 * owner only. */
static inline void uat_heap_put(struct uat_heap *heap, struct uat_block *block)
{
    uint32_t unit = (uint32_t)((size_t)((char *)block - heap->memory) / UAT_HEAP_UNIT);
    assert(unit < heap->units);
    /* Relaxed: no peer knows the block any more. */
    uint64_t mark = __atomic_load_n(&block->returned, __ATOMIC_RELAXED);
    if (__builtin_expect(mark != 0, 0))
        uat_word_refuse(-1, UAT_LENT_MARK, mark);
    uat_lent_remove(&heap->lent, unit);
    unsigned order = heap->used_order[unit];
    if (order < UAT_HEAP_KEPT_ORDERS && heap->kept_count[order] < UAT_HEAP_KEPT)
        heap->kept[order][heap->kept_count[order]++] = unit;
    else
        uat_heap_release(heap, unit);
}

/* Take back every block that peers have returned. Returns how many are still lent. */
size_t uat_heap_settle(struct uat_heap *heap);

/* Take the block of this order that begins at `unit`, and list it as lent, because a checkpoint says so. Returns 0, or
 * -EINVAL if there is no such block or it is not free. The heap must be settled. */
int uat_heap_take(struct uat_heap *heap, uint32_t unit, unsigned order);

/* UAT_HEAP_SIZE in KiB, as messages advise it where this heap has no room for another `bytes`: twice the larger of the
 * two. It cannot say whether that is enough, because more and larger blocks may follow. */
size_t uat_heap_advice(size_t bytes);

static inline void *uat_block_stack(struct uat_block *block)
{
    return (char *)block + UAT_HEAP_HEADER;
}

#endif
