/* SPDX-License-Identifier: MIT */
/*
 * Unbalanced tree search with tasks. A family is a node with a range of its children. A task gets an array of families.
 * It splits many families, or a large range of children, into halves, and spawns one half. It generates a small range
 * of children at once, and counts the leaves among these children immediately. Most nodes are leaves, so most nodes
 * need no task.
 *
 * The program uses the plain interface, because the size of the argument varies. A task works in place on its copy of
 * the argument.
 */
#include "perf/bench.h"
#include "perf/uts_tree.h"
#include "uat/global.h"

/* Number of children to generate at once: enough to avoid tasks for leaves, and few enough for a small frame. */
#define GENERATION 8

struct family {
    struct uat_uts_node parent;
    uint32_t first, end; /* range of its children */
    uint64_t families;   /* number of families in the array; set only in its first element */
};

static int64_t papers, memory;
static struct uat_uts_tree tree; /* the tasks read it; every rank sets it from the same command line */

static void search(struct family *family, uint64_t families, struct uat_uts_count *count);

static void search_task(void *arg, void *result)
{
    struct uat_uts_count *count = (struct uat_uts_count *)result;
    struct family *family = (struct family *)arg;

    *count = (struct uat_uts_count){0};
    search(family, family->families, count);
}

/* Never inlined, so that a deep recursion has this function's array only once for each level of the tree. */
__attribute__((noinline)) static void generate(const struct family *family, struct uat_uts_count *count)
{
    struct family inner[GENERATION];
    uint64_t families = 0;

    for (uint32_t i = family->first; i < family->end; i++) {
        struct uat_uts_node *child = &inner[families].parent;

        uat_uts_child(&tree, &family->parent, i, child);
        uint32_t children = uat_uts_children(&tree, child);
        uat_uts_count_node(count, child, children);
        inner[families].first = 0;
        inner[families].end = children;
        families += children > 0;
    }
    if (families > 0)
        search(inner, families, count);
}

/* Add all descendants of the families to *count. Changes the families. */
static void search(struct family *family, uint64_t families, struct uat_uts_count *count)
{
    struct uat_uts_count spawned;
    uat_task_t task;

    if (families > 1) {
        uint64_t half = families / 2;

        family->families = half;
        uat_spawn(&task, search_task, family, half * sizeof(*family), &spawned, sizeof(spawned));
        search(family + half, families - half, count);
    } else if (family->end - family->first > GENERATION) {
        uint32_t end = family->end, middle = family->first + (end - family->first) / 2;

        family->families = 1;
        family->end = middle;
        uat_spawn(&task, search_task, family, sizeof(*family), &spawned, sizeof(spawned));
        family->first = middle;
        family->end = end;
        search(family, 1, count);
    } else {
        generate(family, count);
        return;
    }
    uat_join(&task);
    uat_uts_count_add(count, &spawned);
}

/* The papers' granularity: tasks halve a range of children down to single children, and each task spawns two tasks or
 * none. */
UAT_TASK(struct uat_uts_count, visit, struct uat_uts_node, parent, uint32_t, first, uint32_t, end)
{
    struct uat_uts_count count = {0}, more;
    visit_task left, right;

    while (end - first == 1) {
        struct uat_uts_node child;

        uat_uts_child(&tree, &parent, first, &child);
        parent = child;
        first = 0;
        end = uat_uts_children(&tree, &parent);
        uat_uts_count_node(&count, &parent, end);
    }
    if (end == 0)
        return count;
    uint32_t middle = first + (end - first) / 2;
    visit_spawn(&left, parent, first, middle);
    visit_spawn(&right, parent, middle, end);
    more = visit_join(&right);
    uat_uts_count_add(&count, &more);
    more = visit_join(&left);
    uat_uts_count_add(&count, &more);
    return count;
}

/* Refuse binomial trees with more than 1.01 children per node on average. A tree with more than one may be infinite,
 * but the benchmark's T3L has 1.00007. */
static const char *refuse(void)
{
    bool binomial = tree.type == UAT_UTS_BIN || tree.type == UAT_UTS_HYBRID;

    if (binomial && tree.q * (double)tree.m > 1.01)
        return "the tree may be infinite, because -q times -m is more than 1.01; give a smaller -q or -m";
    return NULL;
}

static void give(const struct uat_uts_count *count, uint64_t *answer)
{
    answer[0] = count->nodes;
    answer[1] = count->leaves;
    answer[2] = count->depth;
}

static int prepare(void)
{
    return memory ? uat_global_open() : 0;
}

static int run(uint64_t *answer)
{
    struct uat_uts_count count = {0};
    struct family root = {.families = 1};
    int status;

    if (memory) {
        status = uat_uts_run_in_memory(&tree, memory == 2, &count);
        give(&count, answer);
        return status;
    }
    uat_uts_root(&tree, &root.parent);
    root.end = uat_uts_children(&tree, &root.parent);
    status = papers ? visit_run(&count, root.parent, 0, root.end)
                    : uat_run(search_task, &root, sizeof(root), &count, sizeof(count));
    if (status < 0)
        return status;
    uat_uts_count_node(&count, &root.parent, root.end);
    give(&count, answer);
    return 0;
}

static int sequential(uint64_t *answer)
{
    struct uat_uts_count count;

    uat_uts_search(&tree, &count);
    give(&count, answer);
    return 0;
}

static bool known(uint64_t *answer)
{
    struct uat_uts_count count;

    if (!uat_uts_known(&tree, &count))
        return false;
    give(&count, answer);
    return true;
}

static const struct uat_bench_option options[] = {
    {"-t", "TYPE", "tree: 0 binomial, 1 geometric, 2 hybrid, 3 balanced", &tree.type, NULL, 0, 3},
    {"-b", "B", "branching factor at the root", NULL, &tree.b, 0, 1e9},
    {"-r", "SEED", "random seed of the root", &tree.seed, NULL, 0, INT32_MAX},
    {"-a", "SHAPE", "geometric: branching by depth, 0 linear, 1 exponential, 2 cyclic, 3 fixed", &tree.shape, NULL, 0,
     3},
    {"-d", "DEPTH", "geometric, balanced: depth of the tree", &tree.depth, NULL, 1, 1e6},
    {"-q", "Q", "binomial: probability that a node has children", NULL, &tree.q, 0, 1},
    {"-m", "M", "binomial: children of such a node", &tree.m, NULL, 0, UAT_UTS_CHILDREN_MAX},
    {"-g", "G", "times each hash is computed: more work in a node", &tree.granularity, NULL, 1, 1e9},
    {"-f", "SHIFT", "hybrid: fraction of DEPTH at which it turns binomial", NULL, &tree.shift, 0, 1},
    {"--papers", "0|1", "1: a task for each child and for each half of a range, as in HPDC'15", &papers, NULL, 0, 1},
    {"--memory", "0|1|2", "1: count a tree that is in global memory (UTS-Mem); 2: without the cache", &memory, NULL, 0,
     2},
    {0},
};

static const struct uat_bench bench = {
    .program = "uat-uts",
    .purpose = "Count an unbalanced tree whose nodes follow from their parents by SHA-1.",
    .options = options,
    .results = {"nodes", "leaves", "depth"},
    .rate = true,
    .refuse = refuse,
    .known = known,
    .prepare = prepare,
    .run = run,
    .sequential = sequential,
};

int main(int argc, char **argv)
{
    tree = uat_uts_default;
    return uat_bench_main(&bench, argc, argv);
}
