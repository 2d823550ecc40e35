/* SPDX-License-Identifier: MIT */
/* The graph of the Graph500 benchmark (specification 2.0): generator, construction, and the validation of a search
 * tree. */
#ifndef UAT_KRONECKER_HPP
#define UAT_KRONECKER_HPP

#include <cerrno>
#include <cstdint>

#include "uat.hpp"

namespace kronecker
{

constexpr int scale_max = 28;
constexpr uint32_t none = UINT32_MAX; /* no vertex */

struct Edge {
    uint32_t u, v;
};

/* A graph in global memory. All ranks have the same values here. The graph's arrays live until uat_finalize(). */
struct Graph {
    uint64_t vertices;
    uat::span<Edge> edge;          /* the list, self-loops and repetitions included */
    uat::span<uint64_t> offset;    /* vertices + 1 elements: the index in `neighbour` at which a vertex's neighbours
                                    * start */
    uat::span<uint32_t> neighbour; /* the neighbours of all vertices, without self-loops */
    uat::span<uint64_t> cursor;    /* by vertex: the number of its neighbours that construction has not stored yet */
    uat::span<uint64_t> witness;   /* by vertex: number of the last validation that found the edge to its parent */
};

/* An array in global memory, in chunks of `block` bytes; if `block` is 0, the array is blocked. After a failure,
 * reports it and throws uat::error. */
template <class T> uat::span<T> make_array(uint64_t size, size_t block = 0)
{
    auto how = block ? UAT_CYCLIC : UAT_BLOCKED;
    auto array = static_cast<T *>(uat_global_alloc(size * sizeof(T), how, block));
    if (!array)
        throw uat::error(errno, "uat_global_alloc");
    return uat::span<T>(array, size);
}

/* These functions and validate() are collective, outside of runs. After a failure, allocate() reports it and throws
 * uat::error. */
Graph allocate(uint64_t vertices, uint64_t edges);
void generate(const Graph &g, int scale, uint64_t seed);
void construct(const Graph &g);

/* Edge i of the list. */
Edge make_edge(int scale, uint64_t seed, uint64_t i);

/* The result of a validation: the number of traversed edges and, for each of the specification's rules, the number of
 * vertices or edges that break the rule. */
struct Validity {
    int64_t broken[5], edges;
};

/* A tree to validate. */
struct Tree {
    Graph g;
    uat::span<uint32_t> parent; /* of each vertex; `none` outside of the tree */
    uat::span<int32_t> level;   /* space for each vertex's level */
    uint32_t root;
    uint64_t number; /* number of the validation: unique, not 0 */
};

Validity validate(const Tree &tree);

/* The names of the specification's rules. */
extern const char *const rules[5];

} // namespace kronecker

#endif
