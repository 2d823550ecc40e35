/* SPDX-License-Identifier: MIT */
/*
 * A wavefront: local alignment of two random sequences (Smith and Waterman, J. Mol. Biol. 147, 1981; linear gap
 * penalty), in square blocks. A block's task waits for the futures of its upper and left neighbours. It sets one future
 * for its lower neighbour and one for its right neighbour. Each row has a task that spawns and joins the tasks of its
 * blocks.
 */
#include <stdint.h>
#include <string.h>

#include "perf/bench.h"
#include "uat/sync.h"

enum {
    SIDE_MAX = 255 /* maximum cells along a block's side: an edge has at most UAT_RESULT_MAX bytes */,
    BLOCKS_MAX = 48 /* maximum blocks along a side */,
    MATCH = 2,
    MISMATCH = -1,
    GAP = -2,
    CELL_NS = 4 /* virtual time of fill() per cell */
};

static int64_t blocks = 40, side = 240, seed = 1;

/* An edge of a block: the column to its left, or the row above it. The row starts with the cell to the upper left. */
struct edge {
    int32_t cell[SIDE_MAX + 1];
};

UAT_FUTURE(struct edge, edge);

struct score {
    uint64_t best, sum; /* best: the maximum of the cells' values; sum: their sum */
};

/* Letter i of one of the two sequences. */
static int letter(uint64_t which, uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + which * 0xbf58476d1ce4e5b9u + (uint64_t)seed;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return (int)((x ^ x >> 27) >> 62);
}

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The value of a cell, computed from the cells above, to the left, and to the upper left. */
static inline int32_t cell(int32_t up, int32_t left, int32_t corner, bool equal)
{
    return larger(larger(0, corner + (equal ? MATCH : MISMATCH)), larger(up, left) + GAP);
}

/* Fill a block. `row` and `column` become the block's own last row and column. Not inlined: otherwise the stack of a
 * waiting task would hold letters[]. */
static __attribute__((noinline)) struct score fill(struct edge *row, struct edge *column, int64_t i0, int64_t j0)
{
    struct score score = {0, 0};
    int letters[SIDE_MAX];
    for (int64_t j = 0; j < side; j++)
        letters[j] = letter(1, (uint64_t)(j0 + j));
    for (int64_t i = 0; i < side; i++) {
        int own = letter(0, (uint64_t)(i0 + i));
        int32_t left = column->cell[i], corner = row->cell[0];
        row->cell[0] = left;
        for (int64_t j = 0; j < side; j++) {
            int32_t up = row->cell[j + 1];
            left = cell(up, left, corner, own == letters[j]);
            corner = up;
            row->cell[j + 1] = left;
            score.best = (uint64_t)larger((int32_t)score.best, left);
            score.sum += (uint64_t)left;
        }
        column->cell[i] = left;
    }
    return score;
}

struct place {
    int64_t i, j;
};

UAT_TASK(struct score, block, edge_future, up, edge_future, left, edge_future, below, edge_future, right, struct place,
         at)
{
    struct edge row, column;
    memset(&row, 0, sizeof(row));
    memset(&column, 0, sizeof(column));
    /* Do not use edge_get() and edge_set(): each would keep another copy of an edge on the waiting task's stack. */
    if (at.i > 0)
        uat_future_get(up.future, &row);
    if (at.j > 0)
        uat_future_get(left.future, &column);
    struct score score = fill(&row, &column, at.i * side, at.j * side);
    uat_sim_work((uint64_t)(side * side) * CELL_NS);
    if (at.i + 1 < blocks)
        uat_future_set(below.future, &row);
    if (at.j + 1 < blocks)
        uat_future_set(right.future, &column);
    return score;
}

/* The futures between two rows of blocks. */
struct between {
    edge_future edge[BLOCKS_MAX];
};

static struct score both(struct score a, struct score b)
{
    return (struct score){a.best > b.best ? a.best : b.best, a.sum + b.sum};
}

static void destroy(const struct between *b, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        edge_destroy(b->edge[j]);
}

/* A row of blocks. It destroys the futures for which its blocks waited. So destruction and joins also run in
 * parallel. */
UAT_TASK(struct score, row, struct between, above, struct between, below, int64_t, i, int64_t, n)
{
    struct between right;
    block_task task[BLOCKS_MAX];
    struct score all = {0, 0};
    for (int64_t j = 0; j + 1 < n; j++)
        right.edge[j] = edge_create();
    for (int64_t j = 0; j < n; j++) {
        edge_future none = {{0, 0}}, left = j ? right.edge[j - 1] : none;
        block_spawn(&task[j], above.edge[j], left, below.edge[j], j + 1 < n ? right.edge[j] : none,
                    (struct place){i, j});
    }
    for (int64_t j = 0; j < n; j++)
        all = both(all, block_join(&task[j]));
    destroy(&right, n - 1);
    destroy(&above, i ? n : 0);
    return all;
}

UAT_TASK(struct score, align, int64_t, n)
{
    struct between above, below;
    row_task task[BLOCKS_MAX];
    struct score all = {0, 0};
    memset(&above, 0, sizeof(above));
    for (int64_t i = 0; i < n; i++) {
        memset(&below, 0, sizeof(below));
        for (int64_t j = 0; j < n && i + 1 < n; j++)
            below.edge[j] = edge_create();
        row_spawn(&task[i], above, below, i, n);
        above = below;
    }
    for (int64_t i = 0; i < n; i++)
        all = both(all, row_join(&task[i]));
    return all;
}

static int run(uint64_t *answer)
{
    struct score all;
    int rc = align_run(&all, blocks);
    answer[0] = all.best;
    answer[1] = all.sum;
    return rc;
}

/* The same alignment without blocks: cell by cell, row after row, with one row in memory. */
static int sequential(uint64_t *answer)
{
    static int32_t row[BLOCKS_MAX * SIDE_MAX + 1];
    static int letters[BLOCKS_MAX * SIDE_MAX];
    int64_t n = blocks * side;
    int32_t best = 0;
    uint64_t sum = 0;
    memset(row, 0, sizeof(row));
    for (int64_t j = 0; j < n; j++)
        letters[j] = letter(1, (uint64_t)j);
    for (int64_t i = 0; i < n; i++) {
        int own = letter(0, (uint64_t)i);
        int32_t corner = 0, left = 0;
        for (int64_t j = 0; j < n; j++) {
            int32_t up = row[j + 1];
            left = cell(up, left, corner, own == letters[j]);
            corner = up;
            row[j + 1] = left;
            best = larger(best, left);
            sum += (uint64_t)left;
        }
    }
    answer[0] = (uint64_t)best;
    answer[1] = sum;
    return 0;
}

static const struct uat_bench_option options[] = {
    {"--blocks", "N", "blocks of a side", &blocks, NULL, 1, BLOCKS_MAX},
    {"--side", "N", "cells of a block's side", &side, NULL, 1, SIDE_MAX},
    {"--seed", "N", "of the sequences", &seed, NULL, 0, 1 << 30},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-wavefront",
    .purpose = "Align two random sequences (Smith-Waterman) by blocks that wait for their neighbours' futures.",
    .options = options,
    .results = {"score", "sum"},
    .run = run,
    .sequential = sequential,
};
