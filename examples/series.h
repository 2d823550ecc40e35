/* SPDX-License-Identifier: MIT */
/* The series of uat-fmm, and how they are moved (Greengard and Rokhlin, J. Comput. Phys. 73, 1987). */
#ifndef UAT_EXAMPLES_SERIES_H
#define UAT_EXAMPLES_SERIES_H

#include <complex.h>
#include <stdint.h>

enum { ORDER_MAX = 30 };

/* Outer: a[0] log z + sum of a[k] / z^k. Inner: sum of a[k] z^k. z is the distance from the series' centre. */
struct series {
    double complex a[ORDER_MAX + 1];
};

static int64_t order = 20;
static double choose[2 * ORDER_MAX + 1][ORDER_MAX + 1]; /* binomial coefficients */

static void prepare_series(void)
{
    for (int i = 0; i <= 2 * ORDER_MAX; i++)
        for (int k = 0; k <= ORDER_MAX && k <= i; k++)
            choose[i][k] = k == 0 ? 1 : choose[i - 1][k - 1] + choose[i - 1][k];
}

/* Add the outer series around z to one around 0. */
static void add_shifted_outer(struct series *sum, const struct series *from, double complex z)
{
    double complex power[ORDER_MAX + 1] = {1};

    sum->a[0] += from->a[0];
    for (int64_t l = 1; l <= order; l++) {
        power[l] = power[l - 1] * z;
        double complex term = -from->a[0] * power[l] / (double)l;
        for (int64_t k = 1; k <= l; k++)
            term += from->a[k] * power[l - k] * choose[l - 1][k - 1];
        sum->a[l] += term;
    }
}

/* Add the outer series around z to an inner one around 0. */
static void add_outer_to_inner(struct series *sum, const struct series *from, double complex z)
{
    double complex scaled[ORDER_MAX + 1], power = 1; /* scaled: a[k] / (-z)^k */

    for (int64_t k = 0; k <= order; k++, power *= -1 / z)
        scaled[k] = from->a[k] * power;
    sum->a[0] += from->a[0] * clog(-z);
    for (int64_t k = 1; k <= order; k++)
        sum->a[0] += scaled[k];
    power = 1;
    for (int64_t l = 1; l <= order; l++) {
        double complex term = -from->a[0] / (double)l;
        power /= z;
        for (int64_t k = 1; k <= order; k++)
            term += scaled[k] * choose[l + k - 1][k - 1];
        sum->a[l] += term * power;
    }
}

/* Add the inner series around 0 to one around z. */
static void add_shifted_inner(struct series *sum, const struct series *from, double complex z)
{
    double complex power[ORDER_MAX + 1] = {1};

    for (int64_t k = 1; k <= order; k++)
        power[k] = power[k - 1] * z;
    for (int64_t l = 0; l <= order; l++)
        for (int64_t k = l; k <= order; k++)
            sum->a[l] += from->a[k] * choose[k][l] * power[k - l];
}

#endif
