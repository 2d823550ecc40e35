/* SPDX-License-Identifier: MIT */
/*
 * Algorithms that exchange elements between the homes of an array. On several hosts, a recursion that splits on demand
 * moves elements with each steal. So these algorithms run in a few loops over the parts of the array: part r has the
 * elements that rank r keeps, and a team starts iteration r on rank r (runtime/team/team.h). In one of the loops each
 * part gets the elements that belong there, so an element moves once. Where the parts run changes only the time: any
 * worker may run any part, also after a restart from a checkpoint with other workers.
 */
#ifndef UAT_HOMES_H
#define UAT_HOMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat/detail/sort.h"

enum { UAT_COUNTED_MAX = 128 }; /* most parts of a partition, whose counts are a value of a reduction */

/* An array, divided at the edges of its homes. The division stays as it was made, even if the homes change. */
struct uat_parts {
    char *array;
    size_t size, count; /* bytes of an element; elements */
    uintptr_t start;    /* rank r keeps the bytes from start + r * chunk on */
    uint64_t chunk;
    int parts;
};

/* The memory of a second array whose element i has the home of element i of the first one. */
struct uat_twin {
    char *base;
    size_t size;  /* bytes of an element */
    size_t chunk; /* 0: element i is at base + i * size. Otherwise the memory is cyclic, in chunks of this many bytes */
    int first;    /* rank that keeps the first chunk */
};

/* Divide an array of `count` elements of `size` bytes. Returns false if the array should not be sorted or divided at
 * its homes: there is one host, each worker keeps several blocks, the elements are few, or few workers keep them. few:
 * the last is allowed. */
bool uat_parts_make(struct uat_parts *parts, void *array, size_t size, size_t count, bool few);

/* The first element of part r. Part r ends where part r + 1 starts. */
size_t uat_parts_edge(const struct uat_parts *parts, int r);

/*
 * Make *twin of elements of `size` bytes. It uses `scratch`, an array of as many elements, if that has the same homes;
 * NULL is allowed. Otherwise it allocates a temporary array, which the caller frees by uat_twin_free(). Returns false
 * if there is no such memory.
 */
bool uat_twin_make(struct uat_twin *twin, const struct uat_parts *parts, size_t size, void *scratch);
void uat_twin_free(const struct uat_twin *twin, const void *scratch);

/* Element `i` of part r. Sets *run to the number of elements that follow in one piece, itself included; at most what it
 * was. */
char *uat_twin_at(const struct uat_twin *twin, const struct uat_parts *parts, int r, size_t i, size_t *run);

/* Copy elements [from, from + count) of the twin to memory of this process, or from it to the elements. They may belong
 * to any parts. */
void uat_twin_get(const struct uat_twin *twin, const struct uat_parts *parts, char *to, size_t from, size_t count);
void uat_twin_put(const struct uat_twin *twin, const struct uat_parts *parts, size_t to, const char *from,
                  size_t count);

/* Copy elements [from, from + count) of the twin to the array, from its element `to` on. Both have elements of one
 * size. */
void uat_twin_move(const struct uat_twin *twin, const struct uat_parts *parts, size_t to, size_t from, size_t count);

/* Copy the twin, whose elements have the array's size, to the array. Call it in a task. */
void uat_twin_copy(const struct uat_twin *twin, const struct uat_parts *parts);

/* The whole part r in this process: in place if it is near, otherwise a copy; NULL if there is no memory for the copy.
 * The caller ends this by uat_part_leave() before it spawns or joins, which stores what has changed. */
char *uat_part_enter(const struct uat_parts *parts, int r);
void uat_part_leave(const struct uat_parts *parts, int r, char *elements);

#endif
