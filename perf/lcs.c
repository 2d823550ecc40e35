/* SPDX-License-Identifier: MIT */
/*
 * The longest common subsequence of two random sequences with futures, as in Shiina and Taura (Cluster'22), written
 * anew from the description. A square of the table is divided into four squares, down to blocks of --side cells a side.
 * A square's task waits for the future of the edge above it and for that of the edge to its left, and sets one future
 * for its last row and one for its last column. The edge of a block has the cells; the edge of a larger square has the
 * futures of its halves. So a square can begin while its neighbours still run. A square spawns its other three parts
 * when the first block of its upper left part has been filled.
 *
 * Each future has one reader, which destroys it. An edge at the border of the table has no future.
 *
 * work: the blocks' time. span: the time of the 2 n - 1 blocks of the longest path, for n blocks a side. The ideal time
 * is the longer of work / workers and span.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/bench.h"
#include "perf/tsc.h"
#include "uat/sync.h"

enum { SIDE_MAX = 512, TRIALS = 20, LETTERS = 26, WORD = 64 /* bits */ };

static int64_t levels = 4, side = 240, leaf_ns = 340000, seed = 1;
static double leaf_seconds; /* the time of a block: measured, in virtual time leaf_ns */
static double figures[UAT_BENCH_FIGURES];

/* The last row of a block, or its last column, from cell[1] on. cell[0] of a row is the cell before it. */
struct edge {
    int32_t cell[SIDE_MAX + 1];
};

/* The edge of a larger square: the edges of its two halves. */
struct halves {
    uat_future_t of[2];
};

struct place {
    int32_t i, j, blocks; /* first row and first column of blocks, and blocks of a side */
};

/* The futures of a square. begun: set when its first block has been filled. */
struct border {
    uat_future_t up, left, down, right, begun;
};

struct score {
    uint64_t length, blocks; /* length: the greatest value of a cell */
};

static struct score found; /* by the last run */

static int letter(uint64_t which, uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + which * 0xbf58476d1ce4e5b9u + (uint64_t)seed;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return (int)((x ^ x >> 27) >> 33) % LETTERS;
}

static size_t edge_bytes(void)
{
    return (size_t)(side + 1) * sizeof(int32_t);
}

/* The future of an edge of a square with `blocks` blocks a side; none at the border of the table. */
static uat_future_t new_edge(int32_t blocks, bool exists)
{
    uat_future_t none = {0};
    return exists ? uat_future_create(blocks == 1 ? edge_bytes() : sizeof(struct halves)) : none;
}

/* Wait for the future and destroy it. *value is left alone if there is no future. */
static void take(uat_future_t future, void *value)
{
    if (!future.object)
        return;
    uat_future_get(future, value);
    uat_future_destroy(future);
}

static void give(uat_future_t future, const void *value)
{
    if (future.object)
        uat_future_set(future, value);
}

/* Fill a block. `row` and `column` become the block's own last row and column. Never inlined: otherwise the stack of a
 * waiting task would hold letters[]. */
static __attribute__((noinline)) void fill(struct edge *row, struct edge *column, int64_t i0, int64_t j0)
{
    int letters[SIDE_MAX];
    int32_t corner = row->cell[0];

    for (int64_t j = 0; j < side; j++)
        letters[j] = letter(1, (uint64_t)(j0 + j));
    for (int64_t i = 0; i < side; i++) {
        int own = letter(0, (uint64_t)(i0 + i));
        int32_t left = column->cell[i + 1], diagonal = corner;
        corner = left;
        for (int64_t j = 1; j <= side; j++) {
            int32_t up = row->cell[j], longer = up > left ? up : left;
            left = own == letters[j - 1] ? diagonal + 1 : longer;
            diagonal = up;
            row->cell[j] = left;
        }
        column->cell[i + 1] = left;
    }
    row->cell[0] = corner;
}

/* Never inlined: otherwise the stack of each square would hold the two edges. */
static __attribute__((noinline)) struct score fill_block(struct place at, const struct border *border)
{
    struct edge row, column;

    memset(&row, 0, edge_bytes());
    memset(&column, 0, edge_bytes());
    take(border->up, &row);
    take(border->left, &column);
    fill(&row, &column, at.i * side, at.j * side);
    uat_sim_work((uint64_t)leaf_ns);
    give(border->down, &row);
    give(border->right, &column);
    give(border->begun, "");
    return (struct score){(uint64_t)row.cell[side], 1};
}

static struct score both(struct score a, struct score b)
{
    return (struct score){a.length > b.length ? a.length : b.length, a.blocks + b.blocks};
}

