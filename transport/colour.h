/* SPDX-License-Identifier: MIT */
/*
 * Colours. If two addresses agree in the low 12 bits, an adapter serialises atomics on them (Ziegler, Nelson-Slivon,
 * Leis and Binnig, "Design Guidelines for Correct, Efficient, and Scalable Synchronization using One-Sided RDMA",
 * SIGMOD 2023). The segment lies at the same address in all workers. So without colours, a word would have the same
 * address in all workers of a host. Atomics on the word of one worker would wait for atomics on the same word of
 * another worker. Therefore each worker has a colour: its position among the workers of its host, modulo 64. In a
 * worker of colour c, the words that adapters change lie 64 c bytes higher than in a worker of colour 0. The term is
 * from slab colouring (Bonwick, "The Slab Allocator", USENIX Summer 1994): it shifts objects in the same way to spread
 * them over the lines of a cache.
 */
#ifndef UAT_COLOUR_H
#define UAT_COLOUR_H

#include <stdint.h>

enum {
    UAT_COLOURS = 64,
    UAT_COLOUR_STEP = 64 /* bytes */,
    UAT_COLOUR_ROOM = UAT_COLOURS * UAT_COLOUR_STEP /* exceeds the shift of the largest colour */
};

/* The object's address in a worker whose colour is greater by `more`; `more` may be negative. */
static inline void *uat_coloured(const void *object, int more)
{
    return (void *)((intptr_t)object + (intptr_t)more * UAT_COLOUR_STEP);
}

/* `object` is an object's address in worker `from`; returns its address in worker `to`. colours[i] is the colour of
 * worker i. If colours is NULL, all colours are 0. */
static inline void *uat_coloured_of(const void *object, const uint8_t *colours, int from, int to)
{
    return uat_coloured(object, colours ? colours[to] - colours[from] : 0);
}

#endif
