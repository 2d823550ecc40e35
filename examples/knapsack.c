/* SPDX-License-Identifier: MIT */
/*
 * The 0/1 knapsack problem by branch and bound (Kolesar 1967; bound of Dantzig 1957). The best value so far is in one
 * atomic word that all workers share. A task that finds a better knapsack raises the word, and all tasks prune by it.
 * Fork and join alone cannot share the value: with -g 0, a task knows only the best value that its parent knew at the
 * spawn.
 *
 * Each process keeps a copy of the word, and rereads the word once in a while. An old value can only be too low, so a
 * task only prunes less with it. Dynamic programming checks the answer.
 */
#include <errno.h>
#include <stdlib.h>

#include "examples/splitmix.h"
#include "perf/bench.h"
#include "uat/atomic.h"
#include "uat/global.h"

enum {
    ITEMS_MAX = 400,
    LEAF = 26,         /* a node with at most this number of undecided items spawns no tasks */
    REFRESH = 1 << 10, /* nodes between two reads of the shared word; a power of two */
    CAPACITY_MAX = 10000000
};

static int64_t n = 150, range = 1000, kind = 1, seed = 1, global_bound = 1;

/* The instance. All ranks make the same instance. Items are sorted by falling profit per weight. weights[i],
 * profits[i]: the sums over the items before item i. */
static struct item {
    int64_t weight, profit;
} item[ITEMS_MAX];
static int64_t weights[ITEMS_MAX + 1], profits[ITEMS_MAX + 1], capacity;

static uat_atomic_t *shared; /* the best value that any task has found */
static int64_t seen;         /* this process's copy of *shared, which may be too low */

struct found {
    int64_t best; /* the best value; at first the value that this search must beat */
    uint64_t nodes;
};

/* A node: items before `next` are decided. The items from `next` to `split` - 1 all fit. */
struct node {
    int64_t next, split, room, profit;
};

static int by_density(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int64_t left = x->profit * y->weight, right = y->profit * x->weight;

    return (left < right) - (left > right);
}

/* The classes of Pisinger (Computers & Operations Research 32, 2005). The more an instance's profits are correlated
 * with its weights, the harder it is. */
static void make_instance(void)
{
    uint64_t state = (uint64_t)seed;

    for (int64_t i = 0; i < n; i++) {
        int64_t w = 1 + (int64_t)(splitmix_next(&state) % (uint64_t)range), tenth = range / 10;
        int64_t any = 1 + (int64_t)(splitmix_next(&state) % (uint64_t)range);
        int64_t near = w - tenth + any % (2 * tenth + 1);
        item[i].weight = w;
        item[i].profit = kind == 0 ? any : kind == 1 ? (near > 0 ? near : 1) : w + tenth;
    }
    qsort(item, (size_t)n, sizeof(item[0]), by_density);
    for (int64_t i = 0; i < n; i++) {
        weights[i + 1] = weights[i] + item[i].weight;
        profits[i + 1] = profits[i] + item[i].profit;
    }
    capacity = weights[n] / 2;
}

static const char *refuse(void)
{
    return n * range / 2 > CAPACITY_MAX ? "N times RANGE is too large for the check by dynamic programming: at most 2e7"
                                        : NULL;
}

/* Dynamic programming over capacities (Bellman 1957). */
static bool known(uint64_t *answer)
{
    make_instance();
    int64_t *best = calloc((size_t)capacity + 1, sizeof(*best));
    if (!best)
        return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = capacity; c >= item[i].weight; c--)
            if (best[c] < best[c - item[i].weight] + item[i].profit)
                best[c] = best[c - item[i].weight] + item[i].profit;
    answer[0] = (uint64_t)best[capacity];
    free(best);
    return true;
}

/* Publish a better value, and learn the best published value. */
static void share(int64_t value)
{
    int64_t old = uat_atomic_fetch_max_signed(shared, value);

    seen = old > value ? old : value;
}

/* Raise f->best to this process's copy of the shared word. If `look`, first refresh the copy. */
static void learn(struct found *f, bool look)
{
    if (look)
        seen = (int64_t)uat_atomic_load(shared);
    f->best = seen > f->best ? seen : f->best;
}

