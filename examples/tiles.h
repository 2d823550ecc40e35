/* SPDX-License-Identifier: MIT */
/*
 * Tiles of a matrix, and the kernels of a tiled Cholesky factorisation. With HAVE_OPENBLAS the kernels call OpenBLAS;
 * otherwise they are plain loops. Tiles are stored by rows. In a tile on the diagonal, only the lower triangle is a
 * result.
 */
#ifndef EXAMPLES_TILES_H
#define EXAMPLES_TILES_H

#include <math.h>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

enum { TILE = 64 /* rows and columns of a tile */ };

typedef struct {
    double at[TILE][TILE];
} tile;

#ifdef HAVE_OPENBLAS

#ifdef __cplusplus
extern "C"
#endif
    void
    dpotrf_(const char *triangle, const int *n, double *a, const int *pitch, int *info); /* of LAPACK */

/* Makes each kernel use only one thread. Call this before several threads call kernels. */
static inline void tile_alone(void)
{
    openblas_set_num_threads(1);
}

/* a := l with l l^T = a. LAPACK stores matrices by columns, so our lower triangle is LAPACK's upper one. */
static inline void tile_potrf(tile *a)
{
    const int n = TILE;
    int info;
    dpotrf_("U", &n, a->at[0], &n, &info);
}

/* a := a l^-T */
static inline void tile_trsm(const tile *l, tile *a)
{
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, TILE, TILE, 1, l->at[0], TILE,
                a->at[0], TILE);
}

/* c := c - a b^T */
static inline void tile_gemm(const tile *a, const tile *b, tile *c)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, TILE, TILE, TILE, -1, a->at[0], TILE, b->at[0], TILE, 1,
                c->at[0], TILE);
}

/* c := c - a a^T, lower triangle */
static inline void tile_syrk(const tile *a, tile *c)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, TILE, TILE, -1, a->at[0], TILE, 1, c->at[0], TILE);
}

#else

static inline void tile_alone(void)
{
}

static inline void tile_potrf(tile *a)
{
    for (int j = 0; j < TILE; j++) {
        double d = a->at[j][j];
        for (int k = 0; k < j; k++)
            d -= a->at[j][k] * a->at[j][k];
        a->at[j][j] = d = sqrt(d);
        for (int i = j + 1; i < TILE; i++) {
            double x = a->at[i][j];
            for (int k = 0; k < j; k++)
                x -= a->at[i][k] * a->at[j][k];
            a->at[i][j] = x / d;
        }
    }
}

static inline void tile_trsm(const tile *l, tile *a)
{
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++) {
            double x = a->at[i][j];
            for (int k = 0; k < j; k++)
                x -= a->at[i][k] * l->at[j][k];
            a->at[i][j] = x / l->at[j][j];
        }
}

static inline void tile_gemm(const tile *a, const tile *b, tile *c)
{
    tile t; /* b^T, so that the inner loop runs along rows */
    for (int k = 0; k < TILE; k++)
        for (int j = 0; j < TILE; j++)
            t.at[k][j] = b->at[j][k];
    for (int i = 0; i < TILE; i++)
        for (int k = 0; k < TILE; k++) {
            double x = a->at[i][k];
            for (int j = 0; j < TILE; j++)
                c->at[i][j] -= x * t.at[k][j];
        }
}

static inline void tile_syrk(const tile *a, tile *c)
{
    tile_gemm(a, a, c);
}

#endif
#endif
