/* SPDX-License-Identifier: MIT */
/*
 * What an access to global memory costs, near and far: checkouts, gets, puts, atomics, sweeps. Rank 0 measures, the others wait.
 * Far memory is that of the last rank; it needs a second host, or UAT_GLOBAL_HOSTS.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "include/uat/global.h"
#include "perf/bench.h"
#include "perf/tsc.h"

enum { ROWS_MAX = 128, WINDOW_MAX = 64, FAR_BYTES = 64 << 20, COPIED_BYTES = 16 << 20, REPEATS = 31 };

struct row {
    const char *name;
    bool far;
    size_t bytes;
    int window;
    double nanoseconds, cycles, least, mib_per_second; /* of one operation; medians of REPEATS, and the least cycles */
};

static struct row rows[ROWS_MAX];
static int row_count;
static int64_t operations = 2000;
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
        at = (at + (bytes > UAT_GLOBAL_BLOCK ? bytes : UAT_GLOBAL_BLOCK)) % (FAR_BYTES - bytes);
        at -= at % UAT_GLOBAL_BLOCK;
        uat_checkout(base + at, bytes, UAT_READ);
        uat_checkin(base + at, bytes, UAT_READ);
    }
}

/* Two blocks in turn that want the same place of the cache: what is fetched is in the processor's own caches. */
static void checkout_warm(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++) {
        char *p = base + (size_t)(i % 2) * (FAR_BYTES / 2);
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
        at = (at + bytes) % FAR_BYTES;
        memcpy(copied + at % COPIED_BYTES, base + at, bytes);
    }
}

static void copy_warm(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++)
        memcpy(copied, base + (size_t)(i % 2) * (FAR_BYTES / 2), bytes);
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

static void get_window(char *base, size_t bytes, int window, int64_t count)
{
    uat_transfer_t transfer[WINDOW_MAX];

    for (int64_t i = 0; i < count; i++) {
        int k = (int)(i % window);
        if (i >= window)
            uat_transfer_wait(&transfer[k]);
        uat_get_begin(&transfer[k], local + (size_t)k * bytes, base + (size_t)k * bytes, bytes);
    }
    for (int64_t i = count < window ? 0 : count - window; i < count; i++)
        uat_transfer_wait(&transfer[i % window]);
}

static void fetch_add(char *base, size_t bytes, int window, int64_t count)
{
    (void)bytes;
    (void)window;
    for (int64_t i = 0; i < count; i++)
        uat_atomic_fetch_add((uat_atomic_t *)base, 1);
}

/* Read everything once, 64 KiB at a time. */
static void sweep(char *base, size_t bytes, int window, int64_t count)
{
    (void)window;
    for (int64_t i = 0; i < count; i++)
        for (size_t at = 0; at < FAR_BYTES; at += bytes) {
            const uint64_t *q = uat_checkout(base + at, bytes, UAT_READ);
            uint64_t sum = 0;
            for (size_t k = 0; k < bytes / 8; k++)
                sum += q[k];
            __asm__ volatile("" : : "r"(sum));
            uat_checkin(base + at, bytes, UAT_READ);
        }
}

static void add_row(const char *name, bool far, size_t bytes, int window, double *seconds, double *cycles)
{
    qsort(seconds, REPEATS, sizeof(seconds[0]), ascending);
    qsort(cycles, REPEATS, sizeof(cycles[0]), ascending);
    double middle = seconds[REPEATS / 2];
    rows[row_count++] = (struct row){
        name, far, bytes, window, middle * 1e9, cycles[REPEATS / 2], cycles[0], (double)bytes / middle / (1 << 20)};
}

static void measure_row(const char *name, act_fn *act, bool far, size_t bytes, int window, int64_t count)
{
    double seconds[REPEATS], cycles[REPEATS];
    char *base = far ? array + chunk * (size_t)(uat_size() - 1) : array;

    act(base, bytes, window, count / 10 + 1);
    for (int i = 0; i < REPEATS; i++) {
        struct uat_moment begin = uat_moment_now();
        act(base, bytes, window, count);
        struct uat_moment end = uat_moment_now();
        seconds[i] = (end.seconds - begin.seconds) / (double)count;
        cycles[i] = (double)(end.cycles - begin.cycles) / (double)count;
    }
    add_row(name, far, bytes, window, seconds, cycles);
    if (act == sweep) /* over FAR_BYTES, in pieces of `bytes` */
        rows[row_count - 1].mib_per_second *= (double)FAR_BYTES / (double)bytes;
}

/* A child of the flat loop: 8 bytes that are far from wherever it runs, or near. */
UAT_TASK_VOID(touch, int64_t, i, int, far)
{
    char *p = array + chunk * (size_t)((uat_rank() + (far ? uat_size() / 2 : 0)) % uat_size()) + (size_t)i * 8 % chunk;

    *(int64_t *)uat_checkout(p, 8, UAT_WRITE) = i;
    uat_checkin(p, 8, UAT_WRITE);
}

UAT_TASK_VOID(flat, int64_t, n, int, far)
{
    for (int64_t i = 0; i < n; i++) {
        touch_task task;
        touch_spawn(&task, i, far);
        touch_join(&task);
    }
}

