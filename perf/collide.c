/* SPDX-License-Identifier: MIT */
/*
 * Do arrays evict each other from the first-level cache? For each pair x, y of the 16 arrays, the program applies a
 * rotation to y[i] and x[i + lag]. There are three kinds of arrays: global arrays; arrays of malloc(); and memory
 * mapped at multiples of 1 GiB plus k * --step. The kinds take turns. The third kind tries other placement rules. The
 * program runs on one worker. docs/global.md has figures.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/virtual.h"
#include "include/uat/global.h"
#include "perf/bench.h"
#include "perf/report.h"

enum { ARRAYS = 16, PAIRS = ARRAYS * (ARRAYS - 1), KINDS = 3, ROWS_MAX = 256, ROOM = 4 << 20 /* bytes for the lag */ };

#define APART (UINT64_C(1) << 30) /* bytes between arrays of the third kind */

static const char *const kinds[KINDS] = {"global", "malloc", "mapped"};
static int64_t least = 16 << 10, most = 1 << 20, most_lag = 2 << 20, rounds = 7, step = 0;
static double *array[KINDS][ARRAYS];
static char *mapping; /* the arrays of the third kind */

struct row {
    size_t bytes, lag;
    double median[KINDS], worst[KINDS]; /* bytes per cycle; median: over all pairs; worst: the minimum over all pairs */
};
static struct row rows[ROWS_MAX];
static int row_count;

/* Apply a rotation to x and y. It writes both arrays, so an evicted line must be written back and loaded again. */
static __attribute__((noinline)) void rotate(double *restrict y, double *restrict x, double a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += a * x[i];
        x[i] -= a * y[i];
    }
}

static size_t room(void)
{
    return (size_t)most + ROOM;
}

static int open_mapped(void)
{
    size_t size = (ARRAYS + 1) * APART + ARRAYS * (size_t)step + room();
    mapping = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return -errno;
    char *first = mapping + (-(uintptr_t)mapping & (APART - 1));
    for (int k = 0; k < ARRAYS; k++) {
        char *at = first + (size_t)k * (APART + (size_t)step), *page = at - ((uintptr_t)at & 4095);
        if (mprotect(page, room() + 4096, PROT_READ | PROT_WRITE))
            return -errno;
        array[2][k] = (double *)at;
    }
    return 0;
}

/* Make the arrays. Returns 0, UAT_BENCH_NO_ARRAY, or a negative errno after reporting the error. */
static int open_arrays(void)
{
    for (int k = 0; k < ARRAYS; k++) {
        array[0][k] = uat_global_alloc(room(), UAT_BLOCKED, 0);
        if (!array[0][k])
            return UAT_BENCH_NO_ARRAY;
    }
    int rc = open_mapped();
    for (int k = 0; k < ARRAYS && !rc; k++) {
        array[1][k] = malloc(room());
        if (!array[1][k])
            rc = -ENOMEM;
    }
    for (int kind = 0; kind < KINDS && !rc; kind++)
        for (int k = 0; k < ARRAYS; k++)
            memset(array[kind][k], 0, room());
    if (rc)
        fprintf(stderr, "uat-collide: no memory for %d arrays of %zu KiB\n", KINDS * ARRAYS, room() >> 10);
    return rc;
}

static void close_arrays(void)
{
    for (int k = 0; k < ARRAYS; k++)
        free(array[1][k]);
    if (mapping && mapping != MAP_FAILED)
        munmap(mapping, (ARRAYS + 1) * APART + ARRAYS * (size_t)step + room());
}

/* For all pairs, measure how many bytes are loaded and stored per cycle. The result of a pair is that of its best
 * round. The kinds take turns. */
