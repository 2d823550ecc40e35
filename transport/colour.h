/* SPDX-License-Identifier: MIT */
/*
 * Colours. An adapter serialises atomics on different addresses if the addresses agree in the low 12 bits (Ziegler,
 * Nelson-Slivon, Leis and Binnig, "Design Guidelines for Correct, Efficient, and Scalable Synchronization using
 * One-Sided RDMA", SIGMOD 2023). The segment lies at the same address in all workers. So without colours, the addresses
 * of the same word in two workers of a host would agree in these bits, and atomics on one word would wait for atomics
 * on the other. Therefore each worker has a colour: its position among the workers of its host, modulo 64. In a worker
 * of colour c, the words that adapters change lie 64 c bytes after their address in a worker of colour 0. The term is
 * from slab colouring, which shifts objects in the same way to spread them over the lines of a cache (Bonwick, "The
 * Slab Allocator", USENIX Summer 1994).
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

/* The address in worker `to` of the object whose address in worker `from` is `object`. colours[i] is the colour of
 * worker i; NULL means that all are 0. */
static inline void *uat_coloured_of(const void *object, const uint8_t *colours, int from, int to)
{
    return uat_coloured(object, colours ? colours[to] - colours[from] : 0);
}

#endif
