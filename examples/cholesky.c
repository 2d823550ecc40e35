/* SPDX-License-Identifier: MIT */
/*
 * Tiled Cholesky factorisation A = L L^T by data-flow tasks (uat/dataflow.h). The loop nest of cholesky() is the
 * sequential algorithm. The access modes of the four kernels define the dependences. With -m 1 the same kernels run as
 * fork-join tasks, and the program waits after each panel and after each update. With -m 2 there is one task per tile.
 * It waits by latches for the tiles that it needs, one after the other. With -m 3 nested flows unroll blocks of tiles.
 *
 * The matrix is symmetric, with random elements and a dominant diagonal. A product with a vector checks the factor: |A
 * x - L (L^T x)|. The kernels are plain loops. With -w the kernels compute nothing, but take the given time in a
 * simulation (UAT_TRANSPORT=sim).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/cholesky.h"
#include "examples/splitmix.h"
#include "perf/bench.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

enum { B = TILE, TILES_MAX = 128 };

int64_t cholesky_n = 16, cholesky_work, cholesky_group = 2; /* cholesky.h */
static int64_t mode;                                        /* an enum way */
static int64_t window = UAT_FLOW_WINDOW;
static int64_t anywhere;

enum way { FLOW, FORK_JOIN, LATCHES, NESTED };

static tile *matrix; /* tile (i, j) is number i * cholesky_n + j */

/* Element (i, j). It equals element (j, i). */
static double element(int64_t i, int64_t j)
{
    uint64_t state = (uint64_t)(i > j ? i * cholesky_n * B + j : j * cholesky_n * B + i);
    double x = (double)(splitmix_next(&state) >> 11) / (double)(UINT64_C(1) << 53);
    return i == j ? x + (double)(cholesky_n * B) : x;
}

UAT_TASK_VOID(cholesky, tile *, t)
{
    uat_flow_t f;

    uat_flow_begin(&f);
    uat_flow_set_window(&f, (size_t)window);
    if (anywhere)
        uat_flow_set_home(&f, UAT_FLOW_ANYWHERE);
    for (int64_t k = 0; k < cholesky_n; k++) {
        potrf_flow(&f, tile_at(t, k, k));
        for (int64_t i = k + 1; i < cholesky_n; i++)
            trsm_flow(&f, tile_at(t, k, k), tile_at(t, i, k));
        for (int64_t i = k + 1; i < cholesky_n; i++) {
            for (int64_t j = k + 1; j < i; j++)
                gemm_flow(&f, tile_at(t, i, k), tile_at(t, j, k), tile_at(t, i, j));
            syrk_flow(&f, tile_at(t, i, k), tile_at(t, i, i));
        }
    }
    uat_flow_end(&f);
}

UAT_TASK_VOID(cholesky_nested, tile *, t)
{
    cholesky_by_blocks(t);
}

/* The algorithm of cholesky() by fork and join. */

UAT_TASK_VOID(panel, tile *, t, int64_t, k, int64_t, i)
{
    struct trsm_uat_args a = {tile_at(t, k, k), tile_at(t, i, k), 0};
    trsm_uat_body(&a, NULL);
}

static void update_tile(tile *t, int64_t k, int64_t i, int64_t j)
{
    struct gemm_uat_args a = {tile_at(t, i, k), tile_at(t, j, k), tile_at(t, i, j), 0};
    struct syrk_uat_args s = {a.a, a.c, 0};
    if (i == j)
        syrk_uat_body(&s, NULL);
    else
        gemm_uat_body(&a, NULL);
}

UAT_TASK_VOID(update, tile *, t, int64_t, k, int64_t, i, int64_t, j)
{
    update_tile(t, k, i, j);
}

UAT_TASK_VOID(updates, tile *, t, int64_t, k, int64_t, i)
{
    uat_group_t g;

    uat_group_begin(&g);
    for (int64_t j = k + 1; j <= i; j++)
        update_group_spawn(&g, t, k, i, j);
    uat_group_wait(&g);
}

UAT_TASK_VOID(cholesky_fork_join, tile *, t)
{
    for (int64_t k = 0; k < cholesky_n; k++) {
        struct potrf_uat_args a = {tile_at(t, k, k), 0};
        uat_group_t g;
        potrf_uat_body(&a, NULL);
        uat_group_begin(&g);
        for (int64_t i = k + 1; i < cholesky_n; i++)
            panel_group_spawn(&g, t, k, i);
        uat_group_wait(&g);
        for (int64_t i = k + 1; i < cholesky_n; i++)
            updates_group_spawn(&g, t, k, i);
        uat_group_wait(&g);
    }
}