static void measure_row(size_t bytes, size_t lag)
{
    static double rate[KINDS][PAIRS];
    struct row *r = &rows[row_count++];
    size_t n = bytes / sizeof(double);
    int pair = 0;

    for (int i = 0; i < ARRAYS; i++)
        for (int j = 0; j < ARRAYS; j++) {
            uint64_t best[KINDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
            for (int64_t round = 0; round < rounds * KINDS && i != j; round++) {
                int kind = (int)(round % KINDS);
                double *y = array[kind][i], *x = array[kind][j] + lag / sizeof(double);
                rotate(y, x, 0.5, n); /* loads both arrays into the caches */
                uint64_t begin = uat_counter();
                rotate(y, x, 0.5, n);
                uint64_t taken = uat_counter() - begin;
                best[kind] = taken < best[kind] ? taken : best[kind];
            }
            for (int kind = 0; kind < KINDS && i != j; kind++)
                rate[kind][pair] = 32.0 * (double)n / (double)(best[kind] ? best[kind] : 1); /* 0 in virtual time */
            pair += i != j;
        }
    *r = (struct row){.bytes = bytes, .lag = lag};
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(rate[kind], PAIRS, sizeof(double), uat_compare_reals);
        r->worst[kind] = rate[kind][0];
        r->median[kind] = rate[kind][PAIRS / 2];
    }
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    uat_report_begin(bench, settings);
    uat_report_line("pairs", "%d; bytes per cycle, median and worst of them", PAIRS);
    uat_report_line("    bytes       lag", "%16s %16s %16s %17s", kinds[0], kinds[1], kinds[2], "global / malloc");
    uat_report_list("rows");
    for (const struct row *r = rows; r < rows + row_count; r++) {
        char sizes[32];

        snprintf(sizes, sizeof(sizes), "%9zu %9zu", r->bytes, r->lag);
        uat_report_line(sizes, "%9.1f %6.1f %9.1f %6.1f %9.1f %6.1f %10.2f %6.2f", r->median[0], r->worst[0],
                        r->median[1], r->worst[1], r->median[2], r->worst[2], r->median[0] / r->median[1],
                        r->worst[0] / r->worst[1]);
        uat_report_object(NULL);
        uat_report_count("bytes", r->bytes);
        uat_report_count("lag", r->lag);
        for (int kind = 0; kind < KINDS; kind++) {
            uat_report_object(kinds[kind]);
            uat_report_real("median", r->median[kind]);
            uat_report_real("worst", r->worst[kind]);
            uat_report_close();
        }
        uat_report_close();
    }
    uat_report_close();
    uat_report_end();
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    if (uat_size() > 1) {
        fprintf(stderr, "uat-collide: it runs on one worker only\n");
        return -EINVAL;
    }
    int rc = open_arrays();
    for (size_t bytes = (size_t)least; bytes <= (size_t)most && !rc; bytes *= 8)
        for (size_t lag = 0; lag <= (size_t)most_lag; lag = lag ? 2 * lag : 4096)
            if (row_count < ROWS_MAX)
                measure_row(bytes, lag);
    if (!rc)
        report(bench, settings);
    close_arrays();
    return rc;
}

static const char *refuse(void)
{
    return step % 8 ? "--step must be a multiple of 8" : NULL;
}

static const struct uat_bench_option options[] = {
    {"--least", "BYTES", "that a pair works on in each array, at the start", &least, NULL, 64, 1 << 30},
    {"--most", "BYTES", "that it works on at the end; each step takes eight times as many", &most, NULL, 64, 1 << 30},
    {"--lag", "BYTES", "largest distance of the elements in the two arrays; 0, 4096 and its doubles are tried",
     &most_lag, NULL, 0, ROOM / 2},
    {"--rounds", "N", "times that each pair runs, of which the best counts", &rounds, NULL, 1, 1000},
    {"--step", "BYTES", "array number k that this process maps starts k times as far after a multiple of 1 GiB", &step,
     NULL, 0, 1 << 28},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-collide",
    .purpose = "Do arrays push each other out of the first-level cache? All pairs of 16 arrays.",
    .options = options,
    .refuse = refuse,
    .measure = measure,
};
