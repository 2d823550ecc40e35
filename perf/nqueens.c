/* SPDX-License-Identifier: MIT */
/*
 * N queens by divide and conquer over the columns. A task has the queens of the rows placed so far and a range of
 * columns for the next queen. It spawns a task for each half of the range, or none. A task with a single column places
 * the queen there and goes on to the next row itself. There it counts only columns that no queen attacks.
 */
#include "perf/bench.h"

#define N_MOST 24

/* Columns of the queens placed so far, by row. The values that every task changes are elsewhere, so a board is copied
 * whole. */
struct board {
    uint8_t queen[N_MOST];
};

static int64_t queens = 13; /* the tasks read it; every rank sets it from the same command line */

static int64_t call_last;

static bool attacked(const struct board *board, uint32_t rows, int column)
{
    for (int row = 0; row < (int)rows; row++) {
        int aside = board->queen[row] - column, away = (int)rows - row;

        if (aside == 0 || aside == away || aside == -away)
            return true;
    }
    return false;
}

/* A bit mask of the next row's columns that none of the queens in `rows` rows attacks; 0 after the last row. */
static uint32_t free_columns(const struct board *board, uint32_t rows)
{
    uint32_t columns = 0;

    if (rows == queens)
        return 0;
    for (int column = 0; column < queens; column++)
        if (!attacked(board, rows, column))
            columns |= 1u << column;
    return columns;
}

/* Place queens as long as there is just one column for the next one. Returns the columns for the queen after them. */
static uint32_t place(struct board *board, uint32_t *rows, uint32_t columns)
{
    while (columns != 0 && (columns & (columns - 1)) == 0) {
        board->queen[(*rows)++] = (uint8_t)__builtin_ctz(columns);
        columns = free_columns(board, *rows);
    }
    return columns;
}

/* The lower half of several columns, which is at least one column but not all. */
static uint32_t lower_half(uint32_t columns)
{
    int first = __builtin_ctz(columns), last = 31 - __builtin_clz(columns);

    return columns & ((1u << ((first + last + 1) / 2)) - 1);
}

/* The number of ways to complete a board whose next queen is in one of `columns`. */
UAT_TASK(uint64_t, count, struct board, board, uint32_t, rows, uint32_t, columns)
{
    count_task left, right;

    columns = place(&board, &rows, columns);
    if (columns == 0)
        return rows == queens;
    uint32_t lower = lower_half(columns);
    count_spawn(&left, board, rows, lower);
    count_spawn(&right, board, rows, columns & ~lower);
    uint64_t ways = count_join(&right);
    return count_join(&left) + ways;
}

/* Like count(), but it calls the last child. It is a task type of its own, so that it does not affect the code of
 * count(). */
UAT_TASK(uint64_t, tally, struct board, board, uint32_t, rows, uint32_t, columns)
{
    tally_task left;

    columns = place(&board, &rows, columns);
    if (columns == 0)
        return rows == queens;
    uint32_t lower = lower_half(columns);
    tally_spawn(&left, board, rows, lower);
    uint64_t ways = tally(board, rows, columns & ~lower);
    return tally_join(&left) + ways;
}

static int run(uint64_t *answer)
{
    struct board board = {0};
    uint32_t columns = free_columns(&board, 0);

    return call_last ? tally_run(answer, board, 0, columns) : count_run(answer, board, 0, columns);
}

static uint64_t count_sequential(struct board board, uint32_t rows, uint32_t columns)
{
    columns = place(&board, &rows, columns);
    if (columns == 0)
        return rows == queens;
    uint32_t lower = lower_half(columns);
    uint64_t ways = count_sequential(board, rows, columns & ~lower);
    return count_sequential(board, rows, lower) + ways;
}

static int sequential(uint64_t *answer)
{
    struct board board = {0};

    *answer = count_sequential(board, 0, free_columns(&board, 0));
    return 0;
}

static bool known(uint64_t *answer)
{
    /* clang-format off */
    static const uint64_t solutions[N_MOST + 1] = {
        1, 1, 0, 0, 2, 10, 4, 40, 92, 352, /* 0 to 9 */
        724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, /* 10 to 17 */
        666090624, 4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440, 227514171973736, /* 18 to 24 */
    };
    /* clang-format on */

    *answer = solutions[queens];
    return true;
}

static const struct uat_bench_option options[] = {
    {"-n", "N", "queens, and rows and columns of the board", &queens, NULL, 1, N_MOST},
    {"--call-last", "0|1", "1: the last child is called, not spawned; 0: as in the papers", &call_last, NULL, 0, 1},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-nqueens",
    .purpose = "Count the ways to place N queens on a board of N x N so that none attacks another.",
    .options = options,
    .results = {"result"},
    .known = known,
    .run = run,
    .sequential = sequential,
};
