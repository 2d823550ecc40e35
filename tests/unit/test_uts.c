/* SPDX-License-Identifier: MIT */
/*
 * Description: the trees of uat-uts. Sequential counts are compared with published sizes from other programs. Every
 * type of tree is compared with a second counter. The second counter is written from the definition, shares no code
 * with the first one, and works breadth first.
 */
#include <math.h>
#include <nettle/sha1.h>
#include <stdlib.h>

#include "perf/uts_tree.h"
#include "tests/test.h"

#define NODES_MAX 2000000

/* The second counter: a queue of hashes and depths, in level order. */
struct queue {
    uint8_t (*hash)[20];
    uint32_t *depth;
    size_t nodes;
};

static void append(struct queue *queue, const uint8_t *seed, uint32_t number, uint32_t depth)
{
    uint8_t last[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    static const uint8_t zeros[16];
    struct sha1_ctx sha1;

    assert_true(queue->nodes < NODES_MAX);
    sha1_init(&sha1);
    if (seed)
        sha1_update(&sha1, 20, seed);
    else
        sha1_update(&sha1, sizeof(zeros), zeros);
    sha1_update(&sha1, sizeof(last), last);
    sha1_digest(&sha1, 20, queue->hash[queue->nodes]);
    queue->depth[queue->nodes++] = depth;
}

static double second_random(const uint8_t *hash)
{
    return (((hash[16] & 127) * 256.0 + hash[17]) * 65536.0 + hash[18] * 256.0 + hash[19]) / 2147483648.0;
}

static double second_mean(const struct uat_uts_tree *t, double depth)
{
    double fraction = depth / (double)t->depth;

    if (depth == 0)
        return t->b;
    if (t->shape == UAT_UTS_LINEAR)
        return t->b * (1.0 - fraction);
    if (t->shape == UAT_UTS_EXPDEC)
        return t->b * pow(depth, -log(t->b) / log((double)t->depth));
    if (t->shape == UAT_UTS_CYCLIC)
        return fraction > 5 ? 0 : pow(t->b, sin(2.0 * M_PI * depth / (double)t->depth));
    return fraction < 1 ? t->b : 0;
}

/*
 * The number of children of a node, from the distribution functions. Geometric with mean m: P(at least k children) = (m
 * / (1 + m))^k. Binomial: m children with probability q.
 */
static uint32_t second_children(const struct uat_uts_tree *t, const uint8_t *hash, uint32_t depth)
{
    bool geometric = t->type == UAT_UTS_GEO || (t->type == UAT_UTS_HYBRID && depth < t->shift * (double)t->depth);
    double u = second_random(hash);

    if (t->type == UAT_UTS_BALANCED)
        return depth < t->depth ? (uint32_t)t->b : 0;
    if (geometric) {
        double mean = second_mean(t, depth), more = mean / (1.0 + mean), reach = more;
        uint32_t children = 0;

        while (children < 100 && 1.0 - u <= reach) {
            children++;
            reach *= more;
        }
        return children;
    }
    if (t->type == UAT_UTS_BIN && depth == 0)
        return (uint32_t)t->b;
    return u < t->q ? (uint32_t)t->m : 0;
}

static struct uat_uts_count second_count(const struct uat_uts_tree *t)
{
    struct queue queue = {malloc(NODES_MAX * 20), malloc(NODES_MAX * sizeof(uint32_t)), 0};
    struct uat_uts_count count = {0};

    assert_true(queue.hash && queue.depth);
    append(&queue, NULL, (uint32_t)t->seed, 0);
    for (size_t i = 0; i < queue.nodes; i++) {
        uint32_t children = second_children(t, queue.hash[i], queue.depth[i]);

        count.leaves += children == 0;
        for (uint32_t k = 0; k < children; k++)
            append(&queue, queue.hash[i], k, queue.depth[i] + 1);
    }
    count.nodes = queue.nodes;
    count.depth = queue.depth[queue.nodes - 1];
    free(queue.hash);
    free(queue.depth);
    return count;
}

static void assert_same(const struct uat_uts_count *found, const struct uat_uts_count *expected)
{
    assert_int_equal(found->nodes, expected->nodes);
    assert_int_equal(found->leaves, expected->leaves);
    assert_int_equal(found->depth, expected->depth);
}

static struct uat_uts_tree fixed(int64_t depth, int64_t seed)
{
    struct uat_uts_tree tree = uat_uts_default;

    tree.shape = UAT_UTS_FIXED;
    tree.depth = depth;
    tree.seed = seed;
    return tree;
}

/* Compare the series, depth by depth, with this test's own copy of the figures. */
TEST(series)
{
    static const struct uat_uts_count expected[] = {{6650, 5359, 5}, {26417, 21084, 6}, {105178, 83989, 7}};

    for (int i = 0; i < 3; i++) {
        struct uat_uts_tree tree = fixed(5 + i, 0);
        struct uat_uts_count found;

        uat_uts_search(&tree, &found);
        assert_same(&found, &expected[i]);
    }
}

/* The benchmark's five published trees of four million nodes. */
TEST(published)
{
    const struct uat_uts_tree trees[] = {
        fixed(10, 19),
        {.type = UAT_UTS_GEO, .b = 6, .seed = 502, .shape = UAT_UTS_CYCLIC, .depth = 16, .granularity = 1},
        {.type = UAT_UTS_BIN, .b = 2000, .seed = 42, .q = 0.124875, .m = 8, .granularity = 1},
        {.type = UAT_UTS_HYBRID, .b = 6, .seed = 1, .depth = 16, .q = 0.234375, .m = 4, .shift = 0.5, .granularity = 1},
        {.type = UAT_UTS_GEO, .b = 4, .seed = 34, .shape = UAT_UTS_LINEAR, .depth = 20, .granularity = 1},
    };
    static const uint64_t nodes[] = {4130071, 4117769, 4112897, 4132453, 4147582};

    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        struct uat_uts_count found, known;

        uat_uts_search(&trees[i], &found);
        assert_int_equal(found.nodes, nodes[i]);
        assert_true(uat_uts_known(&trees[i], &known));
        assert_same(&found, &known);
    }
}

