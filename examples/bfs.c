/* SPDX-License-Identifier: MIT */
/*
 * The search of the Graph500 benchmark (specification 2.0): breadth-first, from up to 64 vertices of a Kronecker graph.
 * Each search is validated. Rates are edges traversed per second (TEPS), by the specification's harmonic mean over
 * search keys.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "examples/bfs_search.h"
#include "perf/bench.h"

enum { KEYS_MAX = 64 };

static int64_t scale = 16, edge_factor = 16, keys = KEYS_MAX, seed = 1;
static struct bfs search;
static int32_t *level;
static uint64_t validations;
static uint32_t key[KEYS_MAX];
static double figures[UAT_BENCH_FIGURES];

/* Different vertices that have neighbours, the same on all ranks. Fewer if there are not so many. */
static void choose_keys(void)
{
    int64_t chosen = 0;
    uint64_t state = (uint64_t)seed;

    for (int64_t tries = 0; chosen < keys && tries < 1000 * keys; tries++) {
        int64_t offset[2], i = 0;
        state = state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu; /* PCG's generator (O'Neill 2014), upper bits */
        key[chosen] = (uint32_t)((state >> 32) % (uint64_t)search.g.vertices);
        uat_global_get(offset, search.g.offset + key[chosen], sizeof(offset));
        while (i < chosen && key[i] != key[chosen])
            i++;
        chosen += i == chosen && offset[0] < offset[1];
    }
    keys = chosen;
}

static int prepare(void)
{
    int rc = kronecker_generate(&search.g, (int)scale, (int)edge_factor, (uint64_t)seed);
    if (rc)
        return rc;
    size_t n = (size_t)search.g.vertices, map = (size_t)bfs_words(&search.g) * 8;
    /* Bitmaps are read as a whole: each lies on one host. */
    if (!(search.parent = uat_global_alloc(n * sizeof(*search.parent), UAT_BLOCKED, 0)) ||
        !(level = uat_global_alloc(n * sizeof(*level), UAT_BLOCKED, 0)) ||
        !(search.last = uat_global_alloc(map, UAT_CYCLIC, map)) ||
        !(search.next = uat_global_alloc(map, UAT_CYCLIC, map)) ||
        !(search.seen = uat_global_alloc(map, UAT_CYCLIC, map)))
        return -ENOMEM;
    uint64_t begin = uat_time_ns();
    rc = kronecker_construct(&search.g);
    figures[5] = 1e-9 * (double)(uat_time_ns() - begin);
    /* Nobody writes them any more, so what is cached of them stays. */
    if (!rc)
        rc = uat_global_freeze(search.g.edge);
    if (!rc)
        rc = uat_global_freeze(search.g.offset);
    if (!rc)
        rc = uat_global_freeze(search.g.neighbour);
    if (!rc)
        choose_keys();
    return rc;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Harmonic mean and its deviation (Norris 1940), and quantiles of the times. */
static void make_figures(double *seconds, const double *edges)
{
    double sum = 0, squares = 0, count = (double)keys;

    for (int64_t i = 0; i < keys; i++)
        sum += seconds[i] / edges[i] / count;
    for (int64_t i = 0; i < keys; i++)
        squares += pow(seconds[i] / edges[i] - sum, 2);
    qsort(seconds, (size_t)keys, sizeof(*seconds), by_size);
    figures[0] = 1 / sum;
    figures[1] = keys > 1 ? sqrt(squares) / (count - 1) / (sum * sum) : 0;
    figures[2] = seconds[keys / 2];
    figures[3] = seconds[0];
    figures[4] = seconds[keys - 1];
}

static int check(uint32_t root, uint64_t *edges, bool *valid)
{
    struct search_tree tree = {search.g, search.parent, level, root, ++validations};
    struct validity v;
    int rc = kronecker_validate(&tree, &v);

    if (rc)
        return rc;
    for (int i = 0; i < 5; i++) {
        *valid &= v.broken[i] == 0;
        if (v.broken[i] && uat_rank() == 0)
            fprintf(stderr, "uat-bfs: the tree of vertex %u is wrong in %lld places: %s\n", root,
                    (long long)v.broken[i], kronecker_rules[i]);
    }
    *edges = (uint64_t)v.edges;
    return 0;
}

static bool all_valid;

static int run(uint64_t *answer)
{
    double seconds[KEYS_MAX], edges[KEYS_MAX];

    all_valid = true;
    for (int64_t i = 0; i < keys; i++) {
        double begin = uat_bench_seconds();
        int rc = bfs_search(&search, key[i]);
        uat_bench_pause();
        uint64_t traversed = 0;
        if (!rc)
            rc = check(key[i], &traversed, &all_valid);
        if (rc)
            return rc;
        uat_bench_resume();
        seconds[i] = uat_bench_seconds() - begin;
        edges[i] = (double)traversed;
        answer[0] += traversed;
    }
    make_figures(seconds, edges);
    return 0;
}

static int verify(bool *correct)
{
    *correct = all_valid;
    return 0;
}

/* Edges of the list with an end in the tree. */
static uint64_t traversed_edges(const struct bfs_plain *s)
{
    uint64_t count = 0;

    for (int64_t i = 0; i < search.g.edges; i++)
        count += s->parent[kronecker_edge((int)scale, (uint64_t)seed, i).u] != KRONECKER_NONE;
    return count;
}

static int sequential(uint64_t *answer)
{
    struct bfs_plain s;

    uat_bench_pause();
    int rc = bfs_plain_make(&s, &search.g);
    for (int64_t i = 0; i < keys && !rc; i++) {
        uat_bench_resume();
        bfs_plain_search(&s, key[i]);
        uat_bench_pause();
        answer[0] += traversed_edges(&s);
    }
    bfs_plain_free(&s);
    return rc;
}

static const struct uat_bench_option options[] = {
    {"-s", "SCALE", "2^SCALE vertices", &scale, NULL, 4, KRONECKER_SCALE_MAX},
    {"-e", "FACTOR", "edges for each vertex", &edge_factor, NULL, 1, 64},
    {"-k", "KEYS", "vertices from which to search", &keys, NULL, 1, KEYS_MAX},
    {"-r", "SEED", "random seed of the graph", &seed, NULL, 0, INT32_MAX},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-bfs",
    .purpose = "Breadth-first search of a Graph500 Kronecker graph, with the specification's validation.",
    .options = options,
    .results = {"edges"},
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .sequential = sequential,
    .figures = figures,
    .names = {{"teps", "edges/s, harmonic mean over keys"},
              {"teps_stddev", ""},
              {"seconds_median_key", ""},
              {"seconds_min_key", ""},
              {"seconds_max_key", ""},
              {"construction", "s"}},
};
