/* SPDX-License-Identifier: MIT */
/*
 * Description: loops, reductions and scans over ranges of many sizes, and parallel calls. In reductions and scans each
 * iteration runs exactly once, and partial results are combined in order. Grains are respected.
 * usage: test-pattern ROUNDS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uat.h>
#include <uat/pattern.h>

/* An affine map x -> a x + b, modulo 2^64, and the number of iterations that it is made of. The composition of such
 * maps does not commute. */
struct affine {
    uint64_t a, b, count;
};

static const struct affine identity = {1, 0, 0};

struct settings {
    uint64_t seed;
    int64_t work; /* steps of busy work in an iteration */
    char padding[48];
};

static struct affine step(uint64_t seed, int64_t i)
{
    uint64_t x = (seed + (uint64_t)i) * 0x9e3779b97f4a7c15u;
    return (struct affine){x | 1, x >> 7, 1};
}

static void compose(void *left, const void *right, const void *arg)
{
    struct affine *l = left;
    const struct affine *r = right;
    (void)arg;
    *l = (struct affine){r->a * l->a, r->a * l->b + r->b, l->count + r->count};
}

static void busy(int64_t steps)
{
    for (volatile int64_t i = 0; i < steps; i++)
        ;
}

static void add(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct settings *s = arg;
    for (int64_t i = begin; i < end; i++) {
        struct affine one = step(s->seed, i);
        compose(partial, &one, arg);
        busy(s->work);
    }
}

/*
 * The second body of a scan: check that *partial combines all earlier iterations. Errors are counted in the high half
 * of `count`.
 */
static void check_prefix(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct settings *s = arg;
    struct affine expected = identity;
    for (int64_t i = 0; i < begin; i++) {
        struct affine one = step(s->seed, i);
        compose(&expected, &one, arg);
    }
    if (memcmp(partial, &expected, sizeof(expected)) != 0)
        ((struct affine *)partial)->count += UINT64_C(1) << 32;
    add(begin, end, partial, arg);
}

static const uat_reduction_t reduction = {add, compose, &identity, sizeof(identity)};

/* The body of a plain loop. It has no result, so it checks only its range and its argument. */
static void look(int64_t begin, int64_t end, const void *arg)
{
    const struct settings *s = arg;
    if (begin >= end || begin < 0 || s->padding[47] != 'x')
        abort();
    busy((end - begin) * s->work);
}

static struct affine sequential(const struct settings *s, int64_t n)
{
    struct affine value = identity;
    struct settings quick = *s;
    quick.work = 0;
    add(0, n, &value, &quick);
    return value;
}

static int check_range(const struct settings *s, int64_t n)
{
    struct affine expected = sequential(s, n), value, total;
    uat_reduce(0, n, 0, &reduction, s, sizeof(*s), &value);
    int errors = memcmp(&value, &expected, sizeof(value)) != 0;
    uat_scan(0, n, 0, &reduction, check_prefix, s, sizeof(*s), &total);
    errors += memcmp(&total, &expected, sizeof(total)) != 0;
    uat_for(0, n, 0, look, s, sizeof(*s));
    uat_for(0, n, 7, look, s, sizeof(*s));
    if (errors > 0)
        fprintf(stderr, "test-pattern: %d errors for %" PRId64 " iterations, seed %" PRIu64 "\n", errors, n, s->seed);
    return errors;
}

/* Counts of the calls of the bodies in a loop with a grain. */
struct calls {
    int64_t iterations, calls, small, other; /* small: calls with less than a grain; other: of a scan's second body */
};

static const struct calls no_calls;

struct asked {
    int64_t grain, work;
};

static void note(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct asked *a = arg;
    struct calls *c = partial;
    c->iterations += end - begin;
    c->calls++;
    c->small += end - begin < a->grain;
    busy((end - begin) * a->work);
}

static void note_other(int64_t begin, int64_t end, void *partial, const void *arg)
{
    ((struct calls *)partial)->other++;
    note(begin, end, partial, arg);
}

static void add_calls(void *left, const void *right, const void *arg)
{
    struct calls *l = left;
    const struct calls *r = right;
    (void)arg;
    *l = (struct calls){l->iterations + r->iterations, l->calls + r->calls, l->small + r->small, l->other + r->other};
}

/*
 * A part is split only while it has more iterations than a grain. So each part has at least half a grain, and at most
 * one small call, at its end. If the grain covers all iterations, there is one call.
 */
static int check_grain(int64_t n, int64_t grain)
{
    const uat_reduction_t noted = {note, add_calls, &no_calls, sizeof(no_calls)};
    struct asked a = {grain, n > 1000 ? 30 : 3000};
    struct calls reduced, scanned;
    uat_reduce(0, n, grain, &noted, &a, sizeof(a), &reduced);
    uat_scan(0, n, grain, &noted, note_other, &a, sizeof(a), &scanned);
    int64_t least = grain > 0 ? grain : 1, parts = 2 * n / least + 1;
    int errors = reduced.iterations != n || reduced.small > parts || reduced.calls > n / least + parts;
    errors += scanned.iterations != n || scanned.small > parts || scanned.calls > n / least + parts;
    errors += grain >= n && (reduced.calls != 1 || scanned.calls != 1 || scanned.other != 1);
    if (errors > 0)
        fprintf(stderr,
                "test-pattern: grain %" PRId64 " of %" PRId64 " iterations: %" PRId64 " calls, %" PRId64
                " small; of the scan %" PRId64 ", %" PRId64 "\n",
                grain, n, reduced.calls, reduced.small, scanned.calls, scanned.small);
    return errors;
}

UAT_TASK(long, fib, long, n)
{
    uat_call_t calls[2];
    long results[2], args[2] = {n - 1, n - 2};
    if (n < 2)
        return n;
    for (int i = 0; i < 2; i++)
        calls[i] = (uat_call_t){fib_uat_body, &args[i], sizeof(args[i]), &results[i], sizeof(results[i])};
    uat_invoke(calls, 2);
    return results[0] + results[1];
}

static void root(void *arg, void *result)
{
    static const int64_t sizes[] = {-5, 0, 1, 2, 3, 17, 100, 1000, 3001};
    int errors = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct settings s = {.seed = *(uint64_t *)arg, .work = i % 2 == 0 ? 0 : 300};
        s.padding[47] = 'x';
        errors += check_range(&s, sizes[i]);
    }
    for (int64_t n = 500; n <= 4000; n *= 2)
        for (int64_t grain = n / 100; grain <= 2 * n; grain *= 3)
            errors += check_grain(n, grain);
    errors += check_grain(100, -3) + check_grain(100, 0) + check_grain(100, 100);
    fib_task task;
    fib_spawn(&task, 14);
    errors += fib_join(&task) != 377;
    *(int *)result = errors;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3, errors = 0;
    if (uat_init())
        return 1;
    for (int i = 0; i < rounds; i++) {
        uint64_t seed = (uint64_t)i;
        int found = 0;
        if (uat_run(root, &seed, sizeof(seed), &found, sizeof(found)))
            return 1;
        errors += found;
    }
    uat_stats_t stats;
    if (uat_stats_total(&stats))
        return 1;
    if (uat_rank() == 0)
        printf("%d errors, %" PRIu64 " steals\n", errors, stats.steals);
    return uat_finalize() || errors > 0;
}
