/* SPDX-License-Identifier: MIT */
/* Breadth-first search of a graph in global memory, and the same search by a plain sequential program. */
#ifndef UAT_BFS_SEARCH_H
#define UAT_BFS_SEARCH_H

#include "examples/kronecker.h"

/* A search in global memory. Bitmaps have a bit for each vertex, and lie on one host each. */
struct bfs {
    struct graph g;
    uint32_t *parent; /* of each vertex: the result; the root's is itself, KRONECKER_NONE: not reached */
    uint64_t *last, *next,
        *seen;     /* the last level, the one being made, all so far; vertices without edges count as seen */
    int64_t first; /* during a search: the word of the bitmaps with which the next loop begins */
};

/* 8-byte words of a bitmap. */
int64_t bfs_words(const struct graph *g);

/* Collective, outside of runs. 0 or a negative errno, reported. */
int bfs_search(const struct bfs *s, uint32_t root);

/* The same in ordinary memory. */
struct bfs_plain {
    int64_t vertices;
    int64_t *offset;
    uint32_t *neighbour, *parent;
    uint64_t *last, *next, *seen;
};

/* Copy a graph out of global memory; 0 or -ENOMEM. To be freed, also after an error. */
int bfs_plain_make(struct bfs_plain *s, const struct graph *g);
void bfs_plain_free(struct bfs_plain *s);
void bfs_plain_search(struct bfs_plain *s, uint32_t root);

#endif
