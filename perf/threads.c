/* SPDX-License-Identifier: MIT */
/*
 * The benchmarks of Dolan, Muralidharan and Gregg (TACO 9(4), 2013), section 7.4, with tasks as threads. They are: a
 * ring of threads; recursive Fibonacci numbers with a thread for each call; a bounded buffer under a mutex with two
 * conditions; `threads` and `mutex` of sysbench; a parallel quicksort. perf/rivals/threads.c does the same with POSIX
 * threads and with GNU Pth. All workers must be on one host.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf/bench.h"
#include "perf/report.h"
#include "perf/threads.h"
#include "uat/global.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

static int64_t members = 503, passes = 50300, fib_of = 20, items = 20000, threads = 16, elements = 1000000, rounds = 5;

/* The objects that all tasks use. They are in near memory. */
struct shared {
    uat_mutex_t mutex[THREADS_MUTEXES];
    uat_condition_t filled, emptied;
    int64_t buffer[THREADS_ROOM], first, count, sum;
};
static struct shared *shared;
static uat_semaphore_t *gate; /* one for each member */
static int32_t *element;

struct figure {
    double ns, bytes; /* ns: per operation; bytes: per thread, or 0 */
    int64_t answer;
};

UAT_TASK_VOID(ring_member, uint64_t, i, uint64_t, n, uint64_t, times)
{
    for (uint64_t k = 0; k < times; k++) {
        uat_semaphore_acquire(gate[i]);
        uat_semaphore_release(gate[i + 1 == n ? 0 : i + 1], 1);
    }
}

UAT_TASK(struct figure, ring, uint64_t, n, uint64_t, times)
{
    uat_group_t group;
    double before = threads_resident();
    for (uint64_t i = 0; i < n; i++)
        gate[i] = uat_semaphore_create(0);
    uat_group_begin(&group);
    for (uint64_t i = 0; i < n; i++)
        ring_member_group_spawn(&group, i, n, times);
    double bytes = (threads_resident() - before) / (double)n;
    uint64_t begin = uat_time_ns();
    uat_semaphore_release(gate[0], 1);
    uat_group_wait(&group);
    uint64_t end = uat_time_ns();
    int left = uat_semaphore_try_acquire(gate[0]) == 0; /* the last member has released the first gate */
    for (uint64_t i = 0; i < n; i++)
        uat_semaphore_destroy(gate[i]);
    return (struct figure){(double)(end - begin) / (double)(n * times), bytes, left};
}

UAT_TASK(int64_t, fib, int64_t, n)
{
    fib_task one, two;
    if (n < 2)
        return 1;
    fib_spawn(&one, n - 1);
    fib_spawn(&two, n - 2);
    int64_t calls = fib_join(&two);
    return calls + fib_join(&one) + 1;
}

/* Time the recursive Fibonacci number n, per call. The answer is the number of calls. */
UAT_TASK(struct figure, fibs, int64_t, n)
{
    uint64_t begin = uat_time_ns();
    int64_t calls = fib(n);
    return (struct figure){(double)(uat_time_ns() - begin) / (double)calls, 0, calls};
}

UAT_TASK_VOID(produce, int64_t, n)
{
    struct shared *s = shared;
    for (int64_t i = 0; i < n; i++) {
        uat_mutex_lock(s->mutex[0]);
        while (s->count == THREADS_ROOM)
            uat_condition_wait(s->emptied, s->mutex[0]);
        s->buffer[(s->first + s->count++) % THREADS_ROOM] = i;
        uat_condition_signal(s->filled);
        uat_mutex_unlock(s->mutex[0]);
    }
}

UAT_TASK_VOID(consume, int64_t, n)
{
    struct shared *s = shared;
    for (int64_t i = 0; i < n; i++) {
        uat_mutex_lock(s->mutex[0]);
        while (s->count == 0)
            uat_condition_wait(s->filled, s->mutex[0]);
        s->sum += s->buffer[s->first++ % THREADS_ROOM];
        s->count--;
        uat_condition_signal(s->emptied);
        uat_mutex_unlock(s->mutex[0]);
    }
}

