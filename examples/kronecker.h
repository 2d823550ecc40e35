/* SPDX-License-Identifier: MIT */
/* The graph of the Graph500 benchmark (specification 2.0): generator, construction, and the validation of a search
 * tree. */
#ifndef UAT_KRONECKER_H
#define UAT_KRONECKER_H

#include <stdbool.h>
#include <stdint.h>

#include "uat/global.h"

enum { KRONECKER_SCALE_MAX = 28 };
#define KRONECKER_NONE UINT32_MAX /* no vertex */

struct edge {
    uint32_t u, v;
};

/* A graph in global memory; the same on all ranks. */
struct graph {
    int64_t vertices, edges; /* edges of the list, self-loops and repetitions included */
    struct edge *edge;
    int64_t *offset;       /* vertices + 1: where a vertex's neighbours begin */
    uint32_t *neighbour;   /* of all vertices, without self-loops */
    uat_atomic_t *cursor;  /* of each vertex: neighbours that construction has not placed yet */
    uat_atomic_t *witness; /* of each vertex: the last validation that found the edge to its parent */
};

/* All three are collective, outside of runs, and return 0 or a negative errno, reported. */
int kronecker_generate(struct graph *g, int scale, int edge_factor, uint64_t seed);
int kronecker_construct(const struct graph *g);
void kronecker_free(struct graph *g);

/* Edge i of the list. */
struct edge kronecker_edge(int scale, uint64_t seed, int64_t i);

/* What a validation finds: vertices and edges that break each of the specification's rules, and edges traversed. */
struct validity {
    int64_t broken[5];
    int64_t edges;
};

/* A tree, to be validated. */
struct search_tree {
    struct graph g;
    uint32_t *parent; /* of each vertex; KRONECKER_NONE outside of the tree */
    int32_t *level;   /* room for it */
    uint32_t root;
    uint64_t number; /* of the validation: each has another one, not 0 */
};

/* Collective, outside of runs. Returns 0 or a negative errno, reported. */
int kronecker_validate(const struct search_tree *tree, struct validity *v);

/* What the specification asks for: the rules' names. */
extern const char *const kronecker_rules[5];

#endif