/* The algorithm of cholesky() with one task per tile. A tile's latch opens when the tile is final. */

static uat_latch_t *latches;

static uat_latch_t latch_at(uat_latch_t *l, int64_t i, int64_t j)
{
    uat_latch_t latch;
    uat_global_get(&latch, &l[i * cholesky_n + j], sizeof(latch));
    return latch;
}

UAT_TASK_VOID(finish_tile, tile *, t, uat_latch_t *, l, int64_t, i, int64_t, j)
{
    for (int64_t k = 0; k < j; k++) {
        uat_latch_wait(latch_at(l, i, k));
        uat_latch_wait(latch_at(l, j, k));
        update_tile(t, k, i, j);
    }
    if (i == j) {
        struct potrf_uat_args a = {tile_at(t, j, j), 0};
        potrf_uat_body(&a, NULL);
    } else {
        struct trsm_uat_args a = {tile_at(t, j, j), tile_at(t, i, j), 0};
        uat_latch_wait(latch_at(l, j, j));
        trsm_uat_body(&a, NULL);
    }
    uat_latch_count_down(latch_at(l, i, j), 1);
}

UAT_TASK_VOID(cholesky_latches, tile *, t, uat_latch_t *, l)
{
    uat_group_t g;

    uat_group_begin(&g);
    for (int64_t j = 0; j < cholesky_n; j++)
        for (int64_t i = j; i < cholesky_n; i++)
            finish_tile_group_spawn(&g, t, l, i, j);
    uat_group_wait(&g);
}

UAT_TASK_VOID(make_latches, uat_latch_t *, l)
{
    for (int64_t i = 0; i < cholesky_n * cholesky_n; i++) {
        uat_latch_t latch = uat_latch_create(1);
        uat_global_put(&l[i], &latch, sizeof(latch));
    }
}

UAT_TASK_VOID(destroy_latches, uat_latch_t *, l)
{
    for (int64_t i = 0; i < cholesky_n * cholesky_n; i++)
        uat_latch_destroy(latch_at(l, i / cholesky_n, i % cholesky_n));
}

static double figures[UAT_BENCH_FIGURES];

static int prepare(void)
{
    matrix = uat_global_alloc((size_t)(cholesky_n * cholesky_n) * sizeof(tile), UAT_CYCLIC, 0);
    latches = uat_global_alloc((size_t)(cholesky_n * cholesky_n) * sizeof(uat_latch_t), UAT_BLOCKED, 0);
    return matrix && latches ? 0 : -ENOMEM;
}

static int finish(void)
{
    int first = uat_global_free(latches), second = uat_global_free(matrix);
    return first ? first : second;
}

static int factor(void)
{
    switch ((enum way)mode) {
    case FORK_JOIN:
        return cholesky_fork_join_run(matrix);
    case LATCHES:
        return cholesky_latches_run(matrix, latches);
    case NESTED:
        return cholesky_nested_run(matrix);
    default:
        return cholesky_run(matrix);
    }
}

static void fill(tile *t, int64_t ti, int64_t tj)
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            t->at[i][j] = element(ti * B + i, tj * B + j);
}

UAT_FLOW_TASK(make, out, tile, t, value, int64_t, i, value, int64_t, j)
{
    fill(t, i, j);
}

UAT_TASK_VOID(make_all, tile *, t)
{
    uat_flow_t f;

    uat_flow_begin(&f);
    for (int64_t i = 0; i < cholesky_n; i++)
        for (int64_t j = 0; j <= i; j++)
            make_flow(&f, tile_at(t, i, j), i, j);
    uat_flow_end(&f);
}

static int run(uint64_t *answer)
{
    int rc = cholesky_work ? 0 : make_all_run(matrix);
    if (!rc && mode == LATCHES)
        rc = make_latches_run(latches);
    if (rc)
        return rc;
    uint64_t begin = uat_time_ns();
    rc = factor();
    figures[0] = (double)(uat_time_ns() - begin) * 1e-6;
    answer[0] = (uint64_t)(cholesky_n * (cholesky_n + 1) * (cholesky_n + 2) / 6);
    return !rc && mode == LATCHES ? destroy_latches_run(latches) : rc;
}

