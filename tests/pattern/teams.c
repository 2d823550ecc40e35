/* SPDX-License-Identifier: MIT */
/*
 * Description: loops that teams run. Each iteration runs once, reductions and reducers keep their order, values may be
 * large, failures arrive, and loops may be nested. `stays`, in virtual time: a loop that runs again gives each worker
 * the same iterations, and a loop that names an array gives each worker what it keeps.
 * usage: teams right|stays [ROUNDS]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat/detail/failure.h"
#include "uat/global.h"
#include "uat/pattern.h"
#include "uat/reducer.h"

enum { COUNT = 4096, WORK_NS = 200, LARGE = 120, BLOCK = 1 << 10 };

static uat_atomic_t *cells; /* COUNT of them */
static unsigned char *ranks, *blocks;

/* A range of iterations, for operations that must keep their order. */
struct range {
    int64_t begin, count, wrong;
    int64_t padding[LARGE];
};
static const struct range no_range;

static void append(void *left, const void *right, const void *arg)
{
    struct range *l = left;
    const struct range *r = right;
    (void)arg;
    l->wrong += r->wrong + (l->count > 0 && r->count > 0 && l->begin + l->count != r->begin);
    l->wrong += l->padding[LARGE - 1] != l->count || r->padding[LARGE - 1] != r->count;
    l->begin = l->count > 0 ? l->begin : r->begin;
    l->count += r->count;
    l->padding[LARGE - 1] = l->count;
}

static const uat_reduction_t ranges = {NULL, append, &no_range, sizeof(no_range)};
static uat_reducer_t seen;

/* The first and the last iteration, and how often two neighbours did not follow one another. */
struct order {
    int64_t first, last, wrong;
};

static struct order follow(struct order a, struct order b)
{
    if (a.first < 0 || b.first < 0)
        return a.first < 0 ? b : a;
    return (struct order){a.first, b.last, a.wrong + b.wrong + (a.last + 1 != b.first)};
}

#define NO_ORDER                                                                                                       \
    {                                                                                                                  \
        -1, -1, 0                                                                                                      \
    }
UAT_REDUCER(struct order, order, NO_ORDER, follow)
UAT_REDUCER(int64_t, strangers, 0, UAT_PLUS)
UAT_REDUCER(int64_t, iterations, 0, UAT_PLUS)

static void add(int64_t begin, int64_t end, void *partial, const void *arg)
{
    struct range more = {.begin = begin, .count = end - begin};
    more.padding[LARGE - 1] = more.count;
    append(partial, &more, NULL);
    uat_sim_work((uint64_t)(end - begin) * WORK_NS);
    (void)arg;
}

struct step {
    int64_t at, fails; /* fails: the iteration that fails, or -1 */
    char room[2000];   /* a block that one chain does not READ */
};

static void count_each(int64_t begin, int64_t end, const void *arg)
{
    const struct step *s = arg;
    struct range *own = uat_reducer_view(&seen);
    add(begin, end, own, NULL);
    for (int64_t i = begin; i < end; i++)
        uat_atomic_fetch_add(&cells[i], (uint64_t)s->room[sizeof(s->room) - 1]);
    if (s->fails >= begin && s->fails < end) {
        const struct uat_failure failure = {.number = (int32_t)s->at};
        uat_fail(&failure);
    }
}

/* The first quarter of the iterations has no views. The others have a small view, and the second half also has a large
 * one. */
static void count_sizes(int64_t begin, int64_t end, const void *arg)
{
    uat_sim_work((uint64_t)(end - begin) * WORK_NS);
    for (int64_t i = begin > COUNT / 4 ? begin : COUNT / 4; i < end; i++)
        *order_view() = follow(*order_view(), (struct order){i, i, 0});
    for (int64_t i = begin > COUNT / 2 ? begin : COUNT / 2; i < end; i++)
        append(uat_reducer_view(&seen), &(struct range){.begin = i, .count = 1, .padding[LARGE - 1] = 1}, NULL);
    (void)arg;
}

static void loop_within(int64_t begin, int64_t end, const void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++) {
        const struct uat_reduction sum = {add, append, &no_range, sizeof(no_range)};
        struct range r;
        uat_reduce(0, 64, 0, &sum, NULL, 0, &r);
        uat_atomic_fetch_add(&cells[i], (uint64_t)(r.count == 64 && !r.wrong));
    }
}