static void assert_counters_agree(const struct uat_uts_tree *tree, uint64_t nodes_least)
{
    struct uat_uts_count found, expected = second_count(tree);

    uat_uts_search(tree, &found);
    assert_same(&found, &expected);
    assert_true(found.nodes >= nodes_least); /* a tree with only a root would prove nothing */
}

TEST(geometric)
{
    for (int64_t shape = UAT_UTS_LINEAR; shape <= UAT_UTS_FIXED; shape++) {
        uint64_t most = 0;

        for (int64_t seed = 1; seed <= 5; seed++) {
            struct uat_uts_tree tree = fixed(6, seed);
            struct uat_uts_count found;

            tree.shape = shape;
            assert_counters_agree(&tree, 1);
            uat_uts_search(&tree, &found);
            most = found.nodes > most ? found.nodes : most;
        }
        assert_true(most > 100);
    }
}

/* A mean of 200 children exceeds the limit of 100. */
TEST(limit)
{
    struct uat_uts_tree tree = fixed(2, 3);
    struct uat_uts_node root;

    tree.b = 200;
    for (tree.seed = 0; tree.seed < 20; tree.seed++) {
        uat_uts_root(&tree, &root);
        assert_true(uat_uts_children(&tree, &root) <= UAT_UTS_CHILDREN_MAX);
    }
    tree.seed = 3;
    assert_counters_agree(&tree, 100);
}

TEST(other_types)
{
    const struct uat_uts_tree bin = {.type = UAT_UTS_BIN, .b = 500, .seed = 7, .q = 0.2, .m = 4, .granularity = 1};
    struct uat_uts_tree hybrid = {.type = UAT_UTS_HYBRID,
                                  .b = 4,
                                  .shape = UAT_UTS_FIXED,
                                  .depth = 8,
                                  .q = 0.2,
                                  .m = 4,
                                  .shift = 0.5,
                                  .granularity = 1};
    const struct uat_uts_tree balanced = {.type = UAT_UTS_BALANCED, .b = 7, .depth = 4, .granularity = 1};
    struct uat_uts_count known, second = second_count(&balanced);

    assert_counters_agree(&bin, 1000);
    assert_counters_agree(&hybrid, 100);
    assert_counters_agree(&balanced, 2801);
    assert_true(uat_uts_known(&balanced, &known));
    assert_same(&known, &second);
}

/* Hashing more often makes more work, but gives the same tree. */
TEST(granularity)
{
    struct uat_uts_tree tree = fixed(5, 0);
    struct uat_uts_count once, thrice;

    uat_uts_search(&tree, &once);
    tree.granularity = 3;
    uat_uts_search(&tree, &thrice);
    assert_same(&thrice, &once);
}

/* A tree is unknown even if its parameters come close to those of a known tree. */
TEST(unknown)
{
    struct uat_uts_tree tree = fixed(10, 20);
    struct uat_uts_count count;

    assert_false(uat_uts_known(&tree, &count));
    tree = fixed(10, 19);
    tree.q = 0.9; /* this type ignores q */
    assert_true(uat_uts_known(&tree, &count));
    tree.shape = UAT_UTS_LINEAR;
    assert_false(uat_uts_known(&tree, &count));
}
