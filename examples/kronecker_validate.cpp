/* SPDX-License-Identifier: MIT */
/* Validation of a search tree: the five rules of the Graph500 specification 2.0, section "Validation". */
#include <functional>

#include "examples/kronecker.hpp"

namespace kronecker
{

const char *const rules[5] = {
    "it is no tree: a vertex's parents do not lead to the root",
    "a vertex is not one level below its parent",
    "an edge joins levels that differ by more than one",
    "an edge leads out of the tree, which does not span its component",
    "a vertex and its parent are no edge of the graph",
};

static Validity operator+(Validity a, const Validity &b)
{
    for (int i = 0; i < 5; i++)
        a.broken[i] += b.broken[i];
    a.edges += b.edges;
    return a;
}

/* Element i of an array that no task writes meanwhile. Unlike a get, this leaves the bytes around it in the cache. */
template <class T> static T element(uat::span<T> array, uint64_t i)
{
    return array.subspan(i, 1).read()[0];
}

/* The number of steps from v to the root. Returns -1 if v is not in the tree, and -2 if no path leads to the root.
 * `mark` is set at steps 1, 2, 4 and so on. A path with a cycle returns to `mark` (Brent 1980). */
static int32_t steps_to_root(const Tree &t, uint32_t v)
{
    uint32_t at = element(t.parent, v), before = v, mark = v;
    int32_t steps = 0;

    if (at == none)
        return -1;
    while (before != t.root) {
        if (at >= t.g.vertices || at == mark || steps == INT32_MAX)
            return -2;
        steps++;
        if ((steps & (steps - 1)) == 0)
            mark = at;
        before = at;
        at = element(t.parent, at);
    }
    return at == t.root ? steps : -2;
}

/* Set the level of v, and check rule 1. */
static Validity find_level(const Tree &t, uint32_t v)
{
    int32_t level = steps_to_root(t, v);

    t.level.put(v, level);
    return {{level == -2}, 0};
}

/* Check rules 3 and 4. If e leads from a vertex to its parent, record for the vertex that its tree edge is in the
 * list. */
static Validity judge_edge(const Tree &t, Edge e)
{
    int32_t a = element(t.level, e.u), b = element(t.level, e.v);

    for (Edge way : {e, Edge{e.v, e.u}}) {
        if (element(t.parent, way.u) != way.v)
            continue;
        auto witness = t.g.witness.atomic(way.u);
        uint64_t old = witness.load();
        if (old != t.number)
            witness.compare_exchange_strong(old, t.number); /* if the exchange fails, another task has marked the
                                                             * vertex */
    }
    return {{0, 0, a >= 0 && b >= 0 && (a - b > 1 || b - a > 1), (a == -1) != (b == -1)}, a >= 0 && b >= 0};
}

/* Check rules 2 and 5. */
static Validity judge_vertex(const Tree &t, uint32_t v)
{
    int32_t level = element(t.level, v);

    if (level < 0 || v == t.root)
        return {};
    return {{0, element(t.level, element(t.parent, v)) != level - 1, 0, 0, t.g.witness.atomic(v).load() != t.number},
            0};
}

Validity validate(const Tree &tree)
{
    return uat::run([t = tree] {
        uat::span<const Edge> edges = t.g.edge;
        auto vertices = [t](auto judge) {
            return uat::parallel_reduce(0, int64_t(t.g.vertices), Validity{}, std::plus<>(),
                                        [t, judge](int64_t v) { return judge(t, uint32_t(v)); });
        };
        Validity trees = vertices(find_level);
        Validity all =
            uat::transform_reduce(edges, Validity{}, std::plus<>(), [t](Edge e) { return judge_edge(t, e); });
        return trees + all + vertices(judge_vertex);
    });
}

} // namespace kronecker