/* Count an iteration if *partial is the range of all earlier ones. */
static void check_prefix(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct range *before = partial;
    bool right = before->count == begin && (begin == 0 || before->begin == 0) && !before->wrong;
    add(begin, end, partial, NULL);
    for (int64_t i = begin; i < end; i++)
        uat_atomic_fetch_add(&cells[i], right);
    (void)arg;
}

static void fail_in_prefix(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct step *s = arg;
    add(begin, end, partial, NULL);
    if (s->fails >= begin && s->fails < end) {
        const struct uat_failure failure = {.number = (int32_t)s->at};
        uat_fail(&failure);
    }
}

/* Are all cells `value`? Clears them. */
static int64_t count_wrong(int64_t value)
{
    int64_t wrong = 0, now[COUNT];
    static const int64_t zero[COUNT];
    uat_global_get(now, cells, sizeof(now));
    uat_global_put(cells, zero, sizeof(zero));
    for (int i = 0; i < COUNT; i++)
        wrong += now[i] != value;
    return wrong;
}

static int64_t check(const char *what, int64_t wrong)
{
    if (wrong)
        fprintf(stderr, "%s: %lld wrong\n", what, (long long)wrong);
    return wrong;
}

/* The views before the loop come first, then those of the iterations. */
static int64_t check_seen(int64_t count)
{
    struct range all;
    uat_reducer_take(&seen, &all);
    return check("reducer", all.wrong + (all.count != count));
}

UAT_TASK(int64_t, right, int64_t, rounds)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < rounds; k++) {
        struct step s = {.at = k, .fails = -1};
        struct range r;
        const struct uat_reduction sum = {add, append, &no_range, sizeof(no_range)};
        s.room[sizeof(s.room) - 1] = 1;
        if (k % 2) { /* the strand has views before the loop */
            struct range *own = uat_reducer_view(&seen);
            own->begin = -5;
            own->count = own->padding[LARGE - 1] = 5;
        }
        uat_for(0, COUNT, 0, count_each, &s, sizeof(s));
        wrong += check("loop", count_wrong(1)) + check_seen(COUNT + (k % 2 ? 5 : 0));
        uat_for(0, COUNT, 0, count_sizes, NULL, 0);
        struct order o = order_take();
        wrong += check("small views", o.wrong + (o.first != COUNT / 4) + (o.last != COUNT - 1)) + check_seen(COUNT / 2);
        uat_for_near(0, COUNT, cells, sizeof(*cells), count_each, &s, sizeof(s));
        wrong += check("near loop", count_wrong(1)) + check_seen(COUNT);
        uat_for(0, COUNT / 16, 0, loop_within, &s, sizeof(s));
        uat_for(COUNT / 16, COUNT, 0, loop_within, &s, sizeof(s));
        wrong += check("nested loops", count_wrong(1));
        uat_reduce(0, COUNT, 0, &sum, NULL, 0, &r);
        wrong += check("reduction", r.wrong + (r.begin != 0) + (r.count != COUNT));
        uat_scan(0, COUNT, 0, &sum, check_prefix, NULL, 0, &r);
        wrong +=
            check("scan", count_wrong(1)) + check("total of a scan", r.wrong + (r.begin != 0) + (r.count != COUNT));
        s.fails = COUNT / 3;
        uat_scan(0, COUNT, 0, &sum, fail_in_prefix, &s, sizeof(s), NULL);
        struct uat_failure of_scan = {.number = -1};
        if (uat_failing.yes)
            uat_failure_take(&of_scan);
        wrong += check("failure of a scan", of_scan.number != k);
        uat_for(0, COUNT, 0, count_each, &s, sizeof(s));
        struct uat_failure failure = {.number = -1};
        if (uat_failing.yes)
            uat_failure_take(&failure);
        wrong += check("failure", failure.number != k);
        uat_reducer_take(&seen, &r);
        count_wrong(0);
    }
    return wrong;
}

static void note_rank(int64_t begin, int64_t end, const void *arg)
{
    unsigned char here[COUNT];
    (void)arg;
    memset(here, uat_rank(), (size_t)(end - begin));
    uat_sim_work((uint64_t)(end - begin) * WORK_NS);
    uat_global_put(ranks + begin, here, (size_t)(end - begin));
}

