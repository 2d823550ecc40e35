/* SPDX-License-Identifier: MIT */
/* Known sizes of trees: the benchmark's own trees (T1 to T5 and their large forms), and a series of trees of growing
 * depth. */
#include "perf/uts_tree.h"

#include <stddef.h>

#define FIXED(depth_, seed_) .type = UAT_UTS_GEO, .b = 4, .seed = seed_, .shape = UAT_UTS_FIXED, .depth = depth_

static const struct known_tree {
    struct uat_uts_tree tree;
    struct uat_uts_count count;
} known_trees[] = {
    {{FIXED(10, 19)}, {4130071, 3305118, 10}},    /* T1 */
    {{FIXED(13, 29)}, {102181082, 81746377, 13}}, /* T1L */
    {{.type = UAT_UTS_GEO, .b = 6, .seed = 502, .shape = UAT_UTS_CYCLIC, .depth = 16}, {4117769, 2342762, 81}}, /* T2 */
    {{.type = UAT_UTS_GEO, .b = 7, .seed = 220, .shape = UAT_UTS_CYCLIC, .depth = 23},
     {96793510, 53791152, 67}},                                                                         /* T2L */
    {{.type = UAT_UTS_BIN, .b = 2000, .seed = 42, .q = 0.124875, .m = 8}, {4112897, 3599034, 1572}},    /* T3 */
    {{.type = UAT_UTS_BIN, .b = 2000, .seed = 7, .q = 0.200014, .m = 5}, {111345631, 89076904, 17844}}, /* T3L */
    {{.type = UAT_UTS_HYBRID,
      .b = 6,
      .seed = 1,
      .shape = UAT_UTS_LINEAR,
      .depth = 16,
      .q = 0.234375,
      .m = 4,
      .shift = 0.5},
     {4132453, 3108986, 134}},                                                                                 /* T4 */
    {{.type = UAT_UTS_GEO, .b = 4, .seed = 34, .shape = UAT_UTS_LINEAR, .depth = 20}, {4147582, 2181318, 20}}, /* T5 */
    {{FIXED(5, 0)}, {6650, 5359, 5}},
    {{FIXED(6, 0)}, {26417, 21084, 6}},
    {{FIXED(7, 0)}, {105178, 83989, 7}},
    {{FIXED(8, 0)}, {420457, 336331, 8}},
    {{FIXED(9, 0)}, {1677928, 1341463, 9}},
    {{FIXED(10, 0)}, {6700654, 5358786, 10}},
    {{FIXED(11, 0)}, {26779961, 21421213, 11}},
    {{FIXED(12, 0)}, {107110452, 85689699, 12}},
};

/* Do two sets of parameters give the same tree? Compares only the parameters that the tree's type uses. */
static bool same_tree(const struct uat_uts_tree *a, const struct uat_uts_tree *b)
{
    bool binomial = a->type == UAT_UTS_BIN || a->type == UAT_UTS_HYBRID;
    bool geometric = a->type == UAT_UTS_GEO || a->type == UAT_UTS_HYBRID;

    if (a->type != b->type || a->b != b->b || a->seed != b->seed)
        return false;
    if (binomial && (a->q != b->q || a->m != b->m))
        return false;
    if (geometric && (a->shape != b->shape || a->depth != b->depth))
        return false;
    return a->type != UAT_UTS_HYBRID || a->shift == b->shift;
}

/* The size of a BALANCED tree, which has b^i nodes at depth i. Returns false if the size exceeds 64 bits. */
static bool known_balanced(const struct uat_uts_tree *tree, struct uat_uts_count *count)
{
    struct uat_uts_count sum = {.nodes = 1, .leaves = 1};
    uint64_t branching = (uint64_t)tree->b;

    if (branching == 0) {
        *count = sum;
        return true;
    }
    for (int64_t depth = 1; depth <= tree->depth; depth++) {
        if (__builtin_mul_overflow(sum.leaves, branching, &sum.leaves) ||
            __builtin_add_overflow(sum.nodes, sum.leaves, &sum.nodes))
            return false;
        sum.depth++;
    }
    *count = sum;
    return true;
}

bool uat_uts_known(const struct uat_uts_tree *tree, struct uat_uts_count *count)
{
    if (tree->type == UAT_UTS_BALANCED)
        return known_balanced(tree, count);
    for (size_t i = 0; i < sizeof(known_trees) / sizeof(known_trees[0]); i++) {
        if (same_tree(tree, &known_trees[i].tree)) {
            *count = known_trees[i].count;
            return true;
        }
    }
    return false;
}