UAT_TASK(struct figure, condvar, int64_t, n, int, biased)
{
    produce_task producer;
    consume_task consumer;
    struct shared *s = shared;
    s->mutex[0] = biased ? uat_mutex_create_biased() : uat_mutex_create();
    s->filled = uat_condition_create();
    s->emptied = uat_condition_create();
    s->first = s->count = s->sum = 0;
    uint64_t begin = uat_time_ns();
    consume_spawn(&consumer, n);
    produce_spawn(&producer, n);
    produce_join(&producer);
    consume_join(&consumer);
    uint64_t end = uat_time_ns();
    uat_mutex_destroy(s->mutex[0]);
    uat_condition_destroy(s->filled);
    uat_condition_destroy(s->emptied);
    return (struct figure){(double)(end - begin) / (double)n, 0, s->sum};
}

/* sysbench: a thread locks and unlocks one mutex after another. If `yields`, the thread lets other threads run while it
 * holds a mutex. */
UAT_TASK_VOID(locker, uint64_t, self, int64_t, times, int64_t, mutexes, int, yields)
{
    struct shared *s = shared;
    for (int64_t i = 0; i < times; i++) {
        int64_t k = threads_mutex(self, i, mutexes);
        uat_mutex_lock(s->mutex[k]);
        if (yields)
            uat_yield();
        uat_mutex_unlock(s->mutex[k]);
    }
}

UAT_TASK(struct figure, sysbench, int64_t, n, int64_t, times, int64_t, mutexes, int, yields)
{
    uat_group_t group;
    for (int64_t i = 0; i < mutexes; i++)
        shared->mutex[i] = uat_mutex_create();
    uat_group_begin(&group);
    uint64_t begin = uat_time_ns();
    for (int64_t i = 0; i < n; i++)
        locker_group_spawn(&group, (uint64_t)i, times, mutexes, yields);
    uat_group_wait(&group);
    uint64_t end = uat_time_ns();
    for (int64_t i = 0; i < mutexes; i++)
        uat_mutex_destroy(shared->mutex[i]);
    return (struct figure){(double)(end - begin) / (double)(n * times), 0, 0};
}

UAT_TASK_VOID(sort, int64_t, from, int64_t, to)
{
    if (to - from <= THREADS_CUT) {
        threads_sort_little(element, from, to);
        return;
    }
    sort_task left;
    int64_t middle = threads_partition(element, from, to);
    sort_spawn(&left, from, middle);
    sort(middle, to);
    sort_join(&left);
}

UAT_TASK(struct figure, sorts, int64_t, n)
{
    threads_fill(element, n);
    uint64_t begin = uat_time_ns();
    sort(0, n);
    return (struct figure){(double)(uat_time_ns() - begin) / (double)n, 0, threads_sorted(element, n)};
}

static int run_ring(struct figure *f)
{
    return ring_run(f, (uint64_t)members, (uint64_t)((passes + members - 1) / members));
}
static int run_fib(struct figure *f)
{
    return fibs_run(f, fib_of);
}
static int run_condvar(struct figure *f)
{
    return condvar_run(f, items, 0);
}
static int run_condvar_biased(struct figure *f)
{
    return condvar_run(f, items, 1);
}
static int run_threads(struct figure *f)
{
    return sysbench_run(f, threads, THREADS_YIELDS, THREADS_LOCKS, 1);
}
static int run_mutex(struct figure *f)
{
    return sysbench_run(f, threads, THREADS_LOCKED, THREADS_MUTEXES, 0);
}
static int run_sort(struct figure *f)
{
    return sorts_run(f, elements);
}

static int64_t sum_of_items(void)
{
    return items * (items - 1) / 2;
}
static int64_t one(void)
{
    return 1;
}
static int64_t none(void)
{
    return 0;
}
static int64_t calls(void)
{
    return threads_fib_calls(fib_of);
}

