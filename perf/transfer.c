/* SPDX-License-Identifier: MIT */
/*
 * The cost of an access to global memory, near and far: checkouts, gets, puts, split-phase transfers, atomics, sweeps.
 * Rank 0 measures. The other ranks sleep, so that their hosts are idle. Far memory belongs to the last rank. The last
 * rank must be on a second host: a real one, or one by UAT_GLOBAL_HOSTS.
 */
#include "perf/transfer.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/virtual.h"
#include "include/uat/global.h"
#include "perf/report.h"
#include "perf/samples.h"
#include "perf/transfer_operations.h"

enum { ROUNDS_MAX = 1000, SINGLE_MAX = 100000 };

static struct transfer_row rows[TRANSFER_ROWS_MAX];
static int row_count;
static int64_t operations = 2000, most = 1 << 20, far_mib = 64, under_way = TRANSFER_WINDOW_MAX, rounds = 31, only = 0,
               alone = 0;
static char *array;
static size_t chunk;               /* bytes at each rank */
static char *bells;                /* one block per rank; rank 0 increases the block's first word to wake the rank */
static struct uat_samples samples; /* samples of the current row */
static double tsc_hz;

/* Fill in the row's median and minimum from the samples. */
static void take_samples(struct transfer_row *r)
{
    uat_samples_sort(&samples);
    r->cycles = uat_samples_quantile(&samples, 0.5);
    r->least = uat_samples_quantile(&samples, 0);
    r->nanoseconds = r->cycles / tsc_hz * 1e9;
}

/* Measure the latency: take one sample per operation. For use only if the latency is long compared with two reads of
 * the counter. */
static void measure_single(struct transfer_row *r, transfer_fn *act, char *base, int64_t count)
{
    samples.count = 0;
    samples.divisor = 1;
    for (int64_t i = 0; i < count && i < SINGLE_MAX; i++) {
        uint64_t begin = uat_counter();
        act(base, r->bytes, r->window, 1);
        uat_samples_add(&samples, uat_counter() - begin);
    }
    take_samples(r);
}

/* Take one sample for each of n series of operations. */
static void measure_series(struct transfer_row *r, transfer_fn *act, char *base, int64_t count, int64_t n)
{
    samples.count = 0;
    samples.divisor = (uint64_t)count;
    for (int64_t i = 0; i < n; i++) {
        uint64_t begin = uat_counter();
        act(base, r->bytes, r->window, count);
        uat_samples_add(&samples, uat_counter() - begin);
    }
    take_samples(r);
}

/* The number of operations in one series. Large operations get a shorter series. */
static int64_t count_for(const struct transfer_operation *s, size_t bytes, int window)
{
    int64_t count = s->sweeps ? 1 : operations / (int64_t)(1 + bytes / 8192);

    count = count < 4 && !s->sweeps ? 4 : count;
    return (count + window - 1) / window * window;
}

static void measure_row(const struct transfer_operation *s, bool far, size_t bytes, int window)
{
    char *base = far ? array + chunk * (size_t)(uat_size() - 1) : array;
    int64_t count = count_for(s, bytes, window);
    struct transfer_row *r = &rows[row_count++];

    *r = (struct transfer_row){.name = s->name, .far = far, .bytes = bytes, .window = window};
    int64_t untimed = s->where == TRANSFER_NEAR ? (int64_t)(chunk / UAT_GLOBAL_BLOCK) : count / 10 + window;
    s->act(base, bytes, window,
           s->sweeps ? 1 : untimed / window * window); /* warm-up: even a yardstick uses all its memory once */
    if (s->single && far)
        measure_single(r, s->act, base, 10 * count);
    else
        measure_series(r, s->act, base, s->cheap ? 10 * count : count, s->sweeps ? (rounds + 3) / 4 : rounds);
    if (s->sweeps)
        bytes = chunk / bytes * bytes;
    if (r->nanoseconds > 0)
        r->mib_per_second = (double)bytes / r->nanoseconds * 1e9 / (1 << 20);
}