/* Count the node, and record the value of the items that fit. Returns true if no node below this one can beat
 * f->best. */
static inline bool settled(struct node *at, struct found *f, bool with_others)
{
    int64_t load = weights[at->next] + at->room, most;

    while (at->split < n && weights[at->split + 1] <= load)
        at->split++;
    int64_t whole = at->profit + profits[at->split] - profits[at->next];
    f->nodes++;
    if (whole > f->best) {
        f->best = whole;
        if (with_others)
            share(whole);
    }
    if (at->split == n)
        return true;
    most = whole + (load - weights[at->split]) * item[at->split].profit / item[at->split].weight;
    return most <= f->best;
}

/* Search depth first: first with the item, by recursion; then without it, by the next iteration. */
static void search_here(struct node at, struct found *f, bool with_others)
{
    while (!settled(&at, f, with_others)) {
        const struct item *i = &item[at.next];
        if (with_others && f->nodes % REFRESH == 0)
            learn(f, true);
        if (i->weight <= at.room)
            search_here((struct node){at.next + 1, at.split, at.room - i->weight, at.profit + i->profit}, f,
                        with_others);
        at.next++;
    }
}

UAT_TASK(struct found, search, struct node, at, int64_t, best)
{
    struct found f = {.best = best}, with = {0};

    if (global_bound)
        learn(&f, false);
    if (n - at.next <= LEAF) {
        search_here(at, &f, global_bound);
        return f;
    }
    if (settled(&at, &f, global_bound))
        return f;
    const struct item *i = &item[at.next];
    search_task task;
    bool fits = i->weight <= at.room;
    if (fits)
        search_spawn(&task, (struct node){at.next + 1, at.split, at.room - i->weight, at.profit + i->profit}, f.best);
    at.next++;
    struct found without = search(at, f.best);
    if (fits)
        with = search_join(&task);
    f.best = with.best > without.best ? with.best : without.best;
    f.nodes += with.nodes + without.nodes;
    return f;
}

static double figures[UAT_BENCH_FIGURES];

static int prepare(void)
{
    shared = uat_global_alloc(sizeof(*shared), UAT_BLOCKED, 0);
    return shared ? 0 : -ENOMEM;
}

static int run(uint64_t *answer)
{
    struct found f;

    seen = 0;
    UAT_RACES_IGNORE(&seen, sizeof(seen)); /* an old bound costs time only */
    if (uat_rank() == 0)                   /* no task starts before rank 0 has called search_run() */
        uat_atomic_store(shared, 0);
    int rc = search_run(&f, (struct node){.room = capacity}, 0);
    if (rc)
        return rc;
    answer[0] = (uint64_t)f.best;
    figures[0] = (double)f.nodes;
    figures[1] = (double)f.nodes / uat_bench_seconds();
    return 0;
}

static int sequential(uint64_t *answer)
{
    struct found f = {0};

    search_here((struct node){.room = capacity}, &f, false);
    answer[0] = (uint64_t)f.best;
    return 0;
}

static const struct uat_bench_option options[] = {
    {"-n", "N", "items", &n, NULL, 1, ITEMS_MAX},
    {"-w", "RANGE", "largest weight", &range, NULL, 10, 1e6},
    {"-t", "TYPE", "profits: 0 independent of the weights, 1 close to them, 2 weight and a constant", &kind, NULL, 0,
     2},
    {"-r", "SEED", "random seed of the instance", &seed, NULL, 0, INT32_MAX},
    {"-g", "0|1", "1: all workers share the best value; 0: plain fork and join", &global_bound, NULL, 0, 1},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-knapsack",
    .purpose = "Solve a 0/1 knapsack problem by branch and bound; checked by dynamic programming.",
    .options = options,
    .results = {"value"},
    .refuse = refuse,
    .known = known,
    .prepare = prepare,
    .run = run,
    .sequential = sequential,
    .figures = figures,
    .names = {{"nodes", ""}, {"nodes_per_second", ""}},
};
