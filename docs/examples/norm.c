/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#include <uat/global.h>
#include <uat/pattern.h>

enum { PART = 4096, PARTS = 256 };

UAT_FOR(fill, k, double *, v)
{
    double *x = uat_global_checkout(v + k * PART, PART * sizeof(*v), UAT_WRITE);
    for (long i = 0; i < PART; i++)
        x[i] = (double)(k * PART + i);
    uat_global_checkin(v + k * PART, PART * sizeof(*v), UAT_WRITE);
}

UAT_REDUCE(double, squares, 0, UAT_PLUS, k, const double *, v)
{
    double sum = 0;
    const double *x = uat_global_checkout(v + k * PART, PART * sizeof(*v), UAT_READ); /* near: the bytes of v */
    for (long i = 0; i < PART; i++)
        sum += x[i] * x[i];
    uat_global_checkin(v + k * PART, PART * sizeof(*v), UAT_READ);
    return sum;
}

UAT_TASK(double, fill_and_add, double *, v)
{
    fill(0, PARTS, v);
    return squares(0, PARTS, v);
}

int main(void)
{
    size_t n = PART * PARTS;
    double sum, *v;
    if (uat_init() < 0 || !(v = uat_global_alloc(n * sizeof(*v), UAT_BLOCKED, 0)) || fill_and_add_run(&sum, v) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("sum of %zu squares: %.6e\n", n, sum);
    return uat_finalize() < 0;
}
