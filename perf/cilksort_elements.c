/* SPDX-License-Identifier: MIT */
/*
 * Cilksort: merge sort in four parts with parallel merges (Akl and Santoro 1987; Frigo, Leiserson, Randall, PLDI'98),
 * in global memory. Leaves are sorted by radix or by comparisons. Near leaves are sorted in place. CILKSORT_BITS: bits
 * of an element.
 */
#include "perf/cilksort.h"

#include <string.h>

#include "include/uat/global.h"
#include "uat.h"

#if CILKSORT_BITS == 32
typedef uint32_t element;
#else
typedef uint64_t element;
#endif

enum {
    LEAF = 1 << 15,
    MERGE_LEAF = 1 << 14,
    RUN = 8, /* sorting a leaf by comparisons starts with runs of RUN elements, sorted by insertion */
    DIGITS = sizeof(element)
};

static element *out_of(element *p, size_t count, enum uat_access access)
{
    return uat_global_checkout(p, count * sizeof(*p), access);
}

static void back(element *p, size_t count, enum uat_access access)
{
    uat_global_checkin(p, count * sizeof(*p), access);
}

static element leaf_spare[LEAF];

/* Radix sort by bytes, the least significant first. The number of passes is even, so the result is in `a` again. */
static void sort_by_radix(element *a, size_t count)
{
    static uint32_t counts[DIGITS][256];
    element *from = a, *to = leaf_spare;

    memset(counts, 0, sizeof(counts));
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            counts[d][a[i] >> 8 * d & 255]++;
    for (int d = 0; d < DIGITS; d++) {
        uint32_t sum = 0;
        for (int b = 0; b < 256; b++) {
            uint32_t c = counts[d][b];
            counts[d][b] = sum;
            sum += c;
        }
        for (size_t i = 0; i < count; i++)
            to[counts[d][from[i] >> 8 * d & 255]++] = from[i];
        element *t = from;
        from = to;
        to = t;
    }
}

/* Merge without a branch that depends on the data. */
static void merge_here(const element *a, size_t na, const element *b, size_t nb, element *to)
{
    size_t i = 0, j = 0;

    while (i < na && j < nb) {
        element x = a[i], y = b[j];
        bool second = y < x;
        *to++ = second ? y : x;
        i += !second;
        j += second;
    }
    memcpy(to, a + i, (na - i) * sizeof(*to));
    memcpy(to + (na - i), b + j, (nb - j) * sizeof(*to));
}

static void sort_run(element *a, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        element x = a[i];
        size_t k = i;
        for (; k > 0 && x < a[k - 1]; k--)
            a[k] = a[k - 1];
        a[k] = x;
    }
}

/* Sort runs, then merge them pairwise from one buffer to the other. */
static void sort_by_comparisons(element *a, size_t count)
{
    element *from = a, *to = leaf_spare;

    for (size_t at = 0; at < count; at += RUN)
        sort_run(a + at, count - at < RUN ? count - at : RUN);
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t na = count - at < run ? count - at : run, rest = count - at - na, nb = rest < run ? rest : run;
            merge_here(from + at, na, from + at + na, nb, to + at);
        }
        element *t = from;
        from = to;
        to = t;
    }
    if (from != a)
        memcpy(a, from, count * sizeof(*a));
}

/* Number of elements of the sorted p[0..count) that are less than x. Far elements are fetched one by one. */
static size_t below(const element *p, size_t count, element x)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        element seen;
        uat_global_get(&seen, p + middle, sizeof(seen));
        if (seen < x)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static void merge_leaf(element *a, size_t na, element *b, size_t nb, element *to)
{
    const element *qa = out_of(a, na, UAT_READ), *qb = out_of(b, nb, UAT_READ);
    element *q = out_of(to, na + nb, UAT_WRITE);

    merge_here(qa, na, qb, nb, q);
    back(to, na + nb, UAT_WRITE);
    back(b, nb, UAT_READ);
    back(a, na, UAT_READ);
}

UAT_TASK_VOID(merge, element *, a, size_t, na, element *, b, size_t, nb, element *, to)
{
    if (na + nb <= MERGE_LEAF) {
        merge_leaf(a, na, b, nb, to);
        return;
    }
    if (na < nb) {
        merge(b, nb, a, na, to);
        return;
    }
    size_t ma = na / 2;
    element middle;
    uat_global_get(&middle, a + ma, sizeof(middle));
    size_t mb = below(b, nb, middle);
    merge_task left;
    merge_spawn(&left, a, ma, b, mb, to);
    merge(a + ma, na - ma, b + mb, nb - mb, to + ma + mb);
    merge_join(&left);
}

/* Sort array a. t is an array of the same size. */
UAT_TASK_VOID(cilksort, element *, a, element *, t, size_t, count, bool, radix)
{
    if (count <= LEAF) {
        (radix ? sort_by_radix : sort_by_comparisons)(out_of(a, count, UAT_READ_WRITE), count);
        back(a, count, UAT_READ_WRITE);
        return;
    }
    size_t quarter = count / 4, last = count - 3 * quarter;
    cilksort_task part[3];
    for (int i = 0; i < 3; i++)
        cilksort_spawn(&part[i], a + (size_t)i * quarter, t + (size_t)i * quarter, quarter, radix);
    cilksort(a + 3 * quarter, t + 3 * quarter, last, radix);
    for (int i = 2; i >= 0; i--)
        cilksort_join(&part[i]);
    merge_task low;
    merge_spawn(&low, a, quarter, a + quarter, quarter, t);
    merge(a + 2 * quarter, quarter, a + 3 * quarter, last, t + 2 * quarter);
    merge_join(&low);
    merge(t, 2 * quarter, t + 2 * quarter, quarter + last, a);
}

static int sort(void *data, void *spare, size_t n, bool radix)
{
    return cilksort_run(data, spare, n, radix);
}

static element random_element(uint64_t i)
{
    uint64_t x = (i + 1) * 0xbf58476d1ce4e5b9u;

    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (element)(x >> (64 - CILKSORT_BITS));
}

static uint64_t fill(void *data, size_t from, size_t to)
{
    element *p = data;
    uint64_t sum = 0;

    for (size_t at = from; at < to; at += MERGE_LEAF) {
        size_t count = to - at < MERGE_LEAF ? to - at : MERGE_LEAF;
        element *q = out_of(p + at, count, UAT_WRITE);
        for (size_t i = 0; i < count; i++)
            sum += q[i] = random_element(at + i);
        back(p + at, count, UAT_WRITE);
    }
    return sum;
}

static uint64_t check(void *data, size_t from, size_t to, uint64_t *sum)
{
    element *p = data, before = 0;
    uint64_t wrong = 0;

    *sum = 0;
    if (from > 0)
        uat_global_get(&before, p + from - 1, sizeof(before));
    for (size_t at = from; at < to; at += MERGE_LEAF) {
        size_t count = to - at < MERGE_LEAF ? to - at : MERGE_LEAF;
        const element *q = out_of(p + at, count, UAT_READ);
        for (size_t i = 0; i < count; i++) {
            *sum += q[i];
            wrong += q[i] < before;
            before = q[i];
        }
        back(p + at, count, UAT_READ);
    }
    return wrong;
}

#if CILKSORT_BITS == 32
const struct uat_cilksort uat_cilksort_32 = {sizeof(element), sort, fill, check};
#else
const struct uat_cilksort uat_cilksort_64 = {sizeof(element), sort, fill, check};
#endif
