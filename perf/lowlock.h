/* SPDX-License-Identifier: MIT */
/*
 * The low-lock queue with intrusive nodes of Dolan, Muralidharan and Gregg, "Compiler Support for Lightweight Context
 * Switching", TACO 9(4), 2013, section 6.2, between processes that share memory at one address. Any number of them
 * enqueue and dequeue. A node belongs to its user again as soon as it was dequeued. Two cache lines are touched, the
 * queue's and the node's. It is not lock-free: a dequeue waits for an enqueue that is between its two steps. Model:
 * tests/model/lowlock.pml.
 *
 *   W1  `tail` names the last node, or 0 if the queue is empty (the paper's sentinel). Only CMP_SWAPs change it.
 *   W2  `first` names the first node beside a count, or 0. Only CMP_SWAPs change it, and each one raises the count. So
 *       a dequeue fails if its node was dequeued and enqueued again since the dequeue read the successor. The paper has
 *       no count, and stores to this word as well.
 *   W3  If `first` is 0 and `tail` is not, exactly one process is going to set `first`: the one that has enqueued into
 *       the empty queue, or the one whose dequeue has met an enqueue. The others wait.
 *   W4  A node's `next` is 0 before the node is in the queue, and set once, by the process that enqueues the next node.
 *       A node with a successor is dequeued only after that.
 */
#ifndef UAT_PERF_LOWLOCK_H
#define UAT_PERF_LOWLOCK_H

#include <stdint.h>

#include "base/relax.h"

struct lowlock_node {
    _Alignas(64) uint64_t next; /* address of the next node, or 0 */
    uint64_t number;            /* the user's */
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

/* Sequentially consistent: orders the node's words before the node becomes known to other processes, and what they have
 * done to it before this process takes it. Both sides are the swaps of enqueue and dequeue. */
static inline int lowlock_swap(uint64_t *word, uint64_t expected, uint64_t desired)
{
    return __atomic_compare_exchange_n(word, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Acquire: the peer is the swap that has set the word, or the store of `next` in lowlock_enqueue(). */
static inline uint64_t lowlock_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Set `first`, which is 0, to this address: the duty of W3. Nobody else changes the word meanwhile. */
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
    else /* release: orders the node's words before its name; the peer is the load in lowlock_dequeue() */
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

/* Dequeue `first`, which was the last node, too. NULL if another process was faster. */
static inline struct lowlock_node *lowlock_take_last(struct lowlock *q, uint64_t first)
{
    struct lowlock_node *node = lowlock_node(first);
    if (!lowlock_swap(&q->first, first, lowlock_after(first, 0)))
        return NULL;
    if (!lowlock_swap(&q->tail, lowlock_address(first), 0)) /* an enqueue has come: W3 */
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
        /* The node may have left, and its memory may be in use again: then the swap fails (W2). */
        uint64_t next = lowlock_load(&node->next);
        if (next && lowlock_swap(&q->first, first, lowlock_after(first, next)))
            return node;
    }
}

#endif
