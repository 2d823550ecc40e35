/* SPDX-License-Identifier: MIT */
/*
 * What an access to global memory costs, near and far: checkouts, gets, puts, split-phase transfers, atomics, sweeps. Rank 0
 * measures, the others wait. Far memory is that of the last rank; it needs a second host, or UAT_GLOBAL_HOSTS.
 */
#include "perf/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "include/uat/global.h"
#include "perf/tsc.h"

enum { WINDOW_MAX = 64, SPLIT_MAX = 65536, ROUNDS_MAX = 1000, SINGLE_MAX = 100000, COPIED_BYTES = 16 << 20 };

static struct transfer_row rows[TRANSFER_ROWS_MAX];
static int row_count;
static int64_t operations = 2000, most = 1 << 20, far_mib = 64, under_way = WINDOW_MAX, rounds = 31, only = 0;
static char *array, *local, *copied;
static size_t chunk; /* bytes at each rank */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

typedef void act_fn(char *base, size_t bytes, int window, int64_t count);

static void checkout_hit(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++) {
        __asm__ volatile("" : "+r"(base)); /* each time from the beginning */
        uat_checkout(base, bytes, UAT_READ);
        __asm__ volatile("" : : : "memory"); /* the access */
        uat_checkin(base, bytes, UAT_READ);
    }
}

/* Each block is another one, so that the cache has none of them. */
static void checkout_miss(char *base, size_t bytes, int window, int64_t count)
{
    static size_t at;

    (void)window;
    for (int64_t i = 0; i < count; i++) {
        at += bytes > UAT_GLOBAL_BLOCK ? bytes : UAT_GLOBAL_BLOCK;
        if (at + bytes > chunk)
            at = 0;
        uat_checkout(base + at, bytes, UAT_READ);
        uat_checkin(base + at, bytes, UAT_READ);
    }
}

/* Two blocks in turn that want the same place of the cache: what is fetched is in the processor's own caches. */
static void checkout_warm(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++) {
        char *p = base + (size_t)(i % 2) * (chunk / 2);
        uat_checkout(p, bytes, UAT_READ);
        uat_checkin(p, bytes, UAT_READ);
    }
}

/* The yardstick of both: memcpy() over the same distances, between memory of this process. */
static void copy_cold(char *base, size_t bytes, int window, int64_t count)
{
    static size_t at;

    (void)window;
    for (int64_t i = 0; i < count; i++) {
        at = (at + bytes) % (chunk - bytes);
        memcpy(copied + at % COPIED_BYTES, base + at, bytes);
    }
}

static void copy_warm(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++)
        memcpy(copied, base + (size_t)(i % 2) * (chunk / 2), bytes);
}

static void get(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++)
        uat_get(local, base, bytes);
}

static void put(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++) {
        uat_put(base, local, bytes);
        uat_global_release();
    }
}

/* begin: uat_get_begin() with the arguments of uat_put_begin(). */
static void get_begin(uat_transfer_t *t, void *global, const void *buffer, size_t bytes)
{
    uat_get_begin(t, (void *)(uintptr_t)buffer, global, bytes);
}

static void split(char *base, size_t bytes, int window, int64_t count,
                  void (*begin)(uat_transfer_t *, void *, const void *, size_t))
{
    uat_transfer_t transfer[WINDOW_MAX];

    for (int64_t i = 0; i < count; i++) {
        int k = (int)(i % window);
        if (i >= window)
            uat_transfer_wait(&transfer[k]);
        begin(&transfer[k], base + (size_t)k * bytes, local + (size_t)k * bytes, bytes);
    }
    for (int64_t i = count < window ? 0 : count - window; i < count; i++)
        uat_transfer_wait(&transfer[i % window]);
}

static void get_split(char *base, size_t bytes, int window, int64_t count)
{
    split(base, bytes, window, count, get_begin);
}

