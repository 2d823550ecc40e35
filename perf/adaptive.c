/* SPDX-License-Identifier: MIT */
/*
 * Compares uat/pattern.h with the two modes of uat/adaptive.h on four algorithms: a loop whose last tenth is ten times
 * as slow as the rest, a search for the only hit, a prefix sum (adaptive_prefix.c), and a sort (adaptive_sort.c). An
 * iteration of the first three takes a fixed time, of the processor or virtual.
 */
#include "base/virtual.h"
#include "perf/adaptive_prefix.h"
#include "perf/adaptive_sort.h"
#include "perf/bench.h"
#include "uat/adaptive.h"
#include "uat/pattern.h"

#include <string.h>
#include <time.h>

enum { LOOP, SEARCH, PREFIX, SORT };
enum { PATTERN, CONCURRENT, COOPERATIVE, ONE_BY_ONE, LIBRARY };

static int64_t n = 20000, work = 1000, look = 20000, app, by, hit = 40, limit;

static volatile uint64_t spent;

/* The work of iteration i, in nanoseconds. */
static uint64_t cost(int64_t i)
{
    return (uint64_t)work * (app == LOOP && i >= n - n / 10 ? 10 : 1);
}

/* The processor time of this thread. Real time would include the time for which another process displaces this worker
 * within a long call, but not between short calls. */
static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void adaptive_spend(int64_t begin, int64_t end)
{
    uint64_t ns = 0, since = processor_ns();
    for (int64_t i = begin; i < end; i++)
        ns += cost(i);
    uat_sim_work(ns);
    while (!UAT_IS_VIRTUAL() && processor_ns() - since < ns)
        spent++;
}

static bool is_hit(int64_t i)
{
    return i == n / 100 * hit;
}

/* The algorithms with uat/pattern.h. */

static void add(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const uat_cancel_t *cancel = arg;
    uint64_t *sum = partial;
    if (app == SEARCH && uat_cancelled(*cancel))
        return;
    adaptive_spend(begin, end);
    for (int64_t i = begin; i < end; i++) {
        if (app == SEARCH && is_hit(i)) {
            *sum = (uint64_t)i;
            uat_group_cancel(*cancel);
        } else if (app != SEARCH) {
            *sum += adaptive_value(i);
        }
    }
}

static void combine(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(uint64_t *)left += *(const uint64_t *)right;
}

static void scan_sums(int64_t begin, int64_t end, void *prefix, const void *arg)
{
    (void)arg;
    spent += adaptive_write_sums(begin, end, prefix);
}

UAT_TASK(struct adaptive_sums, by_pattern, int64_t, count)
{
    static const uint64_t zero;
    struct adaptive_sums s = {0};
    uat_group_t group;
    uat_group_begin(&group);
    uat_cancel_t cancel = uat_group_make_cancellable(&group);
    const uat_reduction_t sum = {add, combine, &zero, sizeof(zero)};
    if (app == PREFIX)
        uat_scan(0, count, 0, &sum, scan_sums, &cancel, sizeof(cancel), &s.sum);
    else
        uat_reduce(0, count, 0, &sum, &cancel, sizeof(cancel), &s.sum);
    uat_group_wait(&group);
    return s;
}

/* The algorithms with uat/adaptive.h. */

int64_t adaptive_most(void)
{
    return look > work ? look / (work > 0 ? work : 1) : 1;
}

static void sum_part(uat_context_t *c, const void *arg, void *result)
{
    struct adaptive_sums s = {0}, more;
    int64_t begin, end;
    (void)arg;
    while (uat_context_next(c, adaptive_most(), &begin, &end)) {
        adaptive_spend(begin, end);
        for (int64_t i = begin; i < end; i++)
            s.sum += adaptive_value(i);
    }
    while (uat_context_merge(c, &more))
        s.sum += more.sum;
    *(struct adaptive_sums *)result = s;
}

static void search_part(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end, found = -1;
    struct adaptive_sums more;
    (void)arg;
    while (found < 0 && uat_context_next(c, adaptive_most(), &begin, &end)) {
        adaptive_spend(begin, end);
        for (int64_t i = begin; i < end; i++)
            if (is_hit(i))
                found = i;
    }
    while (found < 0 && uat_context_merge(c, &more))
        found = (int64_t)more.sum;
    *(struct adaptive_sums *)result = (struct adaptive_sums){.sum = (uint64_t)found};
}

/* Answers one request per call. */
static void split_for_one(uat_context_t *c, const uat_request_t *requests, int count)
{
    int64_t begin, end;
    (void)count;
    if (uat_context_left(c, &begin, &end))
        uat_context_give(c, requests, begin + (end - begin) / 2, NULL);
}

static uat_adaptive_t how(uat_adaptive_fn *fn, size_t result_size)
{
    return (uat_adaptive_t){.fn = fn,
                            .mode = by == CONCURRENT ? UAT_CONCURRENT : UAT_COOPERATIVE,
                            .splitter = by == ONE_BY_ONE ? split_for_one : NULL,
                            .grain = 1,
                            .result_size = result_size};
}

UAT_TASK(struct adaptive_sums, adaptive, int64_t, count)
{
    uat_adaptive_fn *const fn[] = {[LOOP] = sum_part, [SEARCH] = search_part, [PREFIX] = adaptive_prefix_part};
    const uat_adaptive_t a = how(fn[app], sizeof(struct adaptive_sums));
    struct adaptive_sums s;
    uat_adaptive_run(&a, NULL, 0, count, NULL, &s);
    return s;
}