/* The passes of a scan. The first one notes the worker in the sum. */
static void note_in_sum(int64_t begin, int64_t end, void *partial, const void *arg)
{
    note_rank(begin, end, arg);
    *(int64_t *)partial += end - begin;
}

static void count_moved(int64_t begin, int64_t end, void *partial, const void *arg)
{
    unsigned char before[COUNT];
    uat_sim_work((uint64_t)(end - begin) * WORK_NS);
    uat_global_get(before, ranks + begin, (size_t)(end - begin));
    for (int64_t i = begin; i < end; i++)
        *strangers_view() += before[i - begin] != uat_rank();
    *(int64_t *)partial += end - begin;
    (void)arg;
}

static void add_counts(void *left, const void *right, const void *arg)
{
    *(int64_t *)left += *(const int64_t *)right;
    (void)arg;
}

/* Returns how many iterations of the scans' second passes ran on another worker than in the first pass. */
UAT_TASK(int64_t, stays_in_scan, int, passes)
{
    static const int64_t zero;
    const uat_reduction_t sum = {note_in_sum, add_counts, &zero, sizeof(zero)};
    int64_t total = 0, all = 0;
    for (int pass = 0; pass < passes; pass++) {
        uat_scan(0, COUNT, 0, &sum, count_moved, NULL, 0, &total);
        all += total;
    }
    return all == (int64_t)COUNT * passes ? strangers_take() : INT64_MAX;
}

static void count_strangers(int64_t begin, int64_t end, const void *arg)
{
    uat_sim_work((uint64_t)(end - begin) * WORK_NS);
    for (int64_t i = begin; i < end; i++)
        *strangers_view() += uat_global_home(blocks + i * BLOCK) != uat_rank();
    *iterations_view() += end - begin;
    (void)arg;
}

/* Returns how many iterations of all passes ran on another worker than in the last pass. */
UAT_TASK(int64_t, stays, int, passes)
{
    int64_t moved = 0;
    unsigned char before[COUNT], now[COUNT];
    for (int pass = 0; pass <= passes; pass++) {
        uat_for(0, COUNT, 0, note_rank, NULL, 0);
        uat_global_get(now, ranks, COUNT);
        for (int i = 0; i < COUNT && pass > 0; i++)
            moved += now[i] != before[i];
        memcpy(before, now, COUNT);
    }
    return moved;
}

/* Returns how many iterations of all passes ran on another worker than the one that keeps their elements. */
UAT_TASK(int64_t, stays_near, int, passes)
{
    for (int pass = 0; pass < passes; pass++)
        uat_for_near(0, COUNT, blocks, BLOCK, count_strangers, NULL, 0);
    return iterations_take() == (int64_t)COUNT * passes ? strangers_take() : INT64_MAX;
}

int main(int argc, char **argv)
{
    int64_t wrong = -1, moved_near = 0, moved_in_scan = 0;
    int rounds = argc > 2 ? atoi(argv[2]) : 2;
    bool is_right = argc > 1 && strcmp(argv[1], "right") == 0;
    uat_reducer_begin(&seen, &ranges);
    if (uat_init())
        return 1;
    cells = uat_global_alloc(COUNT * sizeof(*cells), UAT_BLOCKED, 0);
    ranks = uat_global_alloc(COUNT, UAT_BLOCKED, 0);
    blocks = uat_global_alloc((size_t)COUNT * BLOCK, UAT_BLOCKED, 0);
    if (!cells || !ranks || !blocks)
        return 1;
    if (is_right) {
        if (right_run(&wrong, rounds) < 0)
            return 1;
    } else {
        const int64_t most = COUNT * rounds / 20;
        if (stays_run(&wrong, rounds) < 0 || stays_near_run(&moved_near, rounds) < 0 ||
            stays_in_scan_run(&moved_in_scan, rounds) < 0)
            return 1;
        if (uat_rank() == 0)
            printf("of %d iterations %lld moved, %lld near ones, %lld in scans\n", COUNT * rounds, (long long)wrong,
                   (long long)moved_near, (long long)moved_in_scan);
        wrong = wrong < 0 || wrong > most || moved_near > most || moved_in_scan > most;
    }
    uat_finalize();
    return wrong != 0;
}
