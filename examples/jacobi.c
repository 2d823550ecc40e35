/* SPDX-License-Identifier: MIT */
/*
 * Jacobi's iteration for the temperature of a square plate whose border is kept at fixed temperatures: each inner point
 * becomes the mean of its four neighbours. Two arrays in global memory hold the temperatures before and after an
 * iteration. The points are stored row by row, and each worker keeps a block of rows. The loop over the rows names the
 * array that it writes, so each row is computed by the worker that keeps it. The body checks out the rows above and
 * below, so only the rows along a border between two hosts move: the halo. Nobody sends it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/plate.h"
#include "perf/bench.h"
#include "uat/global.h"
#include "uat/pattern.h"

enum { PIXELS_MAX = 1024 };

static double point_ns = 0.5;
static const char *picture;

static double *grids[2];   /* n rows of n points each */
static uat_atomic_t *halo; /* bytes, over all hosts */

UAT_FOR(fill, i, double *, grid)
{
    double *row = uat_global_checkout(grid + i * n, row_bytes(), UAT_WRITE);
    fill_row(row, i);
    uat_global_checkin(grid + i * n, row_bytes(), UAT_WRITE);
}

UAT_FOR(relax, i, const double *, from, double *, to)
{
    const double *above = uat_global_checkout(from + (i - 1) * n, row_bytes(), UAT_READ);
    const double *own = uat_global_checkout(from + i * n, row_bytes(), UAT_READ);
    const double *below = uat_global_checkout(from + (i + 1) * n, row_bytes(), UAT_READ);
    double *out = uat_global_checkout(to + i * n, row_bytes(), UAT_WRITE);

    relax_row(out, above, own, below);
    uat_sim_work((uint64_t)(point_ns * (double)n));
    uat_global_checkin(from + (i - 1) * n, row_bytes(), UAT_READ);
    uat_global_checkin(from + i * n, row_bytes(), UAT_READ);
    uat_global_checkin(from + (i + 1) * n, row_bytes(), UAT_READ);
    uat_global_checkin(to + i * n, row_bytes(), UAT_WRITE);
}

UAT_REDUCE(uint64_t, right_points, 0, UAT_PLUS, i, const double *, grid)
{
    const double *row = uat_global_checkout(grid + i * n, row_bytes(), UAT_READ);
    uint64_t right = count_right(row, i);
    uat_global_checkin(grid + i * n, row_bytes(), UAT_READ);
    return right;
}

UAT_TASK_VOID(start, double *, first, double *, second)
{
    fill_near(0, n, first, row_bytes(), first);
    fill_near(0, n, second, row_bytes(), second); /* its border is read in the second iteration */
}

UAT_TASK_VOID(iterate, double *, from, double *, to)
{
    for (int64_t k = 0; k < iterations; k++) {
        relax_near(1, n - 1, to, row_bytes(), from, to);
        double *other = from;
        from = to;
        to = other;
    }
}

UAT_TASK(uint64_t, check, const double *, grid)
{
    return right_points(0, n, grid);
}

static const double *result(void)
{
    return grids[iterations % 2];
}

static double figures[UAT_BENCH_FIGURES];

/* Count what the hosts must read: the two rows at each border between hosts, except rows that are not computed from. A
 * row belongs to the host of its first byte. */
static int count_halo(void)
{
    for (int64_t i = 0; i < n - 1; i++)
        if (uat_global_home(grids[0] + i * n) == uat_rank() && !uat_global_near(grids[0] + (i + 1) * n, 1))
            uat_atomic_fetch_add(halo, row_bytes() * (uint64_t)((i > 0) + (i < n - 2)));
    return uat_barrier();
}

static int prepare(void)
{
    prepare_plate();
    for (int k = 0; k < 2; k++)
        grids[k] = uat_global_alloc((size_t)n * row_bytes(), UAT_BLOCKED, 0);
    halo = uat_global_alloc(sizeof(*halo), UAT_BLOCKED, 0);
    return grids[0] && grids[1] && halo ? count_halo() : -ENOMEM; /* reported already */
}