/* By all ranks. One run is one repetition: the loop's whole time, on all workers, over its iterations. */
static int measure_flat(bool far)
{
    double seconds[REPEATS], cycles[REPEATS];
    int64_t count = 20 * operations;

    for (int i = 0; i < REPEATS; i++) {
        struct uat_moment begin = uat_moment_now();
        int rc = flat_run(count, far);
        struct uat_moment end = uat_moment_now();
        if (rc)
            return rc;
        seconds[i] = (end.seconds - begin.seconds) / (double)count;
        cycles[i] = (double)(end.cycles - begin.cycles) / (double)count;
    }
    add_row("flat loop", far, 8, 1, seconds, cycles);
    return 0;
}

static void measure_all(bool far)
{
    int64_t n = operations;

    measure_row("checkout hit", checkout_hit, far, 64, 1, 10 * n);
    for (size_t bytes = 4096; far && bytes <= 1 << 20; bytes *= 4)
        measure_row("checkout miss", checkout_miss, far, bytes, 1, 1 + n / (int64_t)(bytes / 256));
    if (far)
        measure_row("miss, warm", checkout_warm, far, UAT_GLOBAL_BLOCK, 1, 1 + n / 16);
    else
        measure_row("memcpy", copy_cold, far, UAT_GLOBAL_BLOCK, 1, 1 + n / 16);
    if (!far)
        measure_row("memcpy, warm", copy_warm, far, UAT_GLOBAL_BLOCK, 1, 1 + n / 16);
    for (size_t bytes = 8; bytes <= 65536; bytes *= 8)
        measure_row("get", get, far, bytes, 1, n);
    for (size_t bytes = 8; bytes <= 65536; bytes *= 8)
        measure_row("put, release", put, far, bytes, 1, n);
    for (int window = 1; window <= WINDOW_MAX; window *= 4)
        measure_row("get, split", get_window, far, 64, window, n);
    measure_row("fetch_add", fetch_add, far, 8, 1, n);
    measure_row("sweep", sweep, far, UAT_GLOBAL_BLOCK, 1, 1);
}

static void print_table(void)
{
    printf("  %-14s %-5s %9s %7s %12s %12s %12s %10s\n", "operation", "where", "bytes", "window", "ns", "cycles",
           "least", "MiB/s");
    for (const struct row *r = rows; r < rows + row_count; r++)
        printf("  %-14s %-5s %9zu %7d %12.1f %12.1f %12.1f %10.0f\n", r->name, r->far ? "far" : "near", r->bytes,
               r->window, r->nanoseconds, r->cycles, r->least, r->mib_per_second);
}

static int print_json(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    json_object *object = json_object_new_object(), *list = json_object_new_array();
    int status = object && list ? 0 : -ENOMEM;

    for (const struct row *r = rows; r < rows + row_count && !status; r++) {
        json_object *one = json_object_new_object();
        if (!one || json_object_array_add(list, one) < 0) {
            json_object_put(one);
            status = -ENOMEM;
            break;
        }
        uat_bench_add(one, "operation", json_object_new_string(r->name), &status);
        uat_bench_add(one, "where", json_object_new_string(r->far ? "far" : "near"), &status);
        uat_bench_add(one, "bytes", json_object_new_int64((int64_t)r->bytes), &status);
        uat_bench_add(one, "window", json_object_new_int(r->window), &status);
        uat_bench_add(one, "ns", json_object_new_double(r->nanoseconds), &status);
        uat_bench_add(one, "cycles", json_object_new_double(r->cycles), &status);
        uat_bench_add(one, "cycles_least", json_object_new_double(r->least), &status);
        uat_bench_add(one, "mib_per_second", json_object_new_double(r->mib_per_second), &status);
    }
    if (!status) {
        uat_bench_add_settings(object, bench, settings, &status);
        uat_bench_add(object, "rows", list, &status);
        list = NULL;
    }
    json_object_put(list);
    return uat_bench_print_object(object, status, stdout);
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    int rc = 0;

    chunk = FAR_BYTES;
    array = uat_global_alloc(chunk * (size_t)uat_size(), UAT_BLOCKED, 0);
    local = calloc(WINDOW_MAX, 65536);
    copied = malloc(COPIED_BYTES);
    if (!array || !local || !copied)
        return -ENOMEM;
    memset(copied, 1, COPIED_BYTES);
    memset(array + chunk * (size_t)uat_rank(), 1, chunk); /* near */
    bool has_far = uat_global_near(array + chunk * (size_t)(uat_size() - 1), 1) == 0;
    bool *agreed = uat_replicate(&has_far, sizeof(has_far)); /* as rank 0 sees it */
    rc = agreed ? uat_barrier() : -ENOMEM;
    for (int far = 0; far <= 1 && !rc && (!far || *agreed); far++) {
        if (uat_rank() == 0)
            measure_all(far);
        rc = measure_flat(far);
    }
    if (uat_rank() == 0 && !rc) {
        if (settings->json) {
            rc = print_json(bench, settings);
        } else {
            uat_bench_print_settings(bench, settings, stdout);
            print_table();
        }
    }
    free(local);
    free(copied);
    int left = uat_barrier();
    return rc ? rc : left;
}

static const struct uat_bench_option options[] = {
    {"--ops", "N", "operations of each series, more or fewer where they are short or long", &operations, NULL, 100,
     1e9},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-transfer",
    .purpose = "What accesses to global memory cost: checkouts, gets, puts, atomics, near and far.",
    .options = options,
    .measure = measure,
};
