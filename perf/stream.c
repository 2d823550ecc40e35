/* SPDX-License-Identifier: MIT */
/*
 * The four kernels of STREAM (McCalpin) over global arrays, and the triad of four arrays (Schoenauer). The kernels use
 * near arrays in place. They use far arrays in two ways: through the cache, and by get and put. Arrays of malloc()
 * serve for comparison. Each worker has its part of each array, and all workers work at the same time. The kinds of
 * memory, called places, take turns. perf/measure rivals runs the same kernels as parallel loops, with oneTBB and
 * OpenMP.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "include/uat/global.h"
#include "include/uat/transfer.h"
#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/report.h"

enum { COPY, SCALE, ADD, TRIAD, TRIAD4, KERNELS };
enum { PLAIN, NEAR, CACHED, PIPELINED, PLACES };
enum { ARRAYS = 4, ROUNDS_MAX = 1000, BUFFERS = 2 /* blocks of the pipeline that are in flight or being computed */ };

static const char *const kernels[KERNELS] = {"copy", "scale", "add", "triad", "triad4"};
static const char *const places[PLACES] = {"malloc", "near", "far, cache", "far, get/put"};
static const int moved[KERNELS] = {2, 2, 3, 3, 4}; /* elements loaded and stored per iteration */
static int64_t kib = 16384, rounds = 7, block_kib = 64;
static double *plain[ARRAYS], *near_part[ARRAYS], *far_part[ARRAYS]; /* this worker's parts */
static double *buffer[BUFFERS][ARRAYS];
static double rate[KERNELS][PLACES][ROUNDS_MAX]; /* bytes per nanosecond, of all workers together */
static bool has_far;

/* A kernel. All places use this one function, so that they run the same code. */
static __attribute__((noinline)) void work(int kernel, double *restrict a, const double *restrict b,
                                           const double *restrict c, const double *restrict d, size_t n)
{
    for (size_t i = 0; kernel == COPY && i < n; i++)
        a[i] = b[i];
    for (size_t i = 0; kernel == SCALE && i < n; i++)
        a[i] = 3 * b[i];
    for (size_t i = 0; kernel == ADD && i < n; i++)
        a[i] = b[i] + c[i];
    for (size_t i = 0; kernel == TRIAD && i < n; i++)
        a[i] = b[i] + 3 * c[i];
    for (size_t i = 0; kernel == TRIAD4 && i < n; i++)
        a[i] = b[i] + c[i] * d[i];
}

static size_t elements(void)
{
    return ((size_t)kib << 10) / sizeof(double);
}

static size_t block(void)
{
    return ((size_t)block_kib << 10) / sizeof(double);
}

/* The number of elements of the block that starts at i; 0 after the last block. */
static size_t block_at(size_t i)
{
    return i >= elements() ? 0 : elements() - i < block() ? elements() - i : block();
}

static void work_cached(int kernel)
{
    double *const *g = far_part;
    for (size_t i = 0, n; (n = block_at(i)) > 0; i += n) {
        size_t next = block_at(i + n) * sizeof(double), bytes = n * sizeof(double);
        for (int k = 1; k < moved[kernel]; k++)
            uat_global_prefetch(g[k] + i + n, next);
        double *p[ARRAYS] = {NULL};
        for (int k = 0; k < moved[kernel]; k++)
            p[k] = uat_global_checkout(g[k] + i, bytes, k ? UAT_READ : UAT_WRITE);
        work(kernel, p[0], p[1], p[2], p[3], n);
        for (int k = moved[kernel] - 1; k >= 0; k--)
            uat_global_checkin(g[k] + i, bytes, k ? UAT_READ : UAT_WRITE);
    }
    uat_global_release();
}

/* For the block that starts at i: start to get the sources into the block's buffers. */
static void get_begin(int kernel, uat_global_transfer_t *t, double *const *to, size_t i)
{
    for (int k = 1; k < moved[kernel]; k++)
        uat_global_get_begin(&t[k], to[k], far_part[k] + i, block_at(i) * sizeof(double));
}

/* Compute one block while the next one is fetched and the previous one is written back. */
static void work_pipelined(int kernel)
{
    uat_global_transfer_t got[BUFFERS][ARRAYS], put[BUFFERS];
    size_t number = 0;
    get_begin(kernel, got[0], buffer[0], 0);
    for (size_t i = 0, n; (n = block_at(i)) > 0; i += n, number++) {
        size_t this = number % BUFFERS, next = (number + 1) % BUFFERS;
        if (block_at(i + n))
            get_begin(kernel, got[next], buffer[next], i + n);
        for (int k = 1; k < moved[kernel]; k++)
            uat_global_transfer_wait(&got[this][k]);
        if (number >= BUFFERS)
            uat_global_transfer_wait(&put[this]);
        double *const *p = buffer[this];
        work(kernel, p[0], p[1], p[2], p[3], n);
        uat_global_put_begin(&put[this], far_part[0] + i, buffer[this][0], n * sizeof(double));
    }
    for (size_t left = number < BUFFERS ? number : BUFFERS; left > 0; left--)
        uat_global_transfer_wait(&put[(number - left) % BUFFERS]);
    uat_global_release();
}

static void run(int kernel, int place)
{
    if (place == CACHED)
        work_cached(kernel);
    else if (place == PIPELINED)
        work_pipelined(kernel);
    else {
        double *const *p = place == PLAIN ? plain : near_part;
        work(kernel, p[0], p[1], p[2], p[3], elements());
    }
}

