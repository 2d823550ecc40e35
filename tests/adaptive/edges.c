/* SPDX-License-Identifier: MIT */
/*
 * Description: intervals at the ends of int64_t, with the largest grain and with 2^62 - 1 iterations; more nested
 * contexts than a worker has cells.
 */
#include <stdio.h>

#include "uat.h"
#include "uat/adaptive.h"

enum { DEEP = 12 };

struct span {
    int64_t first, count; /* the first of the iterations that have run, and their number */
};

/* Add the iterations [begin, end), which must follow those of *s. */
static void append(struct span *s, int64_t begin, int64_t end)
{
    if (begin >= end || (s->count > 0 && begin != s->first + s->count))
        printf("[%lld, %lld) follows %lld\n", (long long)begin, (long long)end, (long long)(s->first + s->count));
    else
        *s = (struct span){s->count > 0 ? s->first : begin, s->count + (end - begin)};
}

/* Runs an interval in chunks of at most *arg iterations, and checks that chunks and merged parts are consecutive. */
static void run_all(uat_context_t *c, const void *arg, void *result)
{
    struct span s = {0}, more;
    int64_t begin, end;
    while (uat_context_next(c, *(const int64_t *)arg, &begin, &end)) {
        uat_sim_work(2000);
        append(&s, begin, end);
    }
    while (uat_context_merge(c, &more))
        if (more.count > 0)
            append(&s, more.first, more.first + more.count);
    *(struct span *)result = s;
}

static int wrong(int64_t begin, int64_t end, int64_t grain, int64_t most)
{
    const uat_adaptive_t a = {
        .fn = run_all, .grain = grain, .arg_size = sizeof(most), .result_size = sizeof(struct span)};
    struct span s;
    uat_adaptive_run(&a, NULL, begin, end, &most, &s);
    if (s.count == end - begin && (s.first == begin || s.count == 0))
        return 0;
    printf("[%lld, %lld), grain %lld: %lld iterations from %lld\n", (long long)begin, (long long)end, (long long)grain,
           (long long)s.count, (long long)s.first);
    return 1;
}

/* The first of a context's 40 iterations runs a nested context, down to a depth of DEEP. */
static void nest(uat_context_t *c, const void *arg, void *result)
{
    int depth = *(const int *)arg + 1;
    int64_t begin, end;
    long sum = 0, more;
    while (uat_context_next(c, 1, &begin, &end)) {
        uat_sim_work(500);
        sum++;
        if (depth < DEEP && begin == 0) {
            const uat_adaptive_t a = {
                .fn = nest, .mode = UAT_COOPERATIVE, .arg_size = sizeof(depth), .result_size = sizeof(long)};
            uat_adaptive_run(&a, c, 0, 40, &depth, &more);
            sum += more;
        }
    }
    while (uat_context_merge(c, &more))
        sum += more;
    *(long *)result = sum;
}

UAT_TASK(int, edges, int, depth)
{
    const uat_adaptive_t a = {.fn = nest, .arg_size = sizeof(depth), .result_size = sizeof(long)};
    const int64_t large = (INT64_C(1) << 62) - 1;
    long sum;
    int errors = wrong(0, 5000, INT64_MAX, 1) + wrong(INT64_MAX - 1000, INT64_MAX, 7, 10) +
                 wrong(INT64_MIN, INT64_MIN + 1000, 7, 10) + wrong(INT64_MIN, INT64_MIN + 1000, INT64_MAX, INT64_MAX) +
                 wrong(-5, large - 5, 0, large / 300) + wrong(-large, 0, large / 250, 1) + wrong(5, 5, INT64_MAX, 1);
    uat_adaptive_run(&a, NULL, 0, 40, &depth, &sum);
    if (sum != 40 * DEEP)
        printf("%ld iterations of nested contexts, not %d\n", sum, 40 * DEEP);
    return errors + (sum != 40 * DEEP);
}

int main(void)
{
    int errors = 1;
    if (uat_init() < 0 || edges_run(&errors, 0) < 0)
        return 1;
    return uat_finalize() < 0 || errors > 0;
}
