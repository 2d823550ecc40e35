/* SPDX-License-Identifier: MIT */
/* A task that keeps a worker busy. */
#ifndef TEST_FIB_H
#define TEST_FIB_H

#include "uat.h"

UAT_TASK(long, fib, long, n)
{
    fib_task left;
    if (n < 2)
        return n;
    fib_spawn(&left, n - 1);
    long right = fib(n - 2);
    return fib_join(&left) + right;
}

#endif
