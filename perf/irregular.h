/* SPDX-License-Identifier: MIT */
/*
 * The irregular accesses of uat-irregular and of its rivals: which words are accessed, in which order. A table has the
 * same number of words on each worker, a power of 2, and each worker makes the same number of updates.
 *
 * Indices follow HPCC's RandomAccess: number k of the sequence is x^k modulo the polynomial x^64 + x^2 + x + 1 over
 * GF(2). Worker r has the numbers r * updates to (r + 1) * updates - 1. The index is a number modulo the table's size.
 */
#ifndef UAT_IRREGULAR_H
#define UAT_IRREGULAR_H

#include <stdint.h>

/*
 * Histogram and gather are bale's kernels, GUPS is HPCC's.
 * - histogram: add 1 to the word of each index.
 * - gather: read the word of each index.
 * - GUPS: combine the word of each index with the random number by exclusive or.
 */
enum uat_irregular_kernel { UAT_HISTOGRAM, UAT_GATHER, UAT_GUPS, UAT_IRREGULAR_KERNELS };

static inline uint64_t uat_random_next(uint64_t x)
{
    return x << 1 ^ (x >> 63 ? 7 : 0);
}

/* The product of two polynomials, modulo that of the sequence. */
static inline uint64_t uat_random_multiply(uint64_t a, uint64_t b)
{
    uint64_t product = 0;

    for (; b; b >>= 1, a = uat_random_next(a))
        product ^= b & 1 ? a : 0;
    return product;
}

/* Number k of the sequence. */
static inline uint64_t uat_random_at(uint64_t k)
{
    uint64_t power = 1, square = 2; /* 1 and x */

    for (; k; k >>= 1, square = uat_random_multiply(square, square))
        if (k & 1)
            power = uat_random_multiply(power, square);
    return power;
}

/* The content of word i of the table that gather reads. */
static inline uint64_t uat_gather_word(uint64_t i)
{
    return i * 3 + 1;
}

#endif
