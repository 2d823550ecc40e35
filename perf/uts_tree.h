/* SPDX-License-Identifier: MIT */
/*
 * The trees of the Unbalanced Tree Search benchmark (Olivier et al., LCPC'06). The trees are not stored. A node is a
 * SHA-1 hash of 20 bytes, and its children are computed from this hash.
 */
#ifndef UAT_UTS_TREE_H
#define UAT_UTS_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define UAT_UTS_HASH         20  /* bytes of a SHA-1 hash */
#define UAT_UTS_CHILDREN_MAX 100 /* maximum children of a node, except the root of BIN and the nodes of BALANCED */

enum uat_uts_type { UAT_UTS_BIN, UAT_UTS_GEO, UAT_UTS_HYBRID, UAT_UTS_BALANCED };
enum uat_uts_shape { UAT_UTS_LINEAR, UAT_UTS_EXPDEC, UAT_UTS_CYCLIC, UAT_UTS_FIXED };

/* Parameters, named by the letters of the benchmark's command line. */
struct uat_uts_tree {
    int64_t type;        /* -t: enum uat_uts_type */
    double b;            /* -b: branching factor at the root */
    int64_t seed;        /* -r: seed of the root's hash */
    int64_t shape;       /* -a: enum uat_uts_shape: how the branching factor of GEO changes with the depth */
    int64_t depth;       /* -d: depth up to which GEO and BALANCED trees grow (CYCLIC: 5 times that) */
    double q;            /* -q: probability that a node of a BIN tree has children */
    int64_t m;           /* -m: children of such a node */
    int64_t granularity; /* -g: how many times each hash is computed */
    double shift;        /* -f: HYBRID changes from GEO to BIN at this fraction of the depth */
};

/* The reference program's default parameters. */
extern const struct uat_uts_tree uat_uts_default;

struct uat_uts_node {
    uint8_t hash[UAT_UTS_HASH];
    uint32_t depth;
};

struct uat_uts_count {
    uint64_t nodes;
    uint64_t leaves;
    uint64_t depth; /* depth of the deepest node */
};

void uat_uts_root(const struct uat_uts_tree *tree, struct uat_uts_node *root);

/* Make child number `number` (from 0) of parent. */
void uat_uts_child(const struct uat_uts_tree *tree, const struct uat_uts_node *parent, uint32_t number,
                   struct uat_uts_node *child);

/* The number of children of node. */
uint32_t uat_uts_children(const struct uat_uts_tree *tree, const struct uat_uts_node *node);

/* Count one node, which has `children` children. */
static inline void uat_uts_count_node(struct uat_uts_count *count, const struct uat_uts_node *node, uint32_t children)
{
    count->nodes++;
    count->leaves += children == 0;
    if (node->depth > count->depth)
        count->depth = node->depth;
}

static inline void uat_uts_count_add(struct uat_uts_count *count, const struct uat_uts_count *more)
{
    count->nodes += more->nodes;
    count->leaves += more->leaves;
    if (more->depth > count->depth)
        count->depth = more->depth;
}

/* Count the whole tree sequentially. */
void uat_uts_search(const struct uat_uts_tree *tree, struct uat_uts_count *count);

/* Look up the published size of this tree. Returns whether it is known; if so, *count is that size. */
bool uat_uts_known(const struct uat_uts_tree *tree, struct uat_uts_count *count);

/*
 * UTS-Mem: build the tree in global memory, count its nodes there, and free them. Only the counting is part of the
 * benchmark's time. without_cache: each pointer and number is read from the node's home, although it may be cached. The
 * function is in uts_memory.c. Collective, outside of runs, after uat_global_open(). Returns 0 or a negative errno. If
 * UAT_GLOBAL_SIZE is too small, the job ends.
 */
int uat_uts_run_in_memory(const struct uat_uts_tree *tree, bool without_cache, struct uat_uts_count *count);

#endif