static int run(uint64_t *answer)
{
    uat_stats_t before, after;

    uat_bench_pause();
    int status = start_run(grids[0], grids[1]);
    status = status ? status : uat_stats_total(&before);
    uat_bench_resume();
    status = status ? status : iterate_run(grids[0], grids[1]);
    uat_bench_pause();
    status = status ? status : uat_stats_total(&after);
    if (status)
        return status;
    double share = 1e-3 / (double)iterations;
    figures[0] = share * (double)(after.global_bytes_fetched - before.global_bytes_fetched);
    figures[1] = share * (double)(after.global_bytes_written - before.global_bytes_written);
    figures[2] = 1e-3 * (double)uat_atomic_load(halo);
    return check_run(answer, result());
}

static bool known(uint64_t *answer)
{
    answer[0] = (uint64_t)(n * n);
    return true;
}

static int sequential(uint64_t *answer)
{
    uat_bench_pause();
    double *from = malloc((size_t)n * row_bytes()), *to = malloc((size_t)n * row_bytes());
    for (int64_t i = 0; i < n && from && to; i++) {
        fill_row(from + i * n, i);
        fill_row(to + i * n, i);
    }
    uat_bench_resume();
    for (int64_t k = 0; k < iterations && from && to; k++) {
        for (int64_t i = 1; i < n - 1; i++)
            relax_row(to + i * n, from + (i - 1) * n, from + i * n, from + (i + 1) * n);
        double *other = from;
        from = to;
        to = other;
    }
    uat_bench_pause();
    for (int64_t i = 0; i < n && from && to; i++)
        answer[0] += count_right(from + i * n, i);
    int status = from && to ? 0 : -ENOMEM;
    free(from);
    free(to);
    return status;
}

/* Write the temperatures as a picture of at most PIXELS_MAX by PIXELS_MAX grey points (PGM, Netpbm): -2 is black, 2 is
 * white. Returns 0 or a negative errno. */
static int write_picture(FILE *file)
{
    int64_t step = (n + PIXELS_MAX - 1) / PIXELS_MAX, pixels = (n + step - 1) / step;
    double row[PIXELS_MAX * (N_MAX / PIXELS_MAX)];

    fprintf(file, "P5\n%lld %lld\n255\n", (long long)pixels, (long long)pixels);
    for (int64_t i = 0; i < n; i += step) {
        uat_global_get(row, result() + i * n, row_bytes());
        for (int64_t j = 0; j < n; j += step)
            putc((int)lround((row[j] + 2) * (255 / 4.0)), file);
    }
    return fflush(file) || ferror(file) ? -EIO : 0;
}

static int finish(void)
{
    if (!picture || uat_rank() != 0)
        return 0;
    FILE *file = fopen(picture, "wb");
    int status = file ? write_picture(file) : -errno;
    if (file && fclose(file) && !status)
        status = -errno;
    if (status)
        fprintf(stderr, "uat-jacobi: cannot write the picture %s: %s\n", picture, strerror(-status));
    return status;
}

static const struct uat_bench_option options[] = {
    {"-n", "N", "points in a row of the plate, and rows", &n, NULL, 3, N_MAX},
    {"-i", "ITERATIONS", "iterations", &iterations, NULL, 1, 1e6},
    {"-w", "NS", "nanoseconds that a point takes in a simulation", NULL, &point_ns, 0, 1e6},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-jacobi",
    .purpose = "Compute temperatures of a square plate by Jacobi's iteration, and count the bytes that hosts move.",
    .options = options,
    .text = {"--picture", "FILE", "write the temperatures at the end as a picture (PGM)", &picture},
    .results = {"points"},
    .known = known,
    .prepare = prepare,
    .run = run,
    .sequential = sequential,
    .finish = finish,
    .figures = figures,
    .names = {{"read", "KB from other hosts per iteration"},
              {"written", "KB to other hosts per iteration"},
              {"halo", "KB that an iteration must read from other hosts"}},
};
