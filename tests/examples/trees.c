/* SPDX-License-Identifier: MIT */
/*
 * Description: the validation of search trees accepts a right tree, and finds each kind of fault in a wrong one. (Rule
 * 2 cannot be broken alone: levels are computed from the parents, so a tree that breaks it breaks rule 1.) The graph
 * has two components: a cycle of 8 vertices, 0 to 7, with a loop and a repeated edge, and an edge between 8 and 9.
 */
#include <stdio.h>
#include <string.h>

#include "examples/kronecker.h"
#include "uat.h"

enum { VERTICES = 16, EDGES = 11 };

static const struct edge list[EDGES] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 5},
                                        {7, 6}, {0, 7}, {3, 3}, {1, 0}, {8, 9}};

#define NO KRONECKER_NONE
static const struct {
    const char *what;
    uint32_t parent[VERTICES];
    int rule; /* the rule that is broken: 1 to 5; 0: none. Other rules may be broken as well. */
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

static int make_graph(struct graph *g)
{
    *g = (struct graph){.vertices = VERTICES, .edges = EDGES};
    g->edge = uat_global_alloc(sizeof(list), UAT_BLOCKED, 0);
    g->offset = uat_global_alloc((VERTICES + 1) * sizeof(*g->offset), UAT_BLOCKED, 0);
    g->neighbour = uat_global_alloc(2 * EDGES * sizeof(*g->neighbour), UAT_BLOCKED, 0);
    g->cursor = uat_global_alloc(VERTICES * sizeof(*g->cursor), UAT_BLOCKED, 0);
    g->witness = uat_global_alloc(VERTICES * sizeof(*g->witness), UAT_BLOCKED, 0);
    if (!g->edge || !g->offset || !g->neighbour || !g->cursor || !g->witness)
        return 1;
    if (uat_rank() == 0)
        uat_global_put(g->edge, list, sizeof(list));
    return uat_barrier() || kronecker_construct(g);
}

/* Check the rows: they hold each edge that is not a loop at both of its ends. */
static int wrong_rows(const struct graph *g)
{
    int64_t offset[VERTICES + 1], found = 0;
    uint32_t row[2 * EDGES];

    uat_global_get(offset, g->offset, sizeof(offset));
    if (offset[0] != 0 || offset[VERTICES] != 2 * (EDGES - 1))
        return 1;
    uat_global_get(row, g->neighbour, sizeof(row));
    for (uint32_t v = 0; v < VERTICES; v++)
        for (int64_t i = offset[v]; i < offset[v + 1]; i++)
            for (int e = 0; e < EDGES; e++)
                found += (list[e].u == v && list[e].v == row[i]) || (list[e].v == v && list[e].u == row[i]);
    return found != 2 * (EDGES - 1) + 4; /* the repeated edge is counted four more times */
}

static int judge(const struct search_tree *t, size_t i)
{
    struct validity v;
    int sum = 0, rule = trees[i].rule;

    if (uat_rank() == 0)
        uat_global_put(t->parent, trees[i].parent, sizeof(trees[i].parent));
    if (uat_barrier() || kronecker_validate(t, &v))
        return 1;
    for (int k = 0; k < 5; k++)
        sum += v.broken[k] != 0;
    int wrong = rule ? v.broken[rule - 1] == 0 : sum != 0 || v.edges != EDGES - 1;
    if (wrong && uat_rank() == 0)
        fprintf(stderr, "%s: rules broken %lld %lld %lld %lld %lld, edges %lld; wanted rule %d\n", trees[i].what,
                (long long)v.broken[0], (long long)v.broken[1], (long long)v.broken[2], (long long)v.broken[3],
                (long long)v.broken[4], (long long)v.edges, rule);
    return wrong;
}

int main(void)
{
    struct search_tree t = {.root = 0};
    int wrong = 0;

    if (uat_init() || make_graph(&t.g))
        return 1;
    t.parent = uat_global_alloc(VERTICES * sizeof(*t.parent), UAT_BLOCKED, 0);
    t.level = uat_global_alloc(VERTICES * sizeof(*t.level), UAT_BLOCKED, 0);
    if (!t.parent || !t.level)
        return 1;
    if (wrong_rows(&t.g)) {
        fprintf(stderr, "the rows are not those of the edges\n");
        wrong++;
    }
    for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
        t.number++;
        wrong += judge(&t, i);
    }
    kronecker_free(&t.g);
    return uat_finalize() || wrong;
}
