/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#include <uat/global.h>
#include <uat/object.h>
#include <uat/pattern.h>
#include <uat/transfer.h>

enum { N = 512, TILE = 32, TILES = N / TILE, ROW = N * sizeof(double) };

/* Copy tile k of a matrix, transposed. */
UAT_FOR(turn, k, double *, to, const double *, from)
{
    double in[TILE][TILE], out[TILE][TILE];
    long row = k / TILES * TILE, column = k % TILES * TILE;
    uat_global_get_strided(in, sizeof(in[0]), from + row * N + column, ROW, sizeof(in[0]), TILE);
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            out[j][i] = in[i][j];
    uat_global_put_strided(to + column * N + row, ROW, out, sizeof(out[0]), sizeof(out[0]), TILE);
}

UAT_FOR(copy, row, double *, to, const double *, from)
{
    const double *in = uat_global_checkout(from + row * N, ROW, UAT_READ);
    uat_global_put(to + row * N, in, ROW);
    uat_global_checkin(from + row * N, ROW, UAT_READ);
}

UAT_TASK(int, transpose, double *, m)
{
    double *t = uat_global_temporary_alloc(N * ROW); /* all workers keep parts of it */
    if (!t)
        return -1;
    turn(0, TILES * TILES, t, m);
    copy(0, N, m, t);
    uat_global_temporary_free(t);
    return 0;
}

int main(void)
{
    int failed;
    double *m;
    if (uat_init() < 0 || !(m = uat_global_alloc(N * ROW, UAT_BLOCKED, 0)) ||
        uat_global_temporary_open(2 * N * ROW, 0) < 0)
        return 1;
    if (uat_rank() == 0)
        for (long i = 0; i < N * N; i++)
            UAT_GLOBAL_PUT(m + i, (double)i);
    if (transpose_run(&failed, m) < 0 || failed)
        return 1;
    if (uat_rank() == 0)
        printf("row 3, column 500: %.0f\n", UAT_GLOBAL_GET(m + 3 * N + 500));
    return uat_finalize() < 0;
}