UAT_TASK(struct score, square, struct place, at, struct border, border)
{
    if (at.blocks == 1)
        return fill_block(at, &border);
    struct halves up = {0}, left = {0};
    take(border.up, &up);
    take(border.left, &left);
    const uat_future_t none = {0};
    int32_t half = at.blocks / 2, i = at.i + half, j = at.j + half;
    bool below = border.down.object, beside = border.right.object;
    struct halves down = {{new_edge(half, below), new_edge(half, below)}};
    struct halves right = {{new_edge(half, beside), new_edge(half, beside)}};
    /* across: from the left parts to the right ones; between: from the upper parts to the lower ones */
    struct halves across = {{new_edge(half, true), new_edge(half, true)}};
    struct halves between = {{new_edge(half, true), new_edge(half, true)}};
    uat_future_t begun = uat_future_create(1);
    square_task first, second, third;
    char unused;

    square_spawn(&first, (struct place){at.i, at.j, half},
                 (struct border){up.of[0], left.of[0], between.of[0], across.of[0], begun});
    take(begun, &unused);
    give(border.down, &down);
    give(border.right, &right);
    give(border.begun, "");
    square_spawn(&second, (struct place){at.i, j, half},
                 (struct border){up.of[1], across.of[0], between.of[1], right.of[0], none});
    square_spawn(&third, (struct place){i, at.j, half},
                 (struct border){between.of[0], left.of[1], down.of[0], across.of[1], none});
    struct score score =
        square((struct place){i, j, half}, (struct border){between.of[1], across.of[1], down.of[1], right.of[1], none});
    score = both(score, square_join(&third));
    score = both(score, square_join(&second));
    return both(score, square_join(&first));
}

/* Find the time of a block. The shortest of several times counts. */
static int prepare(void)
{
    static struct edge row, column;
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < TRIALS && !uat_time_is_virtual(); i++) {
        uint64_t begin = uat_time_ns();
        fill(&row, &column, 0, 0);
        uint64_t taken = uat_time_ns() - begin;
        least = taken < least ? taken : least;
    }
    leaf_seconds = 1e-9 * (uat_time_is_virtual() ? (double)leaf_ns : (double)least);
    return 0;
}

static int run(uint64_t *answer)
{
    int32_t n = 1 << levels;
    int rc = square_run(&found, (struct place){0, 0, n}, (struct border){0});
    double seconds = uat_bench_seconds(), workers = uat_size();

    answer[0] = found.length;
    answer[1] = found.blocks;
    figures[0] = n * (double)n * leaf_seconds;
    figures[1] = (2 * n - 1) * leaf_seconds;
    figures[2] = figures[0] / (workers * seconds);
    figures[3] = (figures[0] / workers > figures[1] ? figures[0] / workers : figures[1]) / seconds;
    return rc;
}

/*
 * The length by another algorithm, a row at a time in words of bits (Hyyro, "Bit-parallel LCS-length computation
 * revisited", AWOCA 2004). Bit j of the row is 0 where the value grows from cell j - 1 to cell j.
 */
static uint64_t length_by_bits(uint64_t *bits, size_t words)
{
    uint64_t *row = bits, length = 0;

    memset(row, 0xff, words * sizeof(*row));
    for (size_t j = 0; j < words * WORD; j++)
        if ((int64_t)j < side << levels)
            bits[(size_t)(1 + letter(1, j)) * words + j / WORD] |= (uint64_t)1 << j % WORD;
    for (int64_t i = 0; i < side << levels; i++) {
        const uint64_t *equal = bits + (size_t)(1 + letter(0, (uint64_t)i)) * words;
        unsigned char carry = 0;
        for (size_t k = 0; k < words; k++) {
            uint64_t both = row[k] & equal[k], sum = row[k] + both, all = sum + carry;
            carry = sum < both || all < sum;
            row[k] = all | (row[k] & ~equal[k]);
        }
    }
    for (size_t k = 0; k < words; k++)
        length += (uint64_t)__builtin_popcountll(~row[k]);
    return length;
}

static int verify(bool *correct)
{
    size_t words = (size_t)((side << levels) + WORD - 1) / WORD;
    uint64_t *bits = uat_rank() == 0 ? calloc((LETTERS + 1) * words, sizeof(*bits)) : NULL;

    if (uat_rank() != 0)
        return 0;
    if (!bits)
        return -ENOMEM;
    uint64_t length = length_by_bits(bits, words), blocks = (uint64_t)1 << 2 * levels;
    free(bits);
    *correct = found.length == length && found.blocks == blocks;
    if (!*correct)
        fprintf(stderr, "uat-lcs: the length is %llu and should be %llu; %llu of %llu blocks were filled\n",
                (unsigned long long)found.length, (unsigned long long)length, (unsigned long long)found.blocks,
                (unsigned long long)blocks);
    return 0;
}

static const struct uat_bench_option options[] = {
    {"--levels", "N", "a side has 2^N blocks", &levels, NULL, 0, 14},
    {"--side", "N", "cells of a block's side; above 255 only with a greater UAT_RESULT_MAX", &side, NULL, 1, SIDE_MAX},
    {"--leaf", "NS", "time of a block, in virtual time", &leaf_ns, NULL, 1, 1e9},
    {"--seed", "N", "of the sequences", &seed, NULL, 0, 1 << 30},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-lcs",
    .purpose = "Find the longest common subsequence of two random sequences by squares that wait for futures.",
    .options = options,
    .results = {"length", "blocks"},
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .figures = figures,
    .names = {{"work", "s"}, {"span", "s"}, {"busy", ""}, {"efficiency", ""}},
};
