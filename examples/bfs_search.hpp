/* SPDX-License-Identifier: MIT */
/* Breadth-first search of a graph in global memory, and the same search by a plain sequential program. */
#ifndef UAT_BFS_SEARCH_HPP
#define UAT_BFS_SEARCH_HPP

#include <vector>

#include "examples/kronecker.hpp"

namespace bfs
{

/* Search a level top-down if it has fewer edges than (edges left) / few / (workers). */
constexpr uint64_t few = 14;

/* The number of vertices found, and of their edges. */
struct Found {
    uint64_t vertices, edges;
};
inline Found operator+(Found a, Found b)
{
    return {a.vertices + b.vertices, a.edges + b.edges};
}

/* A bitmap has a bit for each vertex. */
inline bool has(const uint64_t *map, uint64_t v)
{
    return map[v / 64] >> v % 64 & 1;
}
inline void add(uint64_t *map, uint64_t v)
{
    map[v / 64] |= UINT64_C(1) << v % 64;
}

/* A search in global memory. */
struct Search {
    kronecker::Graph g;
    uat::span<uint32_t> parent; /* the result, by vertex; the root's parent is the root; `none`: the search did not
                                 * reach the vertex */
    /* Bitmaps: the last level, the next level, and all vertices seen so far. Vertices without edges count as seen. Each
     * bitmap is on one host, because tasks read it as a whole. */
    uat::span<uint64_t> last, next, seen;

    /* Collective, outside of runs. After a failure, the constructor reports it and throws uat::error. */
    explicit Search(const kronecker::Graph &graph);
    void run(uint32_t root) const;
};

/* A search in ordinary memory. */
struct Plain {
    std::vector<uint64_t> offset, last, next, seen;
    std::vector<uint32_t> neighbour, parent;

    /* Copies the graph out of global memory. */
    explicit Plain(const kronecker::Graph &g);
    void run(uint32_t root);

  private:
    Found top_down(), bottom_up();
    void reach(uint64_t v, uint64_t from, Found &found);
};

} // namespace bfs

#endif
