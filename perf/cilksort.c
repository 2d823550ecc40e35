/* SPDX-License-Identifier: MIT */
/* Sort N random integers of 32 or 64 bits in global memory. The leaves are sorted by radix or by comparisons. */
#include "perf/cilksort.h"

#include <errno.h>
#include <stdio.h>

#include "include/uat/global.h"
#include "perf/bench.h"
#include "perf/report.h"
#include "perf/tsc.h"

static int64_t n = 10000000, rounds = 3, bits = 32, by_comparisons;
static void *data, *spare;

struct totals {
    /* wrong: elements out of order. before, after: the sum of all elements before and after the sort. */
    uat_atomic_t wrong, before, after;
};

/* Fill, sort, check. *seconds: time of the sort alone. Returns 0 or a negative errno. -EPROTO means that the result is
 * not sorted. */
static int sort_once(const struct uat_cilksort *cilksort, struct totals *totals, double *seconds)
{
    size_t size = (size_t)uat_size(), rank = (size_t)uat_rank(), from = (size_t)n * rank / size,
           to = (size_t)n * (rank + 1) / size;
    uat_atomic_fetch_add(&totals->before, cilksort->fill(data, from, to));
    int rc = uat_barrier();
    double begin = uat_moment_now().seconds;
    if (!rc)
        rc = cilksort->sort(data, spare, (size_t)n, !by_comparisons);
    *seconds = uat_moment_now().seconds - begin;
    if (rc)
        return rc;
    uint64_t sum;
    uat_atomic_fetch_add(&totals->wrong, cilksort->check(data, from, to, &sum));
    uat_atomic_fetch_add(&totals->after, sum);
    rc = uat_barrier();
    if (!rc &&
        (uat_atomic_load(&totals->wrong) || uat_atomic_load(&totals->before) != uat_atomic_load(&totals->after))) {
        if (uat_rank() == 0)
            fprintf(stderr, "uat-cilksort: the result is not sorted, or has other elements than the input\n");
        rc = -EPROTO;
    }
    int left = uat_barrier(); /* now every worker has read the totals */
    return rc ? rc : left;
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings, double best)
{
    const char *leaves = by_comparisons ? "comparisons" : "radix";

    uat_report_begin(bench, settings);
    uat_report_count("elements", (uint64_t)n);
    uat_report_count("bits", (uint64_t)bits);
    uat_report_text("leaves", leaves);
    uat_report_real("seconds", best);
    uat_report_line("seconds", "%.4f, the best of %lld", best, (long long)rounds);
    uat_report_line("sorted", "%lld integers of %lld bits, leaves by %s", (long long)n, (long long)bits, leaves);
    uat_report_end();
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    const struct uat_cilksort *cilksort = bits == 32 ? &uat_cilksort_32 : &uat_cilksort_64;
    double best = 1e9, seconds;
    int rc = 0;

    struct totals *totals = NULL;
    if (!(data = uat_global_alloc((size_t)n * cilksort->size, UAT_BLOCKED, 0)) ||
        !(spare = uat_global_alloc((size_t)n * cilksort->size, UAT_BLOCKED, 0)) ||
        !(totals = uat_global_alloc(sizeof(*totals), UAT_BLOCKED, 0)))
        return UAT_BENCH_NO_ARRAY;
    for (int64_t r = 0; r < rounds && !rc; r++) {
        rc = sort_once(cilksort, totals, &seconds);
        best = seconds < best ? seconds : best;
    }
    if (!rc && uat_rank() == 0)
        report(bench, settings, best);
    return rc;
}

static const char *refuse(void)
{
    return bits == 32 || bits == 64 ? NULL : "--bits is 32 or 64";
}

static const struct uat_bench_option options[] = {
    {NULL, "N", "integers", &n, NULL, 1, 4e9},
    {"--bits", "N", "bits of an integer: 32 or 64", &bits, NULL, 32, 64},
    {"--comparisons", "0|1", "1: sort leaves by comparisons, not by radix", &by_comparisons, NULL, 0, 1},
    {"--rounds", "N", "times that random integers are sorted; the best one counts", &rounds, NULL, 1, 1000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-cilksort",
    .purpose = "Sort N random integers in global memory by a merge sort with parallel merges.",
    .options = options,
    .refuse = refuse,
    .measure = measure,
};
