/* SPDX-License-Identifier: MIT */
/*
 * The low-lock queue with intrusive nodes, for processes that share memory at one address (Dolan, Muralidharan and
 * Gregg, "Compiler Support for Lightweight Context Switching", TACO 9(4), 2013, section 6.2). Any number of processes
 * may enqueue and dequeue. As soon as a node has been dequeued, it belongs to its user again. An operation touches two
 * cache lines, the queue's and the node's. The queue is not lock-free: a dequeue waits for an enqueue that is between
 * its two steps. Model: tests/model/lowlock.pml.
 *
 *   W1  `tail` names the last node. If the queue is empty, `tail` is 0 (the paper's sentinel). Only CMP_SWAPs change
 *       `tail`.
 *   W2  `first` holds the first node's address, or 0, and a count. Only CMP_SWAPs change `first`, and each swap raises
 *       the count. So a dequeue's swap fails if another process has dequeued and enqueued the node since the dequeue
 *       read `first`. The paper has no count, and changes `first` by stores, too.
 *   W3  If `first` is 0 and `tail` is not, exactly one process is going to set `first`. It is one of two processes: the
 *       process that has enqueued into the empty queue, or the process that has dequeued the last node while another
 *       node was enqueued. All other dequeues wait.
 *   W4  A node's `next` is 0 when the node enters the queue. The process that enqueues the next node sets `next`, once.
 *       If a node has a successor, the node is dequeued only after its `next` was set.
 */
#ifndef UAT_PERF_LOWLOCK_H
#define UAT_PERF_LOWLOCK_H

#include <stdint.h>

#include "base/relax.h"

struct lowlock_node {
    _Alignas(64) uint64_t next; /* address of the next node, or 0 */
    uint64_t number;            /* for the user */
};

struct lowlock {
    _Alignas(64) uint64_t tail;
    uint64_t first; /* count << 48 | address */
};

enum { LOWLOCK_SHIFT = 48 /* addresses have at most this number of bits */ };

static inline uint64_t lowlock_address(uint64_t word)
{
    return word & ((UINT64_C(1) << LOWLOCK_SHIFT) - 1);
}

static inline struct lowlock_node *lowlock_node(uint64_t word)
{
    return (struct lowlock_node *)(uintptr_t)lowlock_address(word);
}

/* The next value of `first`, with this address. */
static inline uint64_t lowlock_after(uint64_t first, uint64_t address)
{
    return ((first >> LOWLOCK_SHIFT) + 1) << LOWLOCK_SHIFT | address;
}

/* The swap is sequentially consistent. This process's stores to a node take effect before other processes can find the
 * node. Other processes' accesses to a node take effect before this process takes the node. The swaps of enqueue and
 * dequeue pair with each other. */
static inline int lowlock_swap(uint64_t *word, uint64_t expected, uint64_t desired)
{
    return __atomic_compare_exchange_n(word, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Acquire: pairs with the swap that has set the word, or with the store of `next` in lowlock_enqueue(). */
static inline uint64_t lowlock_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* The address in `first` is 0: set it to this address, as W3 demands. No other process changes `first` before that. */
static inline void lowlock_set_first(struct lowlock *q, uint64_t address)
{
    uint64_t first = lowlock_load(&q->first);
    lowlock_swap(&q->first, first, lowlock_after(first, address));
}

static inline void lowlock_enqueue(struct lowlock *q, struct lowlock_node *node)
{
    uint64_t name = (uintptr_t)node, last;
    node->next = 0;
    do
        last = lowlock_load(&q->tail);
    while (!lowlock_swap(&q->tail, last, name));
    if (last == 0)
        lowlock_set_first(q, name);
    else /* release: orders the node's words before its address; pairs with the load in lowlock_dequeue() */
        __atomic_store_n(&lowlock_node(last)->next, name, __ATOMIC_RELEASE);
}

/* Wait until the successor of a node is known. */
static inline uint64_t lowlock_await(const struct lowlock_node *node)
{
    struct uat_relax relax = {0};
    uint64_t next;
    while (!(next = lowlock_load(&node->next)))
        uat_relax(&relax);
    return next;
}

/* Dequeue the only node. NULL if another process has changed `first`. */
static inline struct lowlock_node *lowlock_take_last(struct lowlock *q, uint64_t first)
{
    struct lowlock_node *node = lowlock_node(first);
    if (!lowlock_swap(&q->first, first, lowlock_after(first, 0)))
        return NULL;
    if (!lowlock_swap(&q->tail, lowlock_address(first), 0)) /* an enqueue has changed `tail`: W3 */
        lowlock_set_first(q, lowlock_await(node));
    return node;
}

/* Dequeue the first node. NULL if the queue is empty. */
static inline struct lowlock_node *lowlock_dequeue(struct lowlock *q)
{
    for (struct uat_relax relax = {0};; uat_relax(&relax)) {
        uint64_t first = lowlock_load(&q->first);
        struct lowlock_node *node = lowlock_node(first);
        uint64_t tail = lowlock_load(&q->tail);
        if (!node) {
            if (tail == 0)
                return NULL;
            continue;
        }
        if (tail == lowlock_address(first)) {
            if ((node = lowlock_take_last(q, first)))
                return node;
            continue;
        }
        /* Another process may have dequeued the node meanwhile, and the node's memory may be in use again. In that case
         * the swap below fails (W2). */
        uint64_t next = lowlock_load(&node->next);
        if (next && lowlock_swap(&q->first, first, lowlock_after(first, next)))
            return node;
    }
}

#endif
