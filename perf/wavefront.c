/* SPDX-License-Identifier: MIT */
/*
 * A wavefront: local alignment of two random sequences (Smith and Waterman, J. Mol. Biol. 147, 1981; linear gap
 * penalty), in square blocks. A block's task waits for the futures of its upper and its left neighbour, and sets one
 * for each neighbour below and to the right.
 */
#include <stdint.h>
#include <string.h>

#include "perf/bench.h"
#include "uat/sync.h"

enum {
    SIDE_MAX = 255 /* cells of a block: an edge has UAT_RESULT_MAX bytes */,
    BLOCKS_MAX = 48 /* of a side */,
    MATCH = 2,
    MISMATCH = -1,
    GAP = -2,
    CELL_NS = 4 /* in a simulation: what fill() takes here */
};

static int64_t blocks = 40, side = 240, seed = 1;

/* The row above a block, which begins with the cell to the left of it; or the column at the left. */
struct edge {
    int32_t cell[SIDE_MAX + 1];
};

UAT_FUTURE(struct edge, edge);

struct score {
    uint64_t best, sum; /* of the cells */
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

/* One cell, from the ones above, at the left, and above the left one. */
static inline int32_t cell(int32_t up, int32_t left, int32_t corner, bool equal)
{
    return larger(larger(0, corner + (equal ? MATCH : MISMATCH)), larger(up, left) + GAP);
}

/* Fill a block: row and column become its own last ones. */
static struct score fill(struct edge *row, struct edge *column, int64_t i0, int64_t j0)
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
    if (at.i > 0)
        row = edge_get(up);
    if (at.j > 0)
        column = edge_get(left);
    struct score score = fill(&row, &column, at.i * side, at.j * side);
    uat_sim_work((uint64_t)(side * side) * CELL_NS);
    if (at.i + 1 < blocks)
        edge_set(below, row);
    if (at.j + 1 < blocks)
        edge_set(right, column);
    return score;
}

struct grid {
    edge_future below[BLOCKS_MAX][BLOCKS_MAX], right[BLOCKS_MAX][BLOCKS_MAX];
    block_task task[BLOCKS_MAX][BLOCKS_MAX];
};

UAT_TASK(struct score, align, int64_t, n)
{
    struct grid g;
    struct score all = {0, 0};
    const edge_future none = {{0, 0}};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            g.below[i][j] = edge_create();
            g.right[i][j] = edge_create();
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            block_spawn(&g.task[i][j], i ? g.below[i - 1][j] : none, j ? g.right[i][j - 1] : none, g.below[i][j],
                        g.right[i][j], (struct place){i, j});
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            struct score one = block_join(&g.task[i][j]);
            all.best = one.best > all.best ? one.best : all.best;
            all.sum += one.sum;
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            edge_destroy(g.below[i][j]);
            edge_destroy(g.right[i][j]);
        }
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

/* The same without blocks: cell by cell, row after row, with one row in memory. */
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