/* A window of puts to as many places, then a release. */
static void put_split(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i += window) {
        split(base, bytes, window, window, uat_put_begin);
        uat_global_release();
    }
}

static void fetch_add(char *base, size_t bytes, int window, int64_t count)
{
    (void)bytes, (void)window;
    for (int64_t i = 0; i < count; i++)
        uat_atomic_fetch_add((uat_atomic_t *)base, 1);
}

static void cmp_swap(char *base, size_t bytes, int window, int64_t count)
{
    (void)bytes, (void)window;
    for (int64_t i = 0; i < count; i++)
        uat_atomic_cmp_swap((uat_atomic_t *)base, (uint64_t)i, (uint64_t)i + 1);
}

static void load(char *base, size_t bytes, int window, int64_t count)
{
    (void)bytes, (void)window;
    for (int64_t i = 0; i < count; i++)
        uat_atomic_load((const uat_atomic_t *)base);
}

/* Additions that nobody waits for, then a release. */
static void add(char *base, size_t bytes, int window, int64_t count)
{
    (void)bytes;
    for (int64_t i = 0; i < count; i++) {
        uat_atomic_add((uat_atomic_t *)base + i % window, 1);
        if ((i + 1) % window == 0)
            uat_global_release();
    }
    uat_global_release();
}

/* Read everything once. */
static void sweep_read(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++)
        for (size_t at = 0; at + bytes <= chunk; at += bytes) {
            const uint64_t *q = uat_checkout(base + at, bytes, UAT_READ);
            uint64_t sum = 0;
            for (size_t k = 0; k < bytes / 8; k++)
                sum += q[k];
            __asm__ volatile("" : : "r"(sum));
            uat_checkin(base + at, bytes, UAT_READ);
        }
}

static void sweep_write(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++) {
        for (size_t at = 0; at + bytes <= chunk; at += bytes) {
            memset(uat_checkout(base + at, bytes, UAT_WRITE), (int)at, bytes);
            uat_checkin(base + at, bytes, UAT_WRITE);
        }
        uat_global_release();
    }
}

/* Of n operations or series: the medians, and the least. */
static void median_of(struct transfer_row *r, double *seconds, double *cycles, size_t n)
{
    qsort(seconds, n, sizeof(seconds[0]), ascending);
    qsort(cycles, n, sizeof(cycles[0]), ascending);
    r->nanoseconds = seconds[n / 2] * 1e9;
    r->cycles = cycles[n / 2];
    r->least = cycles[0];
}

/* Each operation alone, and the median of ten times as many as in a series: what one waits for it. Only where that is long
 * beside two looks at the clock. */
static void measure_single(struct transfer_row *r, act_fn *act, char *base, int64_t count)
{
    static double seconds[SINGLE_MAX], cycles[SINGLE_MAX];
    size_t n = count < SINGLE_MAX ? (size_t)count : SINGLE_MAX;

    for (size_t i = 0; i < n; i++) {
        struct uat_moment begin = uat_moment_now();
        act(base, r->bytes, r->window, 1);
        struct uat_moment end = uat_moment_now();
        seconds[i] = end.seconds - begin.seconds;
        cycles[i] = (double)(end.cycles - begin.cycles);
    }
    median_of(r, seconds, cycles, n);
}

/* n series of operations, and the median of the series. */
static void measure_series(struct transfer_row *r, act_fn *act, char *base, int64_t count, int n)
{
    double seconds[ROUNDS_MAX], cycles[ROUNDS_MAX];

    for (int i = 0; i < n; i++) {
        struct uat_moment begin = uat_moment_now();
        act(base, r->bytes, r->window, count);
        struct uat_moment end = uat_moment_now();
        seconds[i] = (end.seconds - begin.seconds) / (double)count;
        cycles[i] = (double)(end.cycles - begin.cycles) / (double)count;
    }
    median_of(r, seconds, cycles, (size_t)n);
}

enum where { BOTH, FAR, NEAR };

