/* SPDX-License-Identifier: MIT */
#include "perf/uts_tree.h"

#include <math.h>
#include <nettle/sha1.h>
#include <string.h>

const struct uat_uts_tree uat_uts_default = {
    .type = UAT_UTS_GEO,
    .b = 4.0,
    .seed = 0,
    .shape = UAT_UTS_LINEAR,
    .depth = 6,
    .q = 15.0 / 64.0,
    .m = 4,
    .granularity = 1,
    .shift = 0.5,
};

static void put_big_endian(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 24);
    bytes[1] = (uint8_t)(value >> 16);
    bytes[2] = (uint8_t)(value >> 8);
    bytes[3] = (uint8_t)value;
}

void uat_uts_root(const struct uat_uts_tree *tree, struct uat_uts_node *root)
{
    uint8_t seed[UAT_UTS_HASH] = {0};
    struct sha1_ctx sha1;

    put_big_endian(seed + UAT_UTS_HASH - 4, (uint32_t)tree->seed);
    sha1_init(&sha1);
    sha1_update(&sha1, sizeof(seed), seed);
    sha1_digest(&sha1, UAT_UTS_HASH, root->hash);
    root->depth = 0;
}

/* Never inlined, so that the frames of a deep recursion do not contain the hash's context. */
__attribute__((noinline)) void uat_uts_child(const struct uat_uts_tree *tree, const struct uat_uts_node *parent,
                                             uint32_t number, struct uat_uts_node *child)
{
    uint8_t message[UAT_UTS_HASH + 4];
    struct sha1_ctx sha1;

    memcpy(message, parent->hash, UAT_UTS_HASH);
    put_big_endian(message + UAT_UTS_HASH, number);
    for (int64_t i = 0; i < tree->granularity; i++) {
        sha1_init(&sha1);
        sha1_update(&sha1, sizeof(message), message);
        sha1_digest(&sha1, UAT_UTS_HASH, child->hash);
    }
    child->depth = parent->depth + 1;
}

/* The node's random number in [0, 1): the last 31 bits of its hash. */
static double probability(const struct uat_uts_node *node)
{
    const uint8_t *last = node->hash + UAT_UTS_HASH - 4;
    uint32_t bits = (uint32_t)last[0] << 24 | (uint32_t)last[1] << 16 | (uint32_t)last[2] << 8 | last[3];

    return (bits & 0x7fffffff) / 2147483648.0;
}

/* The expected number of children in a GEO tree. Keep the order of the operations, because it determines the last
 * bit. */
static double branching(const struct uat_uts_tree *tree, double depth)
{
    double most = (double)tree->depth;

    if (depth == 0)
        return tree->b;
    switch (tree->shape) {
    case UAT_UTS_EXPDEC:
        return tree->b * pow(depth, -log(tree->b) / log(most));
    case UAT_UTS_CYCLIC:
        return depth > 5 * most ? 0.0 : pow(tree->b, sin(2.0 * M_PI * depth / most));
    case UAT_UTS_FIXED:
        return depth < most ? tree->b : 0.0;
    default:
        return tree->b * (1.0 - depth / most);
    }
}

static uint32_t children_geometric(const struct uat_uts_tree *tree, const struct uat_uts_node *node)
{
    double p = 1.0 / (1.0 + branching(tree, node->depth));
    double children = floor(log(1.0 - probability(node)) / log(1.0 - p));

    return children < UAT_UTS_CHILDREN_MAX ? (uint32_t)children : UAT_UTS_CHILDREN_MAX;
}

static uint32_t children_binomial(const struct uat_uts_tree *tree, const struct uat_uts_node *node)
{
    uint32_t children = probability(node) < tree->q ? (uint32_t)tree->m : 0;

    return children < UAT_UTS_CHILDREN_MAX ? children : UAT_UTS_CHILDREN_MAX;
}

uint32_t uat_uts_children(const struct uat_uts_tree *tree, const struct uat_uts_node *node)
{
    switch (tree->type) {
    case UAT_UTS_BIN:
        return node->depth == 0 ? (uint32_t)tree->b : children_binomial(tree, node);
    case UAT_UTS_GEO:
        return children_geometric(tree, node);
    case UAT_UTS_HYBRID:
        return node->depth < tree->shift * (double)tree->depth ? children_geometric(tree, node)
                                                               : children_binomial(tree, node);
    default:
        return node->depth < tree->depth ? (uint32_t)tree->b : 0;
    }
}

static void search_below(const struct uat_uts_tree *tree, const struct uat_uts_node *parent, uint32_t children,
                         struct uat_uts_count *count)
{
    struct uat_uts_node child;

    for (uint32_t i = 0; i < children; i++) {
        uat_uts_child(tree, parent, i, &child);
        uint32_t grandchildren = uat_uts_children(tree, &child);
        uat_uts_count_node(count, &child, grandchildren);
        if (grandchildren > 0)
            search_below(tree, &child, grandchildren, count);
    }
}

void uat_uts_search(const struct uat_uts_tree *tree, struct uat_uts_count *count)
{
    struct uat_uts_node root;

    uat_uts_root(tree, &root);
    uint32_t children = uat_uts_children(tree, &root);
    *count = (struct uat_uts_count){0};
    uat_uts_count_node(count, &root, children);
    search_below(tree, &root, children, count);
}