static const struct exercise {
    const char *key;
    int (*run)(struct figure *f);
    int64_t (*right)(void);
} exercises[] = {{"threadring", run_ring, one},
                 {"fib", run_fib, calls},
                 {"condvar", run_condvar, sum_of_items},
                 {"condvar_biased", run_condvar_biased, sum_of_items},
                 {"threads", run_threads, none},
                 {"mutex", run_mutex, none},
                 {"sort", run_sort, one}};
enum { EXERCISES = sizeof(exercises) / sizeof(exercises[0]), ROUNDS_MAX = 101 };

static struct figure figures[EXERCISES][ROUNDS_MAX];

static int by_time(const void *a, const void *b)
{
    double x = ((const struct figure *)a)->ns, y = ((const struct figure *)b)->ns;
    return (x > y) - (x < y);
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    static const struct uat_report_column columns[] = {{"exercise", "exercise", -16, 0},
                                                       {"least_ns", "least, ns", 12, 1},
                                                       {"median_ns", "median, ns", 12, 1},
                                                       {"bytes", "bytes/thread", 14, 0},
                                                       {0}};
    uat_report_begin(bench, settings);
    uat_report_count("members", (uint64_t)members);
    uat_report_heads(columns);
    uat_report_list("rows");
    for (int e = 0; e < EXERCISES; e++) {
        double bytes = figures[e][0].bytes; /* the bytes of the first round, because later rounds reuse its pages */
        qsort(figures[e], (size_t)rounds, sizeof(struct figure), by_time);
        uat_report_row(columns, (struct uat_report_value[]){{exercises[e].key, 0},
                                                            {NULL, figures[e][0].ns},
                                                            {NULL, figures[e][rounds / 2].ns},
                                                            {NULL, bytes}});
    }
    uat_report_close();
    uat_report_end();
}

static int run_all(void)
{
    for (int64_t round = 0; round < rounds; round++)
        for (int e = 0; e < EXERCISES; e++) {
            struct figure *f = &figures[e][round];
            int rc = exercises[e].run(f);
            if (rc)
                return rc;
            if (f->answer != exercises[e].right()) {
                fprintf(stderr, "uat-threads: rank %d: %s: a wrong answer\n", uat_rank(), exercises[e].key);
                return -EPROTO;
            }
        }
    return 0;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    shared = uat_global_alloc(sizeof(*shared), UAT_BLOCKED, 0);
    gate = shared ? uat_global_alloc((size_t)members * sizeof(*gate), UAT_BLOCKED, 0) : NULL;
    element = gate ? uat_global_alloc((size_t)elements * sizeof(*element), UAT_BLOCKED, 0) : NULL;
    if (!element)
        return UAT_BENCH_NO_ARRAY;
    if (uat_global_near(shared, sizeof(*shared)) != sizeof(*shared)) {
        fprintf(stderr, "uat-threads: rank %d: all workers must be on one host\n", uat_rank());
        return -EINVAL;
    }
    int rc = run_all();
    if (!rc && uat_rank() == 0)
        report(bench, settings);
    return rc;
}

static const struct uat_bench_option options[] = {
    {"--members", "N", "threads in the ring", &members, NULL, 2, 10000000},
    {"--passes", "N", "passes in the ring, rounded up to whole rounds", &passes, NULL, 1, 1e9},
    {"--fib", "N", "the Fibonacci number", &fib_of, NULL, 1, 40},
    {"--items", "N", "items through the buffer", &items, NULL, 1, 1e9},
    {"--threads", "N", "threads of `threads` and `mutex`", &threads, NULL, 1, 10000},
    {"--elements", "N", "numbers to sort", &elements, NULL, 2, 1e9},
    {"--rounds", "N", "rounds of each exercise", &rounds, NULL, 1, ROUNDS_MAX},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-threads",
    .purpose = "Tasks in the place of threads: threadring, fib, condvar, threads, mutex, sort.",
    .options = options,
    .measure = measure,
};
