/* SPDX-License-Identifier: MIT */
/*
 * UTS-Mem (perf/uts_memory.c) with OpenSHMEM, which has no tasks. The nodes of depth `cut` are dealt out in turn: their
 * PE builds the subtree in its own memory, and writes the pointer into the parent. The nodes above are in the memory of
 * PE 0. To count, PE 0 walks down to the subtrees and lists them, and each PE takes the next subtree by a shared
 * counter. A far pointer or number is a blocking get. usage: oshrun -n PES rival-uts-shmem DEPTH B SEED, as the options
 * -d, -b and -r of uat-uts -t 1 -a 3.
 *
 * A pointer is the PE, shifted by PE_SHIFT, and the number of a word in that PE's memory. The job ends as
 * rival-irregular-shmem does.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <shmem.h>

#include "perf/uts_tree.h"

enum {
    PE_SHIFT = 48,
    SUBTREES = 64,   /* least number of subtrees for each PE, if the mean number of children is that of B */
    ABOVE = 1 << 20, /* words for the nodes above the subtrees, which all PEs lay out alike */
    WORDS = 24 << 20 /* words of a PE */
};

static struct uat_uts_tree tree;
static uint64_t *words, used[2] = {0, ABOVE}; /* used: above and in the subtrees */
static uint64_t *subtree, *next, *sum;        /* on PE 0: pointers, the counter, and the sum of all counts */
static uint64_t dealt, listed;                /* subtrees */
static uint32_t cut;

static uint64_t take_words(bool in_subtree, uint64_t count)
{
    uint64_t first = used[in_subtree];

    used[in_subtree] += count;
    if (used[in_subtree] > (in_subtree ? WORDS : ABOVE)) {
        fprintf(stderr, "PE %d: no room for the tree\n", shmem_my_pe());
        shmem_global_exit(1);
    }
    return first;
}

/* Make a node and its descendants, without the subtrees of other PEs. Returns the node's pointer. */
static uint64_t build(const struct uat_uts_node *from)
{
    bool in_subtree = from->depth >= cut;
    uint32_t children = uat_uts_children(&tree, from);
    uint64_t node = take_words(in_subtree, 1 + children);

    words[node] = children;
    for (uint32_t i = 0; i < children; i++) {
        struct uat_uts_node child;
        uat_uts_child(&tree, from, i, &child);
        if (child.depth != cut)
            words[node + 1 + i] = build(&child);
        else if ((int)(dealt++ % (uint64_t)shmem_n_pes()) == shmem_my_pe())
            shmem_ulong_p(&words[node + 1 + i], build(&child), 0);
    }
    return (in_subtree ? (uint64_t)shmem_my_pe() << PE_SHIFT : 0) | node;
}

static uint64_t read_word(uint64_t pointer)
{
    uint64_t *word = &words[pointer & ((UINT64_C(1) << PE_SHIFT) - 1)];
    int pe = (int)(pointer >> PE_SHIFT);

    return pe == shmem_my_pe() ? *word : shmem_ulong_g(word, pe);
}

/* Count a node and its descendants by the pointers alone, but list the nodes of depth `end`. */
static void visit(uint64_t pointer, uint32_t depth, uint32_t end, struct uat_uts_count *count)
{
    const struct uat_uts_node at = {.depth = depth};

    if (depth == end) {
        subtree[listed++] = pointer;
        return;
    }
    uint64_t children = read_word(pointer);
    uat_uts_count_node(count, &at, (uint32_t)children);
    for (uint64_t i = 0; i < children; i++)
        visit(read_word(pointer + 1 + i), depth + 1, end, count);
}

static struct uat_uts_count count_all(uint64_t root)
{
    struct uat_uts_count count = {0};
    uint64_t i;

    if (shmem_my_pe() == 0)
        visit(root, 0, cut, &count);
    shmem_barrier_all();
    while ((i = shmem_ulong_atomic_fetch_inc(next, 0)) < dealt)
        visit(shmem_ulong_g(&subtree[i], 0), cut, UINT32_MAX, &count);
    shmem_ulong_atomic_add(&sum[0], count.nodes, 0);
    shmem_ulong_atomic_add(&sum[1], count.leaves, 0);
    shmem_barrier_all();
    return (struct uat_uts_count){.nodes = sum[0], .leaves = sum[1]};
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void prepare(char **argv)
{
    tree = uat_uts_default;
    tree.type = UAT_UTS_GEO;
    tree.shape = UAT_UTS_FIXED;
    tree.depth = atoi(argv[1]);
    tree.b = atof(argv[2]);
    tree.seed = atoi(argv[3]);
    for (double nodes = 1; cut < tree.depth - 1 && nodes < (double)SUBTREES * shmem_n_pes(); cut++)
        nodes *= tree.b;
    words = shmem_malloc(sizeof(*words) * WORDS);
    subtree = shmem_malloc(sizeof(*subtree) * ABOVE);
    next = shmem_calloc(1, sizeof(*next));
    sum = shmem_calloc(2, sizeof(*sum));
    if (!words || !subtree || !next || !sum)
        shmem_global_exit(1);
}

int main(int argc, char **argv)
{
    struct uat_uts_node root;
    struct uat_uts_count expected;

    if (argc != 4 || atoi(argv[1]) < 2 || !(atof(argv[2]) > 1)) {
        fprintf(stderr, "usage: %s DEPTH B SEED, with DEPTH at least 2 and B above 1\n", argv[0]);
        return 2;
    }
    shmem_init();
    prepare(argv);
    uat_uts_root(&tree, &root);
    uint64_t pointer = build(&root);
    shmem_barrier_all();
    double begin = seconds_now();
    struct uat_uts_count count = count_all(pointer);
    double seconds = seconds_now() - begin;
    bool wrong = false;
    if (shmem_my_pe() == 0) {
        uat_uts_search(&tree, &expected);
        wrong = count.nodes != expected.nodes || count.leaves != expected.leaves;
        if (wrong)
            fprintf(stderr, "%" PRIu64 " nodes, %" PRIu64 " leaves; expected %" PRIu64 ", %" PRIu64 "\n", count.nodes,
                    count.leaves, expected.nodes, expected.leaves);
        else
            printf("{\"nodes\": %" PRIu64 ", \"seconds\": %.9f, \"nodes_per_second\": %.0f}\n", count.nodes, seconds,
                   (double)count.nodes / seconds);
        fflush(stdout);
    }
    shmem_barrier_all();
    shmem_global_exit(wrong);
}
