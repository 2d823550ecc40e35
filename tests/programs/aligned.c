/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks whose arguments and results are aligned to 16, 32 and 64 bytes, and tasks without parameters. If
 * the architecture has vectors whose aligned moves trap at unaligned addresses, the program is built for these vectors.
 * It is skipped if the processor lacks them.
 */
#include <stdio.h>

#include "uat.h"

typedef double four __attribute__((vector_size(32)));
struct line {
    double x[8];
} __attribute__((aligned(64)));
typedef __int128 sixteen;

UAT_TASK(four, sum4, int, n, four, x)
{
    sum4_task left;
    if (n < 2)
        return x * n;
    sum4_spawn(&left, n - 1, x);
    four right = sum4(n - 2, x);
    return sum4_join(&left) + right;
}

UAT_TASK(struct line, sum8, char, n, struct line, x)
{
    sum8_task left;
    struct line right, sum;
    if (n < 2) {
        for (int i = 0; i < 8; i++)
            x.x[i] *= n;
        return x;
    }
    sum8_spawn(&left, (char)(n - 1), x);
    right = sum8((char)(n - 2), x);
    sum = sum8_join(&left);
    for (int i = 0; i < 8; i++)
        sum.x[i] += right.x[i];
    return sum;
}

UAT_TASK(sixteen, sum16, int, n, sixteen, x)
{
    sum16_task left;
    if (n < 2)
        return x * n;
    sum16_spawn(&left, n - 1, x);
    sixteen right = sum16(n - 2, x);
    return sum16_join(&left) + right;
}

UAT_TASK(int, zero)
{
    return 1;
}

UAT_TASK_VOID(none)
{
}

UAT_TASK(int, ones, int, n)
{
    zero_task t;
    none_task u;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        none_spawn(&u);
        zero_spawn(&t);
        sum += zero_join(&t);
        none_join(&u);
    }
    return sum;
}

int main(void)
{
    four x = {1, 2, 3, 4}, four_sum;
    struct line y = {{1, 2, 3, 4, 5, 6, 7, 8}}, line_sum;
    sixteen sixteen_sum;
    int one, many;
    if (!HAVE_WIDE_VECTORS) {
        printf("this processor has no wide vectors\n");
        return 77;
    }
    if (uat_init())
        return 1;
    if (sum4_run(&four_sum, 15, x) || sum8_run(&line_sum, 15, y) || sum16_run(&sixteen_sum, 15, (sixteen)1 << 100) ||
        zero_run(&one) || none_run() || ones_run(&many, 100))
        return 1;
    for (int i = 0; i < 8; i++)
        if (four_sum[i % 4] != 610 * (i % 4 + 1) || line_sum.x[i] != 610 * (i + 1) ||
            sixteen_sum != ((sixteen)610 << 100) || one != 1 || many != 100)
            return 1;
    return uat_finalize() != 0;
}
