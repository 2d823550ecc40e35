/* SPDX-License-Identifier: MIT */
/*
 * UTS-Mem (Shiina and Taura, "Itoyori", SC'23), written anew from the description: tasks build a tree of UTS in global
 * memory, and then count its nodes by the pointers alone. Each node is an object of the worker that made it.
 */
#include <stdlib.h>
#include <string.h>

#include "perf/bench.h"
#include "perf/uts_tree.h"
#include "uat/global.h"
#include "uat/object.h"

struct node {
    uint64_t children;
    struct node *child[];
};

static struct uat_uts_tree tree; /* these two are the same on all ranks */
static bool uncached;

static struct node *build(const struct uat_uts_node *from);

/* Make the children first to end - 1 of the node `from`, whose object is at `node`. */
UAT_TASK_VOID(build_children, struct node *, node, struct uat_uts_node, from, uint32_t, first, uint32_t, end)
{
    build_children_task half;

    if (end - first == 1) {
        struct uat_uts_node child;
        uat_uts_child(&tree, &from, first, &child);
        struct node *made = build(&child);
        UAT_GLOBAL_PUT(&node->child[first], made);
        return;
    }
    uint32_t middle = first + (end - first) / 2;
    build_children_spawn(&half, node, from, first, middle);
    build_children(node, from, middle, end);
    build_children_join(&half);
}

/* Make a node and all its descendants. Ends the job if there is no room. */
static struct node *build(const struct uat_uts_node *from)
{
    uint32_t children = uat_uts_children(&tree, from);
    struct node *node = uat_global_object_alloc(sizeof(*node) + children * sizeof(node->child[0]));

    if (!node)
        exit(1); /* the call has said why */
    UAT_GLOBAL_PUT(&node->children, (uint64_t)children);
    if (children > 0)
        build_children(node, *from, 0, children);
    return node;
}

UAT_TASK(struct node *, build_all, int, unused)
{
    struct uat_uts_node root;
    uat_uts_root(&tree, &root);
    return build(&root);
}

/* Read 8 bytes of a node, with or without the cache. */
static inline void read_word(void *value, const void *p)
{
    if (uncached) {
        uat_global_get(value, p, 8);
        return;
    }
    memcpy(value, uat_global_checkout(p, 8, UAT_READ), 8);
    uat_global_checkin(p, 8, UAT_READ);
}

/* Count the children first to end - 1 of a node at this depth, and all their descendants. With `discard`, free these
 * nodes. */
UAT_TASK(struct uat_uts_count, visit, struct node *, node, uint32_t, first, uint32_t, end, uint32_t, depth, bool,
         discard)
{
    struct uat_uts_count count = {0}, more;
    visit_task half;

    if (end - first == 1) {
        const struct uat_uts_node at = {.depth = depth + 1};
        uint64_t children;
        struct node *child;
        read_word(&child, &node->child[first]);
        read_word(&children, &child->children);
        if (children > 0)
            count = visit(child, 0, (uint32_t)children, depth + 1, discard);
        uat_uts_count_node(&count, &at, (uint32_t)children);
        if (discard)
            uat_global_object_free(child);
        return count;
    }
    uint32_t middle = first + (end - first) / 2;
    visit_spawn(&half, node, first, middle, depth, discard);
    count = visit(node, middle, end, depth, discard);
    more = visit_join(&half);
    uat_uts_count_add(&count, &more);
    return count;
}

/* A node above the root makes the root a child like all others. */
UAT_TASK(struct uat_uts_count, visit_all, struct node *, root, bool, discard)
{
    struct node *above = uat_global_object_alloc(sizeof(*above) + sizeof(above->child[0]));
    if (!above)
        exit(1);
    UAT_GLOBAL_PUT(&above->child[0], root);
    struct uat_uts_count count = visit(above, 0, 1, UINT32_MAX, discard);
    uat_global_object_free(above);
    return count;
}

int uat_uts_run_in_memory(const struct uat_uts_tree *parameters, bool without_cache, struct uat_uts_count *count)
{
    struct uat_uts_count again;
    struct node *root;

    tree = *parameters;
    uncached = without_cache;
    uat_bench_pause();
    int rc = build_all_run(&root, 0);
    uat_bench_resume();
    if (!rc)
        rc = visit_all_run(count, root, false);
    uat_bench_pause();
    return rc ? rc : visit_all_run(&again, root, true);
}
