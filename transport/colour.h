/* SPDX-License-Identifier: MIT */
/*
 * Colours. Adapters serialise atomics whose addresses agree in the low 12 bits, even if the addresses differ (Ziegler,
 * Nelson-Slivon, Leis and Binnig, "Design Guidelines for Correct, Efficient, and Scalable Synchronization using
 * One-Sided RDMA", SIGMOD 2023). Segments lie at one address in all workers. So the same word of two neighbours would
 * agree in these bits, and atomics on the one would wait for those on the other. Therefore each worker has a colour:
 * its place among the workers of its host, modulo 64. The term is that of slab colouring, which shifts objects in the
 * same way to spread them over the lines of a cache (Bonwick, "The Slab Allocator", USENIX Summer 1994). The words
 * that adapters change lie 64 bytes x colour after their place in a worker of colour 0.
 */
#ifndef UAT_COLOUR_H
#define UAT_COLOUR_H

#include <stdint.h>

enum {
    UAT_COLOURS = 64,
    UAT_COLOUR_STEP = 64 /* bytes */,
    UAT_COLOUR_ROOM = UAT_COLOURS * UAT_COLOUR_STEP /* more bytes than the largest colour shifts by */
};

/* The object's address in a worker whose colour is higher by `more`, which may be negative. */
static inline void *uat_coloured(const void *object, int more)
{
    return (void *)((intptr_t)object + (intptr_t)more * UAT_COLOUR_STEP);
}

/* The address in worker `to` of the object that worker `from` has here. colours[i] is the colour of worker i; if
 * colours is NULL, all are 0. */
static inline void *uat_coloured_of(const void *object, const uint8_t *colours, int from, int to)
{
    return uat_coloured(object, colours ? colours[to] - colours[from] : 0);
}

#endif
