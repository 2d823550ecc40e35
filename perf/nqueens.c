/* SPDX-License-Identifier: MIT */
/*
 * N queens by divide and conquer over the columns. A task has the queens placed so far, one per row, and a set of
 * columns for the next queen. It spawns a task for each half of the set. A task with a single column places the queen
 * there. Then it continues with the next row, and with the columns of that row that no queen attacks.
 */
#include "perf/bench.h"

#define N_MOST 24

/* Columns of the queens placed so far, by row. The board has no value that changes in every task, so a task copies the
 * board as a whole. */
struct board {
    uint8_t queen[N_MOST];
};

static int64_t queens = 13; /* the tasks read it; every rank sets it from the same command line */

static int64_t call_last, papers, by_value;

static bool attacked(const struct board *board, uint32_t rows, int column)
{
    for (int row = 0; row < (int)rows; row++) {
        int aside = board->queen[row] - column, away = (int)rows - row;

        if (aside == 0 || aside == away || aside == -away)
            return true;
    }
    return false;
}

/* A bit mask of the next row's free columns: no queen in the first `rows` rows attacks them. After the last row, the
 * mask is 0. */
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

/* Place queens while the next queen has exactly one column. Returns the columns for the first queen that is not
 * placed. */
static uint32_t place(struct board *board, uint32_t *rows, uint32_t columns)
{
    while (columns != 0 && (columns & (columns - 1)) == 0) {
        board->queen[(*rows)++] = (uint8_t)__builtin_ctz(columns);
        columns = free_columns(board, *rows);
    }
    return columns;
}

/* The lower half of a set of two or more columns. It has at least one column, but not all columns. */
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

/* Like count(), but it calls the last child. This is a separate task type, so that it does not affect the code of
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

/* The papers' granularity: tasks halve the range of all columns down to single columns, and each task spawns two tasks
 * or none. This task counts boards without an attack. The papers call these nodes. */
UAT_TASK(uint64_t, visit, struct board, board, uint32_t, rows, uint32_t, first, uint32_t, end)
{
    uint64_t boards = 0;
    visit_task left, right;

    while (end - first == 1) {
        if (attacked(&board, rows, (int)first))
            return boards;
        board.queen[rows++] = (uint8_t)first;
        boards++;
        if (rows == queens)
            return boards;
        first = 0;
        end = (uint32_t)queens;
    }
    uint32_t middle = first + (end - first) / 2;
    visit_spawn(&left, board, rows, first, middle);
    visit_spawn(&right, board, rows, middle, end);
    boards += visit_join(&right);
    return boards + visit_join(&left);
}

static int run_papers(uint64_t *answer)
{
    int status = visit_run(answer, (struct board){0}, 0, 0, (uint32_t)queens);

    *answer += 1; /* the empty board */
    return status;
}

/* The papers' granularity with an argument of 36 bytes and a result of 16 bytes, both by value. The sequential form
 * makes the same calls. The figures of OpenCilk, TBB and OpenMP in docs/performance.md are for this kernel. */
struct found {
    uint64_t boards, ways;
};

static struct found both(struct found a, struct found b)
{
    return (struct found){a.boards + b.boards, a.ways + b.ways};
}

/* Place queens while the range has a single column. Returns true if the range must then be split. */
static bool descend(struct board *board, uint32_t *rows, uint32_t *first, uint32_t *end, struct found *found)
{
    while (*end - *first == 1) {
        if (attacked(board, *rows, (int)*first))
            return false;
        board->queen[(*rows)++] = (uint8_t)*first;
        found->boards++;
        if (*rows == queens) {
            found->ways++;
            return false;
        }
        *first = 0;
        *end = (uint32_t)queens;
    }
    return true;
}

UAT_TASK(struct found, explore, struct board, board, uint32_t, rows, uint32_t, first, uint32_t, end)
{
    struct found found = {0};
    explore_task left, right;
    if (!descend(&board, &rows, &first, &end, &found))
        return found;
    uint32_t middle = first + (end - first) / 2;
    explore_spawn(&left, board, rows, first, middle);
    explore_spawn(&right, board, rows, middle, end);
    found = both(found, explore_join(&right));
    return both(found, explore_join(&left));
}

static struct found explore_sequential(struct board board, uint32_t rows, uint32_t first, uint32_t end)
{
    struct found found = {0};
    if (!descend(&board, &rows, &first, &end, &found))
        return found;
    uint32_t middle = first + (end - first) / 2;
    found = both(found, explore_sequential(board, rows, middle, end));
    return both(found, explore_sequential(board, rows, first, middle));
}

static void set_answer(uint64_t *answer, struct found found)
{
    answer[0] = found.ways;
    answer[1] = found.boards + 1; /* the empty board */
}

static int run_by_value(uint64_t *answer)
{
    struct found found;
    int status = explore_run(&found, (struct board){0}, 0, 0, (uint32_t)queens);
    if (!status)
        set_answer(answer, found);
    return status;
}

static int run(uint64_t *answer)
{
    struct board board = {0};
    uint32_t columns = free_columns(&board, 0);

    if (by_value)
        return run_by_value(answer);
    if (papers)
        return run_papers(answer);
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

static uint64_t count_boards(struct board *board, uint32_t rows)
{
    uint64_t boards = 1;

    for (int column = 0; rows < queens && column < queens; column++)
        if (!attacked(board, rows, column)) {
            board->queen[rows] = (uint8_t)column;
            boards += count_boards(board, rows + 1);
        }
    return boards;
}

static int sequential(uint64_t *answer)
{
    struct board board = {0};

    if (by_value)
        set_answer(answer, explore_sequential(board, 0, 0, (uint32_t)queens));
    else if (papers)
        *answer = count_boards(&board, 0);
    else
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
    return !papers && !by_value;
}

static struct uat_bench bench;

/* Refuse options that exclude each other. Name what the chosen form of the program counts. */
static const char *refuse(void)
{
    if (papers + by_value + call_last > 1)
        return "give one of --papers, --by-value and --call-last";
    if (by_value)
        bench.results[1] = "nodes";
    if (papers)
        bench.results[0] = "nodes";
    bench.rate = papers;
    return NULL;
}

static const struct uat_bench_option options[] = {
    {"-n", "N", "queens, and rows and columns of the board", &queens, NULL, 1, N_MOST},
    {"--call-last", "0|1", "1: the last child is called, not spawned; 0: as in the papers", &call_last, NULL, 0, 1},
    {"--papers", "0|1",
     "1: a task for each column and for each half of a range, as in HPDC'15; the nodes are the boards without an "
     "attack",
     &papers, NULL, 0, 1},
    {"--by-value", "0|1", "1: the tasks of --papers 1, with 36 bytes of argument and 16 of result, all by value",
     &by_value, NULL, 0, 1},
    {0},
};

static struct uat_bench bench = {
    .program = "uat-nqueens",
    .purpose = "Count the ways to place N queens on a board of N x N so that none attacks another.",
    .options = options,
    .results = {"result"},
    .refuse = refuse,
    .known = known,
    .run = run,
    .sequential = sequential,
};

int main(int argc, char **argv)
{
    return uat_bench_main(&bench, argc, argv);
}
