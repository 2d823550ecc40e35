/* SPDX-License-Identifier: MIT */
/* Cilksort for one width of its elements. cilksort_elements.c is compiled once for each width. */
#ifndef UAT_PERF_CILKSORT_H
#define UAT_PERF_CILKSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uat_cilksort {
    size_t size; /* bytes of an element */
    /* Sort the global array data[0..n). `spare` is a global array of the same size. Collective. radix: sort leaves by
     * radix, not by comparisons. Returns 0 or a negative errno. */
    int (*sort)(void *data, void *spare, size_t n, bool radix);
    /* Fill data[from..to) with random elements. Returns their sum. */
    uint64_t (*fill)(void *data, size_t from, size_t to);
    /* Returns the number of elements of data[from..to) that are less than their predecessor. *sum: the sum of all
     * elements of data[from..to). */
    uint64_t (*check)(void *data, size_t from, size_t to, uint64_t *sum);
};

extern const struct uat_cilksort uat_cilksort_32, uat_cilksort_64;

#endif
