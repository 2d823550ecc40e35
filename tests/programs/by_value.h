/* SPDX-License-Identifier: MIT */
/* The bytes that by_value.c and by_value_cpp.cpp pass by value. */
#ifndef BY_VALUE_H
#define BY_VALUE_H

#include <stdio.h>

#include "uat.h"

static inline void by_value_fill(void *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)p)[i] = (unsigned char)(seed + 7 * i);
}

/* Returns how many of the n bytes differ from those of by_value_fill(). */
static inline int by_value_wrong(const void *p, size_t n, unsigned seed)
{
    int wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += ((const unsigned char *)p)[i] != (unsigned char)(seed + 7 * i);
    return wrong;
}

/* Work long enough for a thief to steal the spawner. */
static inline void by_value_work(void)
{
    for (volatile int i = 0; i < 1000; i++)
        ;
}

static inline int by_value_end(const char *program, int status, int wrong)
{
    if (status || wrong)
        fprintf(stderr, "%s: rank %d: status %d, %d wrong\n", program, uat_rank(), status, wrong);
    return uat_finalize() || status || wrong;
}

#endif
