/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <uat.h>
#include <uat/dataflow.h>

enum { B = 16, N = 8 }; /* rows of a tile, tiles in a row */

typedef struct {
    double at[B][B];
} tile;

/* a := a l^-T. With l = a it factors a: the lower triangle becomes l with l l^T = a. */
static void solve(const tile *l, tile *a)
{
    for (int j = 0; j < B; j++)
        for (int i = l == a ? j : 0; i < B; i++) {
            for (int k = 0; k < j; k++)
                a->at[i][j] -= a->at[i][k] * l->at[j][k];
            a->at[i][j] = l == a && i == j ? sqrt(a->at[j][j]) : a->at[i][j] / l->at[j][j];
        }
}

/* c := c - a b^T */
static void subtract(const tile *a, const tile *b, tile *c)
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < B; k++)
                c->at[i][j] -= a->at[i][k] * b->at[j][k];
}

UAT_FLOW_TASK(potrf, inout, tile, a)
{
    solve(a, a);
}

UAT_FLOW_TASK(trsm, in, tile, l, inout, tile, a)
{
    solve(l, a);
}

UAT_FLOW_TASK(gemm, in, tile, a, in, tile, b, inout, tile, c)
{
    subtract(a, b, c);
}

UAT_TASK_VOID(cholesky, tile *, t)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    for (int k = 0; k < N; k++) {
        potrf_flow(&f, &t[k * N + k]);
        for (int i = k + 1; i < N; i++)
            trsm_flow(&f, &t[k * N + k], &t[i * N + k]);
        for (int i = k + 1; i < N; i++)
            for (int j = k + 1; j <= i; j++)
                gemm_flow(&f, &t[i * N + k], &t[j * N + k], &t[i * N + j]);
    }
    uat_flow_end(&f);
}

/* Element (i, j) of a matrix whose factor has a 1 in each place of its lower triangle: min(i, j) + 1. */
UAT_FLOW_TASK(make, out, tile, a, value, int, row, value, int, column)
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            a->at[i][j] = 1 + (row * B + i < column * B + j ? row * B + i : column * B + j);
}

UAT_TASK_VOID(make_all, tile *, t)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    for (int i = 0; i < N * N; i++)
        make_flow(&f, &t[i], i / N, i % N);
    uat_flow_end(&f);
}

int main(void)
{
    tile *t;
    long wrong = 0;
    if (uat_init() < 0 || !(t = uat_global_alloc(N * N * sizeof(*t), UAT_CYCLIC, 0)) || make_all_run(t) < 0 ||
        cholesky_run(t) < 0)
        return 1;
    for (int i = 0; i < N * B && uat_rank() == 0; i++)
        for (int j = 0; j <= i; j++)
            wrong += UAT_GLOBAL_GET(&t[i / B * N + j / B].at[i % B][j % B]) != 1;
    if (uat_rank() == 0)
        printf("%ld of %d elements are wrong\n", wrong, N * B * (N * B + 1) / 2);
    return uat_finalize() < 0;
}