struct series {
    const char *name;
    act_fn *act;
    size_t least, most, times; /* bytes: from, to, and how many times more at each step */
    int window;                /* from 1 to it */
    enum where where;
    bool single; /* each operation by itself, where it is far */
    bool sweeps; /* one is all of the memory */
};

static const struct series all[] = {
    {"checkout, hit", checkout_hit, 64, 65536, 32, 1, BOTH, false, false},
    {"checkout, miss", checkout_miss, 4096, 1 << 20, 4, 1, FAR, true, false},
    {"miss, warm", checkout_warm, UAT_GLOBAL_BLOCK, UAT_GLOBAL_BLOCK, 2, 1, FAR, false, false},
    {"memcpy", copy_cold, UAT_GLOBAL_BLOCK, UAT_GLOBAL_BLOCK, 2, 1, NEAR, false, false},
    {"memcpy, warm", copy_warm, UAT_GLOBAL_BLOCK, UAT_GLOBAL_BLOCK, 2, 1, NEAR, false, false},
    {"get", get, 8, 1 << 20, 4, 1, BOTH, true, false},
    {"put, release", put, 8, 1 << 20, 4, 1, BOTH, true, false},
    {"get, split", get_split, 8, SPLIT_MAX, 8, WINDOW_MAX, BOTH, false, false},
    {"put, split", put_split, 8, SPLIT_MAX, 8, WINDOW_MAX, BOTH, false, false},
    {"fetch_add", fetch_add, 8, 8, 2, 1, BOTH, true, false},
    {"cmp_swap", cmp_swap, 8, 8, 2, 1, BOTH, true, false},
    {"load", load, 8, 8, 2, 1, BOTH, true, false},
    {"add, release", add, 8, 8, 2, WINDOW_MAX, BOTH, false, false},
    {"sweep, read", sweep_read, 4096, 1 << 18, 8, 1, BOTH, false, true},
    {"sweep, write", sweep_write, 4096, 1 << 18, 8, 1, BOTH, false, true},
};

enum { SERIES = sizeof(all) / sizeof(all[0]) };

/* Operations of one series: less where they move much. */
static int64_t count_for(const struct series *s, size_t bytes, int window)
{
    int64_t count = s->sweeps ? 1 : operations / (int64_t)(1 + bytes / 8192);

    count = count < 4 && !s->sweeps ? 4 : count;
    return (count + window - 1) / window * window;
}

static void measure_row(const struct series *s, bool far, size_t bytes, int window)
{
    char *base = far ? array + chunk * (size_t)(uat_size() - 1) : array;
    int64_t count = count_for(s, bytes, window);
    struct transfer_row *r = &rows[row_count++];

    *r = (struct transfer_row){.name = s->name, .far = far, .bytes = bytes, .window = window};
    s->act(base, bytes, window, s->sweeps ? 1 : (count / 10 + window) / window * window);
    if (s->single && far)
        measure_single(r, s->act, base, 10 * count);
    else
        measure_series(r, s->act, base, s->act == checkout_hit ? 10 * count : count,
                       s->sweeps ? (int)(rounds + 3) / 4 : (int)rounds);
    if (s->sweeps)
        bytes = chunk / bytes * bytes;
    if (r->nanoseconds > 0)
        r->mib_per_second = (double)bytes / r->nanoseconds * 1e9 / (1 << 20);
}

static void measure_all(bool far)
{
    for (const struct series *s = all; s < all + SERIES; s++) {
        if ((only && s != &all[only - 1]) || s->where == (far ? NEAR : FAR))
            continue;
        for (size_t bytes = s->least; bytes <= s->most && (int64_t)bytes <= most; bytes *= s->times)
            for (int window = 1; window <= s->window && window <= under_way;
                 window *= far || s->window < 2 ? 2 : s->window)
                if (row_count < TRANSFER_ROWS_MAX)
                    measure_row(s, far, bytes, window);
    }
}

