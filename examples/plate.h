/* SPDX-License-Identifier: MIT */
/*
 * The problem of uat-jacobi, for it and for its form with MPI: the temperatures of a square plate of n * n points.
 *
 * At first the temperature is a steady field, x * x - y * y, plus a wave that is an eigenvector of the iteration. The
 * wave shrinks by the same factor in each iteration, so the right temperature of each point is known. A row above or
 * below from an earlier iteration would make a difference that is many times larger than the bound.
 */
#ifndef UAT_PLATE_H
#define UAT_PLATE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { N_MAX = 16384, WAVES = 3 /* half waves in each direction */ };

static int64_t n = 1024, iterations = 100;
static double square[N_MAX]; /* x * x at the points of a row, which lie between -1 and 1 */
static double sine[N_MAX];   /* the wave at the same points */

static void prepare_plate(void)
{
    for (int64_t k = 0; k < n; k++) {
        double x = (double)(2 * k - (n - 1)) / (double)(n - 1);
        square[k] = x * x;
        sine[k] = sin(M_PI * WAVES * (double)k / (double)(n - 1));
    }
}

static size_t row_bytes(void)
{
    return (size_t)n * sizeof(double);
}

/* The temperature of point (i, j) when the wave has shrunk to `share` of its height. */
static double exact(int64_t i, int64_t j, double share)
{
    return square[j] - square[i] + share * sine[i] * sine[j];
}

static void fill_row(double *row, int64_t i)
{
    for (int64_t j = 0; j < n; j++)
        row[j] = exact(i, j, 1);
}

static void relax_row(double *restrict out, const double *above, const double *own, const double *below)
{
    out[0] = own[0];
    for (int64_t j = 1; j < n - 1; j++)
        out[j] = 0.25 * (above[j] + below[j] + own[j - 1] + own[j + 1]);
    out[n - 1] = own[n - 1];
}

/* The number of points of row i that are right after all iterations. An iteration rounds three sums of four numbers
 * below 2, which makes an error of at most 7e-16. */
static uint64_t count_right(const double *row, int64_t i)
{
    double share = pow(cos(M_PI * WAVES / (double)(n - 1)), (double)iterations),
           bound = 1e-15 * (double)(iterations + 8);
    uint64_t right = 0;

    for (int64_t j = 0; j < n; j++)
        right += fabs(row[j] - exact(i, j, share)) <= bound;
    return right;
}

#endif