/* Measure one kernel at one place: the time of the slowest worker. Returns 0 or a negative errno. */
static int measure_one(int kernel, int place, int64_t round)
{
    struct uat_gathered ns;
    int rc = uat_barrier();
    uint64_t begin = uat_time_ns();
    if (!rc)
        run(kernel, place);
    uint64_t taken = uat_time_ns() - begin;
    if (!rc)
        rc = uat_gather(taken ? taken : 1, &ns);
    if (!rc && round >= 0)
        rate[kernel][place][round] = (double)((size_t)moved[kernel] * (size_t)kib << 10) * uat_size() / (double)ns.most;
    return rc;
}

/* One round: all kernels at all places in turn. Round -1 is the warm-up. */
static int measure_all(void)
{
    int rc = 0;
    for (int64_t round = -1; round < rounds; round++)
        for (int kernel = 0; kernel < KERNELS; kernel++)
            for (int place = 0; place < (has_far ? PLACES : CACHED) && !rc; place++)
                rc = measure_one(kernel, place, round);
    return rc;
}

/* Check the last kernel's result. Another worker has written this worker's far parts. Returns 0, or -EPROTO after
 * reporting the error. */
static int check(void)
{
    for (size_t i = 0; i < elements(); i++)
        if (plain[0][i] != plain[1][i] + plain[2][i] * plain[3][i] ||
            near_part[0][i] != near_part[1][i] + near_part[2][i] * near_part[3][i]) {
            fprintf(stderr, "uat-stream: element %zu is wrong on rank %d\n", i, uat_rank());
            return -EPROTO;
        }
    return 0;
}

/* Make the arrays. Returns 0, UAT_BENCH_NO_ARRAY, or a negative errno after reporting the error. */
static int open_arrays(void)
{
    size_t bytes = (size_t)kib << 10;
    int other = (uat_rank() + (uat_size() + 1) / 2) % uat_size(), rc = 0;
    for (int k = 0; k < ARRAYS; k++) {
        double *all = uat_global_alloc(bytes * (size_t)uat_size(), UAT_BLOCKED, 0);
        if (!all)
            return UAT_BENCH_NO_ARRAY;
        near_part[k] = all + elements() * (size_t)uat_rank();
        far_part[k] = all + elements() * (size_t)other;
        plain[k] = malloc(bytes);
        for (int i = 0; i < BUFFERS; i++)
            if (!(buffer[i][k] = malloc((size_t)block_kib << 10)))
                rc = -ENOMEM;
        if (!plain[k])
            rc = -ENOMEM;
    }
    for (int k = 0; k < ARRAYS && !rc; k++)
        for (size_t i = 0; i < elements(); i++)
            plain[k][i] = near_part[k][i] = (double)(k + 1);
    if (rc)
        fprintf(stderr, "uat-stream: no memory on rank %d\n", uat_rank());
    struct uat_gathered far;
    int left = uat_gather(uat_global_near(far_part[0], 1) == 0, &far);
    has_far = !left && far.least == 1;
    return rc ? rc : left;
}

static void close_arrays(void)
{
    for (int k = 0; k < ARRAYS; k++) {
        free(plain[k]);
        for (int i = 0; i < BUFFERS; i++)
            free(buffer[i][k]);
    }
}

struct spread {
    double median, least, most;
};

/* The minimum, median and maximum of a place's rates. If `quotient`, first divide each rate by the same round's rate on
 * malloc()'s memory. */
static struct spread spread_of(int kernel, int place, bool quotient)
{
    static double values[ROUNDS_MAX];
    for (int64_t i = 0; i < rounds; i++)
        values[i] = rate[kernel][place][i] / (quotient ? rate[kernel][PLAIN][i] : 1);
    qsort(values, (size_t)rounds, sizeof(values[0]), uat_compare_reals);
    return (struct spread){values[rounds / 2], values[0], values[rounds - 1]};
}

static void add_spread(const char *name, struct spread s)
{
    uat_report_object(name);
    uat_report_real("median", s.median);
    uat_report_real("least", s.least);
    uat_report_real("most", s.most);
    uat_report_close();
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    uat_report_begin(bench, settings);
    uat_report_line("kernel", "%-13s %29s %26s", "memory", "GB/s, least and greatest", "over malloc's");
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        uat_report_object(kernels[kernel]);
        for (int place = 0; place < (has_far ? PLACES : CACHED); place++) {
            struct spread r = spread_of(kernel, place, false), q = spread_of(kernel, place, true);
            uat_report_line(kernels[kernel], "%-13s %9.2f %9.2f %9.2f %9.3f %8.3f %8.3f", places[place], r.median,
                            r.least, r.most, q.median, q.least, q.most);
            uat_report_object(places[place]);
            add_spread("gb_per_second", r);
            add_spread("over_malloc", q);
            uat_report_close();
        }
        uat_report_close();
    }
    uat_report_end();
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    int rc = open_arrays();
    if (!rc)
        rc = measure_all();
    if (!rc)
        rc = uat_barrier();
    if (!rc)
        rc = check();
    if (uat_rank() == 0 && !rc)
        report(bench, settings);
    close_arrays();
    return rc;
}

static const char *refuse(void)
{
    return kib % 64 ? "--kib must be a multiple of 64" : NULL;
}

static const struct uat_bench_option options[] = {
    {"--kib", "KIB", "of each array on each worker, a multiple of 64", &kib, NULL, 64, 1 << 24},
    {"--block", "KIB", "far memory is worked on in blocks of that", &block_kib, NULL, 1, 1 << 14},
    {"--rounds", "N", "times that each kernel runs on each memory, in turn", &rounds, NULL, 1, ROUNDS_MAX},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-stream",
    .purpose = "Copy, scale, add and triads over global memory, near and far, beside malloc's.",
    .options = options,
    .refuse = refuse,
    .measure = measure,
};
