/* SPDX-License-Identifier: MIT */
/*
 * Description: the validation of search trees accepts a right tree, and finds each kind of fault in a wrong one. (Rule
 * 2 cannot be broken alone. Levels are computed from the parents, so a tree that breaks rule 2 also breaks rule 1.) The
 * graph has two components. One is a cycle of the 8 vertices 0 to 7, with a loop and a repeated edge. The other is an
 * edge between 8 and 9.
 */
#include <cstdio>

#include "examples/kronecker.hpp"

namespace
{
using namespace kronecker;

constexpr int vertices = 16, edges = 11;

const Edge list[edges] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 5}, {7, 6}, {0, 7}, {3, 3}, {1, 0}, {8, 9}};

constexpr uint32_t NO = none;
const struct {
    const char *what;
    uint32_t parent[vertices];
    int rule; /* the broken rule, 1 to 5; 0: none. Other rules may be broken as well. */
} trees[] = {
    {"right", {0, 0, 1, 2, 3, 6, 7, 0, NO, NO, NO, NO, NO, NO, NO, NO}, 0},
    {"right, with the other parent of 4", {0, 0, 1, 2, 5, 6, 7, 0, NO, NO, NO, NO, NO, NO, NO, NO}, 0},
    {"cycle of 3 and 4", {0, 0, 1, 4, 3, 6, 7, 0, NO, NO, NO, NO, NO, NO, NO, NO}, 1},
    {"root with a parent", {7, 0, 1, 2, 3, 6, 7, 0, NO, NO, NO, NO, NO, NO, NO, NO}, 1},
    {"second root", {0, 0, 1, 2, 3, 6, 7, 0, 8, 8, NO, NO, NO, NO, NO, NO}, 1},
    {"parent that is no vertex", {0, 0, 1, 2, 3, 6, 7, 0, 77, NO, NO, NO, NO, NO, NO, NO}, 1},
    {"not breadth first", {0, 0, 1, 2, 3, 4, 5, 6, NO, NO, NO, NO, NO, NO, NO, NO}, 3},
    {"vertex left out", {0, 0, 1, 2, NO, 6, 7, 0, NO, NO, NO, NO, NO, NO, NO, NO}, 4},
    {"vertex of another component", {0, 0, 1, 2, 3, 6, 7, 0, 3, NO, NO, NO, NO, NO, NO, NO}, 4},
    {"no edge from 2 to 7", {0, 0, 7, 2, 3, 6, 7, 0, NO, NO, NO, NO, NO, NO, NO, NO}, 5},
};

/* Check that every edge except loops is in the rows of both its ends. */
bool rows_are_right(const Graph &g)
{
    int found = 0;

    if (g.offset.get(0) != 0 || g.offset.get(vertices) != 2 * (edges - 1))
        return false;
    for (uint32_t v = 0; v < vertices; v++)
        for (uint64_t i = g.offset.get(v); i < g.offset.get(v + 1); i++)
            for (Edge e : list)
                found += (e.u == v && e.v == g.neighbour.get(i)) || (e.v == v && e.u == g.neighbour.get(i));
    return found == 2 * (edges - 1) + 4; /* the repeated edge is counted four more times */
}

int judge(const Tree &t, size_t i)
{
    int sum = 0, rule = trees[i].rule;

    if (uat_rank() == 0)
        uat_global_put(t.parent.data(), trees[i].parent, sizeof(trees[i].parent));
    if (uat_barrier())
        return 1;
    Validity v = validate(t);
    for (int64_t broken : v.broken)
        sum += broken != 0;
    int wrong = rule ? v.broken[rule - 1] == 0 : sum != 0 || v.edges != edges - 1;
    if (wrong && uat_rank() == 0)
        fprintf(stderr, "%s: rules broken %lld %lld %lld %lld %lld, edges %lld; wanted rule %d\n", trees[i].what,
                (long long)v.broken[0], (long long)v.broken[1], (long long)v.broken[2], (long long)v.broken[3],
                (long long)v.broken[4], (long long)v.edges, rule);
    return wrong;
}
} // namespace

int main()
{
    uat::job job;
    Tree t = {allocate(vertices, edges), make_array<uint32_t>(vertices), make_array<int32_t>(vertices), 0, 0};
    int wrong = 0;

    if (uat_rank() == 0)
        uat_global_put(t.g.edge.data(), list, sizeof(list));
    if (uat_barrier())
        return 1;
    construct(t.g);
    if (!rows_are_right(t.g)) {
        fprintf(stderr, "the rows do not match the edges\n");
        wrong++;
    }
    for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
        t.number++;
        wrong += judge(t, i);
    }
    return job.finish() || wrong;
}