/* By all ranks. One run of the flat loop is one of the rounds: the whole time, on all workers, over its iterations. */
static int measure_flat(bool far)
{
    double seconds[ROUNDS_MAX], cycles[ROUNDS_MAX];
    int64_t count = 20 * operations;

    for (int i = 0; i < rounds; i++) {
        struct uat_moment begin = uat_moment_now();
        int rc = transfer_flat_loop(array, chunk, count, far);
        struct uat_moment end = uat_moment_now();
        if (rc)
            return rc;
        seconds[i] = (end.seconds - begin.seconds) / (double)count;
        cycles[i] = (double)(end.cycles - begin.cycles) / (double)count;
    }
    struct transfer_row *r = &rows[row_count++];
    *r = (struct transfer_row){.name = "flat loop", .far = far, .bytes = 8, .window = 1};
    median_of(r, seconds, cycles, (size_t)rounds);
    return 0;
}

/* Near, then far, if there are far ones as rank 0 sees it. */
static int measure_places(void)
{
    bool has_far = uat_global_near(array + chunk * (size_t)(uat_size() - 1), 1) == 0;
    bool *agreed = uat_replicate(&has_far, sizeof(has_far));
    int rc = agreed ? uat_barrier() : -ENOMEM;

    for (int far = 0; far <= 1 && !rc && (!far || *agreed); far++) {
        if (uat_rank() == 0)
            measure_all(far);
        if (!only)
            rc = measure_flat(far);
    }
    uat_replicate_free(agreed);
    return rc;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    int rc = uat_global_open();
    size_t cache = rc || uat_checkout_limit() == SIZE_MAX ? 0 : 4 * uat_checkout_limit();

    if (rc)
        return rc;
    chunk = (size_t)far_mib << 20;
    if (chunk < 2 * cache) /* or the cache would hold what should be missed */
        chunk = 2 * cache;
    array = uat_global_alloc(chunk * (size_t)uat_size(), UAT_BLOCKED, 0);
    local = calloc(WINDOW_MAX + 1, SPLIT_MAX);
    copied = malloc(COPIED_BYTES);
    if (!array || !local || !copied)
        return -ENOMEM;
    memset(copied, 1, COPIED_BYTES);
    memset(array + chunk * (size_t)uat_rank(), 1, chunk); /* near */
    rc = uat_barrier();
    rc = rc ? rc : measure_places();
    if (uat_rank() == 0 && !rc)
        rc = transfer_report(bench, settings, rows, row_count);
    free(local);
    free(copied);
    int left = uat_barrier();
    return rc ? rc : left;
}

static const struct uat_bench_option options[] = {
    {"--ops", "N", "operations of each series, fewer where they are large", &operations, NULL, 100, 1e9},
    {"--most", "BYTES", "largest operation; 8 leaves latencies alone", &most, NULL, 8, 1 << 20},
    {"--only", "N", "the N-th operation of the table alone; 0: all", &only, NULL, 0, SERIES},
    {"--rounds", "N", "series of each kind, of which the median counts; of sweeps a quarter", &rounds, NULL, 1,
     ROUNDS_MAX},
    {"--under-way", "N", "most operations under way", &under_way, NULL, 1, WINDOW_MAX},
    {"--far-mib", "MIB", "memory of each worker; at least twice its cache", &far_mib, NULL, 1, 1 << 20},
    {0},
};

static const struct uat_bench bench = {
    .program = "uat-transfer",
    .purpose = "What accesses to global memory cost: checkouts, gets, puts, atomics, sweeps, near and far.",
    .options = options,
    .measure = measure,
    .also = "\nuat-transfer --plot FILE.svg A.json [B.json ...]\n"
            "            latencies and rates of far operations by size, of reports made with --json; needs gnuplot\n",
};

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "--plot") == 0)
        return transfer_plot(argc - 2, argv + 2);
    return uat_bench_main(&bench, argc, argv);
}