/* Use all far memory once, and so the whole cache. Then no measured transfer includes the page fault of a first
 * access. */
static void touch_far(void)
{
    char *base = array + chunk * (size_t)(uat_size() - 1);
    for (size_t at = 0; at + UAT_GLOBAL_BLOCK <= chunk; at += UAT_GLOBAL_BLOCK) {
        uat_global_checkout(base + at, UAT_GLOBAL_BLOCK, UAT_READ);
        uat_global_checkin(base + at, UAT_GLOBAL_BLOCK, UAT_READ);
    }
}

static void measure_all(bool far)
{
    if (far)
        touch_far();
    for (int i = 0; i < TRANSFER_OPERATIONS; i++) {
        const struct transfer_operation *s = &transfer_operations[i];
        if ((only && i != only - 1) || s->where == (far ? TRANSFER_NEAR : TRANSFER_FAR))
            continue;
        size_t least = alone ? (size_t)alone : s->least;
        for (size_t bytes = least; bytes >= s->least && bytes <= s->most && (int64_t)bytes <= most;
             bytes = alone ? SIZE_MAX : bytes * s->times)
            for (int window = 1; window <= s->window && window <= under_way && (size_t)window * bytes <= chunk;
                 window *= far || s->window < 2 ? 2 : s->window)
                if (row_count < TRANSFER_ROWS_MAX)
                    measure_row(s, far, bytes, window);
    }
}

/* Measure the flat loop, in which all workers take part. Collective. Each run of the loop is one round. The result of a
 * round is the run's time per iteration. */
static int measure_flat(bool far)
{
    int64_t count = 20 * operations;

    samples.count = 0;
    samples.divisor = (uint64_t)count;
    for (int64_t i = 0; i < rounds; i++) {
        uint64_t begin = uat_counter();
        int rc = transfer_flat_loop(array, chunk, count, far);
        if (rc)
            return rc;
        uat_samples_add(&samples, uat_counter() - begin);
    }
    struct transfer_row *r = &rows[row_count++];
    *r = (struct transfer_row){.name = "flat loop", .far = far, .bytes = 8, .window = 1};
    take_samples(r);
    return 0;
}

/* Sleep until wake(number). In virtual time, returns at once, because a sleeping worker would block the others. */
static void sleep_until(uint64_t number)
{
    const char *own = bells + (size_t)uat_rank() * UAT_GLOBAL_BLOCK;
    if (strcmp(uat_setting("time"), "real") != 0)
        return;
    /* Relaxed: pairs with the uat_global_put() in wake(), which publishes only this word. The next collective call
     * orders everything else. */
    while (atomic_load_explicit((const _Atomic uint64_t *)own, memory_order_relaxed) < number)
        usleep(1000);
}

static void wake(uint64_t number)
{
    for (int rank = 1; rank < uat_size(); rank++)
        uat_global_put(bells + (size_t)rank * UAT_GLOBAL_BLOCK, &number, sizeof(number));
    uat_global_release();
}

/* Measure near memory, and then far memory if there is any for rank 0. */
static int measure_places(void)
{
    bool has_far = uat_global_near(array + chunk * (size_t)(uat_size() - 1), 1) == 0;
    bool *agreed = uat_replicate(&has_far, sizeof(has_far));
    int rc = agreed ? uat_barrier() : -errno; /* reported */

    for (int far = 0; far <= 1 && !rc && (!far || *agreed); far++) {
        if (uat_rank() == 0) {
            measure_all(far);
            wake((uint64_t)far + 1);
        } else {
            sleep_until((uint64_t)far + 1);
        }
        if (!only && !alone)
            rc = measure_flat(far);
    }
    uat_replicate_free(agreed);
    return rc;
}

