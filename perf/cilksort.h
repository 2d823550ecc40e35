/* SPDX-License-Identifier: MIT */
/* Cilksort for one width of its elements; cilksort_elements.c is compiled once for each. */
#ifndef UAT_PERF_CILKSORT_H
#define UAT_PERF_CILKSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uat_cilksort {
    size_t size; /* bytes of an element */
    /* Sort data[0..n), with the help of spare, which is as large; both are global arrays. Collective. radix: how leaves
     * are sorted; else by comparisons. 0 or a negative errno. */
    int (*sort)(void *data, void *spare, size_t n, bool radix);
    /* Random elements to data[from..to); their sum. */
    uint64_t (*fill)(void *data, size_t from, size_t to);
    /* The number of elements of data[from..to) that are below the one before; *sum: of them all. */
    uint64_t (*check)(void *data, size_t from, size_t to, uint64_t *sum);
};

extern const struct uat_cilksort uat_cilksort_32, uat_cilksort_64;

#endif