/* The sort. */

struct pass {
    adaptive_pass_fn *fn;
    _Alignas(16) char arg[64];
};

static void pass_part(uat_context_t *c, const void *arg, void *result)
{
    const struct pass *p = arg;
    int64_t begin, end;
    while (uat_context_next(c, 1, &begin, &end))
        p->fn(begin, end, p->arg);
    while (uat_context_merge(c, result)) {
    }
}

static void pass_adaptively(int64_t count, adaptive_pass_fn *fn, const void *arg, size_t arg_size)
{
    uat_adaptive_t a = how(pass_part, sizeof(char));
    struct pass p = {.fn = fn};
    char result;
    memcpy(p.arg, arg, arg_size);
    a.arg_size = sizeof(p);
    uat_adaptive_run(&a, NULL, 0, count, &p, &result);
}

static void pass_by_for(int64_t count, adaptive_pass_fn *fn, const void *arg, size_t arg_size)
{
    uat_for(0, count, 0, fn, arg, arg_size);
}

UAT_TASK(int, fill, int64_t, count)
{
    adaptive_sort_fill(count);
    return 0;
}

UAT_TASK(int, sort, int64_t, count)
{
    if (by == LIBRARY)
        adaptive_sort_by_library(count);
    else
        adaptive_sort_passes(count, by == PATTERN ? pass_by_for : pass_adaptively);
    return 0;
}

UAT_TASK(struct adaptive_sorted, check, int64_t, count)
{
    return adaptive_sort_check(count, by == LIBRARY);
}

static int run_sort(uint64_t *answer)
{
    struct adaptive_sorted sum;
    int done, rc;
    uat_bench_pause();
    if ((rc = fill_run(&done, n)))
        return rc;
    uat_bench_resume();
    if ((rc = sort_run(&done, n)))
        return rc;
    uat_bench_pause();
    if ((rc = check_run(&sum, n)))
        return rc;
    uat_bench_resume();
    answer[0] = sum.sum;
    answer[1] = sum.wrong;
    return 0;
}

static double figures[UAT_BENCH_FIGURES]; /* [0]: time of uat_concurrency_set() */

UAT_TASK(uint64_t, set_limit, int, workers)
{
    uint64_t since = uat_time_ns();
    uat_concurrency_set(workers);
    return uat_time_ns() - since;
}

static int open(void)
{
    uint64_t ns = 0;
    int rc = app == SORT ? adaptive_sort_open(n) : 0;
    if (!rc && limit > 0)
        rc = set_limit_run(&ns, (int)limit);
    figures[0] = 1e-3 * (double)ns;
    return rc;
}

static const char *refuse(void)
{
    return by == LIBRARY && app != SORT ? "--by 4 is for the sort" : NULL;
}

static int run(uint64_t *answer)
{
    if (app == SORT)
        return run_sort(answer);
    struct adaptive_sums s;
    int rc = by == PATTERN ? by_pattern_run(&s, n) : adaptive_run(&s, n);
    if (rc)
        return rc;
    answer[0] = s.sum;
    answer[1] = s.written;
    return 0;
}

static int sequential(uint64_t *answer)
{
    answer[0] = answer[1] = 0;
    if (app == SORT) {
        struct adaptive_sorted sum;
        int rc = adaptive_sort_alone(n, &sum);
        answer[0] = sum.sum;
        answer[1] = sum.wrong;
        return rc;
    }
    int64_t last = app == SEARCH ? n / 100 * hit + 1 : n;
    if (app == PREFIX) {
        answer[1] = adaptive_write_sums(0, n, &answer[0]);
        if (by == PATTERN) /* the bodies of uat_scan() cannot count iterations */
            answer[1] = 0;
        return 0;
    }
    adaptive_spend(0, last);
    for (int64_t i = 0; i < last; i++)
        *answer += app == LOOP ? adaptive_value(i) : 0;
    if (app == SEARCH)
        *answer = (uint64_t)last - 1;
    return 0;
}

static const struct uat_bench_option options[] = {
    {"-n", "ITERATIONS", "iterations", &n, NULL, 100, 1e12},
    {"-w", "NS", "nanoseconds of work in each", &work, NULL, 0, 1e9},
    {"--look", "NS", "nanoseconds between two looks for requests", &look, NULL, 1, 1e10},
    {"--app", "0..3",
     "0: loop, the last tenth 10 times as slow; 1: search; 2: prefix sum; 3: sort of ITERATIONS integers", &app, NULL,
     0, 3},
    {"--by", "0..4",
     "0: uat/pattern.h; 1: concurrent; 2: cooperative; 3: cooperative, one request in a look; 4: uat_sort()", &by, NULL,
     0, 4},
    {"--hit", "PERCENT", "where the search finds its hit", &hit, NULL, 0, 99},
    {"--concurrency", "WORKERS", "limit of uat_concurrency_set(); 0: not called", &limit, NULL, 0, 1e6},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-adaptive",
    .purpose = "Run a loop, a search, a prefix sum or a sort by uat/pattern.h or by uat/adaptive.h.",
    .options = options,
    .refuse = refuse,
    .prepare = open,
    .results = {"sum", "written"},
    .run = run,
    .sequential = sequential,
    .figures = figures,
    .names = {{"limit", "us for uat_concurrency_set()"}},
};