/* Allocate near, far and local memory. Returns 0, UAT_BENCH_NO_ARRAY, or a negative errno after reporting the error. */
static int open_memory(void)
{
    size_t cache = uat_global_checkout_limit() == SIZE_MAX ? 0 : 4 * uat_global_checkout_limit();

    chunk = (size_t)far_mib << 20;
    if (chunk < 2 * cache) /* too small: accesses that should miss would hit the cache */
        chunk = 2 * cache;
    array = uat_global_alloc(chunk * (size_t)uat_size(), UAT_BLOCKED, 0);
    bells = array ? uat_global_alloc((size_t)uat_size() * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0) : NULL;
    if (!bells)
        return UAT_BENCH_NO_ARRAY;
    if (uat_samples_open(&samples, "row", SINGLE_MAX) || transfer_operations_open(chunk, cache)) {
        fprintf(stderr, "uat-transfer: no memory on rank %d\n", uat_rank());
        return -ENOMEM;
    }
    memset(array + chunk * (size_t)uat_rank(), 1, chunk); /* near */
    tsc_hz = uat_samples_tsc_hz();
    return 0;
}

/* Does any chosen operation have the requested size? If not, rank 0 prints a line. */
static bool has_size(void)
{
    bool has = alone == 0;
    for (int i = 0; i < TRANSFER_OPERATIONS; i++)
        has |= (!only || i == only - 1) && (size_t)alone >= transfer_operations[i].least &&
               (size_t)alone <= transfer_operations[i].most && alone <= most;
    if (!has && uat_rank() == 0)
        fprintf(stderr, "uat-transfer: no chosen operation has %lld bytes\n", (long long)alone);
    return has;
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    static const struct uat_report_column columns[] = {{"operation", "operation", -16, 0},
                                                       {"where", "where", -5, 0},
                                                       {"bytes", "bytes", 9, 0},
                                                       {"window", "window", 7, 0},
                                                       {"ns", "ns", 12, 1},
                                                       {"cycles", "cycles", 12, 1},
                                                       {"cycles_least", "least", 12, 1},
                                                       {"mib_per_second", "MiB/s", 10, 1},
                                                       {0}};

    uat_report_begin(bench, settings);
    uat_report_heads(columns);
    uat_report_list("rows");
    for (const struct transfer_row *r = rows; r < rows + row_count; r++)
        uat_report_row(columns, (struct uat_report_value[]){{r->name, 0},
                                                            {r->far ? "far" : "near", 0},
                                                            {NULL, (double)r->bytes},
                                                            {NULL, r->window},
                                                            {NULL, r->nanoseconds},
                                                            {NULL, r->cycles},
                                                            {NULL, r->least},
                                                            {NULL, r->mib_per_second}});
    uat_report_close();
    uat_report_end();
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    int rc = has_size() ? uat_global_open() : -EINVAL;

    if (!rc)
        rc = open_memory();
    if (!rc)
        rc = uat_barrier();
    if (!rc)
        rc = measure_places();
    if (uat_rank() == 0 && !rc)
        report(bench, settings);
    transfer_operations_close();
    uat_samples_close(&samples);
    int left = uat_barrier();
    return rc ? rc : left;
}

static const struct uat_bench_option options[] = {
    {"--ops", "N", "operations of each series, fewer where they are large", &operations, NULL, 100, 1e9},
    {"--most", "BYTES", "largest operation; 8 measures only latencies", &most, NULL, 8, 1 << 20},
    {"--bytes", "BYTES", "only operations of this size; 0: all sizes", &alone, NULL, 0, 1 << 20},
    {"--only", "N", "only the N-th operation of the table; 0: all", &only, NULL, 0, TRANSFER_OPERATIONS},
    {"--rounds", "N", "series of each kind, of which the median counts; of sweeps a quarter", &rounds, NULL, 1,
     ROUNDS_MAX},
    {"--under-way", "N", "most operations in flight", &under_way, NULL, 1, TRANSFER_WINDOW_MAX},
    {"--far-mib", "MIB", "memory of each worker; twice its cache if that is more", &far_mib, NULL, 1, 1 << 20},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-transfer",
    .purpose = "What accesses to global memory cost: checkouts, gets, puts, atomics, sweeps, near and far.",
    .options = options,
    .measure = measure,
};
