/* SPDX-License-Identifier: MIT */
/* The tasks of program.py: a library in C. */
#include "include/uat.h"
#include "include/uat/global.h"
#include "include/uat/pattern.h"
#include "tests/faults/fib.h"

/* A root gets its argument and its result as bytes. */
void fibonacci(void *arg, void *result);
void fibonacci(void *arg, void *result)
{
    *(long *)result = fib(*(long *)arg);
}

struct pair {
    long count;
    double *numbers;
};

UAT_FOR(square, i, double *, numbers)
{
    double *x = uat_global_checkout(numbers + i, sizeof(*x), UAT_READ_WRITE);
    *x *= *x;
    uat_global_checkin(numbers + i, sizeof(*x), UAT_READ_WRITE);
}

void squares(void *arg, void *result);
void squares(void *arg, void *result)
{
    struct pair *p = arg;
    (void)result;
    square(0, p->count, p->numbers);
}
