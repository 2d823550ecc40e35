/* SPDX-License-Identifier: MIT */
/*
 * Cilksort: merge sort in four parts with parallel merges (Akl and Santoro 1987; Frigo, Leiserson, Randall, PLDI'98), of N random
 * integers in global memory. Leaves are sorted by radix, in place where they are near.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "include/uat/global.h"
#include "perf/bench.h"
#include "perf/tsc.h"

typedef uint32_t element;

enum { LEAF = 1 << 15, MERGE_LEAF = 1 << 14 };

static int64_t n = 10000000, rounds = 3;
static element *data, *spare;

static element *out_of(element *p, size_t count, enum uat_access access)
{
    return uat_checkout(p, count * sizeof(*p), access);
}

static void back(element *p, size_t count, enum uat_access access)
{
    uat_checkin(p, count * sizeof(*p), access);
}

/* Least significant digit first, four bytes; an even number of passes ends where it began. */
static void sort_leaf(element *a, size_t count)
{
    static element other[LEAF];
    static uint32_t counts[4][256];
    element *from = a, *to = other;

    memset(counts, 0, sizeof(counts));
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < 4; d++)
            counts[d][a[i] >> 8 * d & 255]++;
    for (int d = 0; d < 4; d++) {
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

/* Number of elements of the sorted p[0..count) that are below x; far ones are got one by one. */
static size_t below(const element *p, size_t count, element x)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        element seen;
        uat_get(&seen, p + middle, sizeof(seen));
        if (seen < x)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Without a branch that depends on the data. */
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
    uat_get(&middle, a + ma, sizeof(middle));
    size_t mb = below(b, nb, middle);
    merge_task left;
    merge_spawn(&left, a, ma, b, mb, to);
    merge(a + ma, na - ma, b + mb, nb - mb, to + ma + mb);
    merge_join(&left);
}

/* a is sorted, with the help of t, which is as large. */
UAT_TASK_VOID(cilksort, element *, a, element *, t, size_t, count)
{
    if (count <= LEAF) {
        sort_leaf(out_of(a, count, UAT_READ_WRITE), count);
        back(a, count, UAT_READ_WRITE);
        return;
    }
    size_t quarter = count / 4, last = count - 3 * quarter;
    cilksort_task part[3];
    for (int i = 0; i < 3; i++)
        cilksort_spawn(&part[i], a + (size_t)i * quarter, t + (size_t)i * quarter, quarter);
    cilksort(a + 3 * quarter, t + 3 * quarter, last);
    for (int i = 2; i >= 0; i--)
        cilksort_join(&part[i]);
    merge_task low;
    merge_spawn(&low, a, quarter, a + quarter, quarter, t);
    merge(a + 2 * quarter, quarter, a + 3 * quarter, last, t + 2 * quarter);
    merge_join(&low);
    merge(t, 2 * quarter, t + 2 * quarter, quarter + last, a);
}

static element random_element(uint64_t i)
{
    uint64_t x = (i + 1) * 0xbf58476d1ce4e5b9u;

    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (element)(x >> 32);
}

/* Fill this rank's share; or check its order: the number of elements that are below the one before. */
static uint64_t each_share(bool fill)
{
    size_t size = (size_t)uat_size(), rank = (size_t)uat_rank(), from = (size_t)n * rank / size,
           to = (size_t)n * (rank + 1) / size;
    uint64_t wrong = 0;

    for (size_t at = from; at < to; at += MERGE_LEAF) {
        size_t count = to - at < MERGE_LEAF ? to - at : MERGE_LEAF;
        element *q = out_of(data + at, count, fill ? UAT_WRITE : UAT_READ), before = 0;
        if (!fill && at)
            uat_get(&before, data + at - 1, sizeof(before));
        for (size_t i = 0; i < count; i++) {
            if (fill)
                q[i] = random_element(at + i);
            wrong += !fill && q[i] < before;
            before = q[i];
        }
        back(data + at, count, fill ? UAT_WRITE : UAT_READ);
    }
    return wrong;
}

/* Fill, sort, check. *seconds: of the sort alone. 0 or a negative errno; -EPROTO: not sorted. */
static int sort_once(uat_atomic_t *wrong, double *seconds)
{
    each_share(true);
    int rc = uat_barrier();
    double begin = uat_moment_now().seconds;
    if (!rc)
        rc = cilksort_run(data, spare, (size_t)n);
    *seconds = uat_moment_now().seconds - begin;
    if (rc)
        return rc;
    uat_atomic_fetch_add(wrong, each_share(false));
    rc = uat_barrier();
    if (!rc && uat_atomic_load(wrong)) {
        if (uat_rank() == 0)
            fprintf(stderr, "uat-cilksort: the result is not sorted\n");
        rc = -EPROTO;
    }
    return rc;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    double best = 1e9, seconds;
    int rc = 0;

    data = uat_global_alloc((size_t)n * sizeof(*data), UAT_BLOCKED, 0);
    spare = uat_global_alloc((size_t)n * sizeof(*spare), UAT_BLOCKED, 0);
    uat_atomic_t *wrong = uat_global_alloc(sizeof(*wrong), UAT_BLOCKED, 0);
    if (!data || !spare || !wrong)
        return -ENOMEM;
    for (int64_t r = 0; r < rounds && !rc; r++) {
        rc = sort_once(wrong, &seconds);
        best = seconds < best ? seconds : best;
    }
    if (rc || uat_rank() > 0)
        return rc;
    if (!settings->json) {
        uat_bench_print_settings(bench, settings, stdout);
        printf("  %lld integers of 32 bits in %.4f s, the best of %lld\n", (long long)n, best, (long long)rounds);
        return 0;
    }
    json_object *object = json_object_new_object();
    rc = object ? 0 : -ENOMEM;
    if (!rc) {
        uat_bench_add_settings(object, bench, settings, &rc);
        uat_bench_add(object, "elements", json_object_new_int64(n), &rc);
        uat_bench_add(object, "seconds", json_object_new_double(best), &rc);
    }
    return uat_bench_print_object(object, rc, stdout);
}

static const struct uat_bench_option options[] = {
    {NULL, "N", "integers", &n, NULL, 1, 4e9},
    {"--rounds", "N", "times that random integers are sorted; the best one counts", &rounds, NULL, 1, 1000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-cilksort",
    .purpose = "Sort N random 32-bit integers in global memory by a merge sort with parallel merges.",
    .options = options,
    .measure = measure,
};