static bool known(uint64_t *answer)
{
    answer[0] = (uint64_t)(cholesky_n * (cholesky_n + 1) * (cholesky_n + 2) / 6);
    return true;
}

static double x_at(int64_t i)
{
    return 1 + (double)(i * 7 % 13) / 13;
}

/* y += l x or y += l^T x for one tile of the lower triangle. */
static void multiply(const tile *l, bool diagonal, bool transposed, const double *x, double *y)
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < (diagonal ? i + 1 : B); j++)
            if (transposed)
                y[j] += l->at[i][j] * x[i];
            else
                y[i] += l->at[i][j] * x[j];
}

/* y = L x or L^T x. */
static void product(bool transposed, const double *x, double *y)
{
    memset(y, 0, (size_t)(cholesky_n * B) * sizeof(*y));
    for (int64_t i = 0; i < cholesky_n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const tile *l = uat_global_checkout(tile_at(matrix, i, j), sizeof(tile), UAT_READ);
            multiply(l, i == j, transposed, &x[(transposed ? i : j) * B], &y[(transposed ? j : i) * B]);
            uat_global_checkin(tile_at(matrix, i, j), sizeof(tile), UAT_READ);
        }
}

/* The largest error of any component of L (L^T x), relative to the largest component of A x. */
static double residual(double *x, double *y)
{
    double error = 0, largest = 0;
    for (int64_t i = 0; i < cholesky_n * B; i++)
        x[i] = x_at(i);
    product(true, x, y);
    product(false, y, x);
    for (int64_t i = 0; i < cholesky_n * B; i++) {
        double right = 0;
        for (int64_t j = 0; j < cholesky_n * B; j++)
            right += element(i, j) * x_at(j);
        error = fmax(error, fabs(right - x[i]));
        largest = fmax(largest, fabs(right));
    }
    return error / largest;
}

static int verify(bool *correct)
{
    *correct = true;
    if (uat_rank() != 0 || cholesky_work)
        return 0;
    double *x = malloc((size_t)(cholesky_n * B) * sizeof(*x)), *y = malloc((size_t)(cholesky_n * B) * sizeof(*y));
    if (x && y)
        figures[1] = residual(x, y);
    *correct = x && y && figures[1] < 1e-12;
    free(x);
    free(y);
    return 0;
}

static int sequential(uint64_t *answer)
{
    tile *t = malloc((size_t)(cholesky_n * cholesky_n) * sizeof(tile));
    if (!t)
        return -ENOMEM;
    for (int64_t i = 0; i < cholesky_n; i++)
        for (int64_t j = 0; j <= i; j++)
            fill(tile_at(t, i, j), i, j);
    for (int64_t k = 0; k < cholesky_n; k++) {
        tile_potrf(tile_at(t, k, k));
        for (int64_t i = k + 1; i < cholesky_n; i++)
            tile_trsm(tile_at(t, k, k), tile_at(t, i, k));
        for (int64_t i = k + 1; i < cholesky_n; i++)
            for (int64_t j = k + 1; j <= i; j++)
                tile_gemm(tile_at(t, i, k), tile_at(t, j, k), tile_at(t, i, j));
    }
    free(t);
    known(answer);
    return 0;
}

static const struct uat_bench_option options[] = {
    {"-n", "TILES", "tiles of 64 x 64 elements in a row of the matrix", &cholesky_n, NULL, 1, TILES_MAX},
    {"-m", "MODE", "0: data-flow tasks, 1: fork-join tasks, 2: a task for each tile, with latches; 3: nested flows",
     &mode, NULL, 0, 3},
    {"-g", "TILES", "tiles in a row of a block of -m 3", &cholesky_group, NULL, 1, TILES_MAX},
    {"-W", "WINDOW", "data-flow tasks that are under way at a time", &window, NULL, 1, UAT_FLOW_WINDOW},
    {"-a", "1", "run data-flow tasks on any host, not near the tiles that they write", &anywhere, NULL, 0, 1},
    {"-w", "NS", "simulated nanoseconds of a gemm, which then computes nothing; 0: compute", &cholesky_work, NULL, 0,
     1e9},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-cholesky",
    .purpose = "Factor a symmetric matrix by tiles.",
    .options = options,
    .results = {"tasks"},
    .known = known,
    .run = run,
    .sequential = sequential,
    .prepare = prepare,
    .verify = verify,
    .finish = finish,
    .figures = figures,
    .names = {{"factor", "ms"}, {"residual", ""}},
};
