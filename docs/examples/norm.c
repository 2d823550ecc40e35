/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#include <uat/global.h>
#include <uat/pattern.h>

static void fill(void *elements, size_t first, size_t count, const void *arg)
{
    double *x = elements;
    (void)arg;
    for (size_t i = 0; i < count; i++)
        x[i] = (double)(first + i);
}

UAT_TASK(double, squares, const double *, v, size_t, n)
{
    if (n <= 4096) {
        double sum = 0;
        const double *x = uat_global_checkout(v, n * sizeof(*v), UAT_READ); /* near: v itself; far: a copy */
        for (size_t i = 0; i < n; i++)
            sum += x[i] * x[i];
        uat_global_checkin(v, n * sizeof(*v), UAT_READ);
        return sum;
    }
    squares_task left;
    squares_spawn(&left, v, n / 2);
    double right = squares(v + n / 2, n - n / 2);
    return squares_join(&left) + right;
}

UAT_TASK(double, fill_and_add, double *, v, size_t, n)
{
    uat_for_each_block(v, n, sizeof(*v), UAT_WRITE, fill, NULL, 0);
    return squares(v, n);
}

int main(void)
{
    size_t n = 1 << 20;
    double sum, *v;
    if (uat_init() < 0 || !(v = uat_global_alloc(n * sizeof(*v), UAT_BLOCKED, 0)) || fill_and_add_run(&sum, v, n) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("sum of %zu squares: %.6e\n", n, sum);
    return uat_finalize() < 0;
}
