/* SPDX-License-Identifier: MIT */
/* Validation of a search tree: the five rules of the Graph500 specification 2.0, section "Validation". */
#include "examples/kronecker.h"

#include <string.h>

#include "uat/pattern.h"

enum { CHUNK = 512 /* edges */ };

const char *const kronecker_rules[5] = {
    "it is no tree: a vertex's parents do not lead to the root",
    "a vertex is not one level below its parent",
    "an edge joins levels that differ by more than one",
    "an edge leads out of the tree, which does not span its component",
    "a vertex and its parent are no edge of the graph",
};

static uint32_t parent_of(const struct search_tree *t, uint32_t v)
{
    uint32_t parent;

    uat_global_get(&parent, t->parent + v, sizeof(parent));
    return parent;
}

static int32_t level_of(const struct search_tree *t, uint32_t v)
{
    int32_t level;

    uat_global_get(&level, t->level + v, sizeof(level));
    return level;
}

/* Steps from v to the root; -1 if v is not in the tree, -2 if there is no way. A cycle meets a mark that is left behind
 * at steps 1, 2, 4 and so on (Brent 1980). */
static int32_t steps_to_root(const struct search_tree *t, uint32_t v)
{
    uint32_t at = parent_of(t, v), before = v, mark = v;
    int32_t steps = 0;

    if (at == KRONECKER_NONE)
        return -1;
    while (before != t->root) {
        if (at >= t->g.vertices || at == mark || steps == INT32_MAX)
            return -2;
        steps++;
        if ((steps & (steps - 1)) == 0)
            mark = at;
        before = at;
        at = parent_of(t, at);
    }
    return at == t->root ? steps : -2;
}

static void find_levels(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct search_tree *t = arg;
    struct validity *found = partial;

    for (int64_t v = begin; v < end; v++) {
        int32_t level = steps_to_root(t, (uint32_t)v);
        found->broken[0] += level == -2;
        uat_global_put(t->level + v, &level, sizeof(level));
    }
}

/* Rules 3 and 4, and who has seen the edge to its parent. */
static void judge_edge(const struct search_tree *t, struct edge e, struct validity *found)
{
    int32_t a = level_of(t, e.u), b = level_of(t, e.v);

    found->broken[2] += a >= 0 && b >= 0 && (a - b > 1 || b - a > 1);
    found->broken[3] += (a == -1) != (b == -1);
    found->edges += a >= 0 && b >= 0;
    for (int i = 0; i < 2; i++) {
        uint32_t child = i ? e.u : e.v, parent = i ? e.v : e.u;
        uat_atomic_t *witness = t->g.witness + child;
        uint64_t old = uat_atomic_load(witness);
        if (old != t->number && parent_of(t, child) == parent)
            uat_atomic_cmp_swap(witness, old, t->number); /* if it fails, somebody else has seen such an edge */
    }
}

static void judge_edges(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct search_tree *t = arg;
    struct edge e[CHUNK];

    for (int64_t at = begin; at < end; at += CHUNK) {
        int64_t count = end - at < CHUNK ? end - at : CHUNK;
        uat_global_get(e, t->g.edge + at, (size_t)count * sizeof(*e));
        for (int64_t i = 0; i < count; i++)
            judge_edge(t, e[i], partial);
    }
}

/* Rules 2 and 5. */
static void judge_vertices(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct search_tree *t = arg;
    struct validity *found = partial;

    for (int64_t v = begin; v < end; v++) {
        int32_t level = level_of(t, (uint32_t)v);
        if (level < 0 || v == t->root)
            continue;
        found->broken[1] += level_of(t, parent_of(t, (uint32_t)v)) != level - 1;
        found->broken[4] += uat_atomic_load(t->g.witness + v) != t->number;
    }
}

static void add(void *left, const void *right, const void *arg)
{
    struct validity *a = left;
    const struct validity *b = right;

    (void)arg;
    for (int i = 0; i < 5; i++)
        a->broken[i] += b->broken[i];
    a->edges += b->edges;
}

UAT_TASK(struct validity, validate, struct search_tree, t)
{
    static const struct validity none;
    const struct {
        int64_t end;
        uat_reduce_fn *body;
    } pass[] = {{t.g.vertices, find_levels}, {t.g.edges, judge_edges}, {t.g.vertices, judge_vertices}};
    struct validity sum = {0};

    for (int i = 0; i < 3; i++) {
        const uat_reduction_t reduction = {pass[i].body, add, &none, sizeof(none)};
        struct validity part;
        uat_reduce(0, pass[i].end, &reduction, &t, sizeof(t), &part);
        add(&sum, &part, NULL);
    }
    return sum;
}

int kronecker_validate(const struct search_tree *tree, struct validity *v)
{
    return validate_run(v, *tree);
}
