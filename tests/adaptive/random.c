/* SPDX-License-Identifier: MIT */
/*
 * Description: adaptive requests give the sequential answers with random intervals, grains and chunks, in both modes.
 * The cases are ordered results, nested contexts, splitters with their own data and arguments, parts taken back,
 * searches that end early, and bodies that spawn and therefore migrate with their context.
 *
 * usage: random RUNS SEED
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/adaptive.h"

/* An affine map. Composition of maps is associative but not commutative. */
struct map {
    uint64_t a, b;
};

struct job {
    uint64_t seed;
    int64_t most, begin, end;
    uint32_t kind, depth;
};

enum { FOLD, SPAWNS, TAKES_BACK, NESTED, KINDS };

static const struct map identity = {1, 0};

static struct map compose(struct map left, struct map right)
{
    return (struct map){left.a * right.a, left.b * right.a + right.b};
}

static struct map value(uint64_t seed, int64_t i)
{
    uint64_t x = mix(seed + (uint64_t)i);
    return (struct map){x | 1, x >> 7};
}

static struct map fold(uint64_t seed, int64_t begin, int64_t end)
{
    struct map m = identity;
    for (int64_t i = begin; i < end; i++)
        m = compose(m, value(seed, i));
    return m;
}

/* Work for some microseconds, real or virtual, so that other workers find the interval. */
static void linger(uint64_t ns)
{
    volatile uint64_t spent = 0;
    uint64_t begin = uat_time_ns();
    uat_sim_work(ns);
    while (uat_time_ns() - begin < ns)
        spent++;
}

UAT_TASK(struct map, fold_elsewhere, uint64_t, seed, int64_t, begin, int64_t, end)
{
    linger(3000);
    return fold(seed, begin, end);
}

static void run_inner(uat_context_t *outer, const struct job *job, int64_t begin, int64_t end, struct map *result);

/* Run the chunk [begin, end) in the way that the job's kind says. */
static struct map fold_chunk(uat_context_t *c, const struct job *job, int64_t begin, int64_t end)
{
    struct map m;
    linger(2000);
    if (job->kind == SPAWNS) {
        fold_elsewhere_task left;
        int64_t middle = begin + (end - begin) / 2;
        fold_elsewhere_spawn(&left, job->seed, begin, middle);
        linger(1000);
        m = fold(job->seed, middle, end);
        return compose(fold_elsewhere_join(&left), m);
    }
    if (job->kind == NESTED && job->depth > 0 && end - begin > 3) {
        run_inner(c, job, begin, end, &m);
        return m;
    }
    return fold(job->seed, begin, end);
}

static void fold_part(uat_context_t *c, const void *arg, void *result)
{
    const struct job *job = arg;
    struct map sum = identity, more;
    int64_t begin, end, at = INT64_MIN, to;
    for (;;) {
        while (uat_context_next(c, job->most, &begin, &end)) {
            sum = compose(sum, fold_chunk(c, job, begin, end));
            at = end;
        }
        if (job->kind != TAKES_BACK) {
            if (!uat_context_merge(c, &more))
                break;
        } else {
            if (!uat_context_take_back(c, &more, &to))
                break;
            if (to < at) { /* the parts are consecutive */
                printf("a part ends at %lld, before %lld\n", (long long)to, (long long)at);
                more = identity;
            }
            at = to;
        }
        sum = compose(sum, more);
    }
    memcpy(result, &sum, sizeof(sum));
}

static int wrong_data; /* number of requests to this worker whose data were not those of the thief */

/* Gives the first request half of the remaining iterations, and each other request one iteration. The requesting rank
 * determines the chunk size in the part's argument. */
static void split_by_hand(uat_context_t *c, const uat_request_t *requests, int count)
{
    int64_t begin, end;
    struct job job;
    uat_context_poll(c); /* has no effect in a splitter */
    for (int i = count; i-- > 0;) {
        int rank = -1;
        if (!uat_context_left(c, &begin, &end))
            return;
        if (uat_request_read(&requests[i], &rank, sizeof(rank)) != sizeof(rank) || rank != requests[i].thief) {
            printf("the data of a request of rank %d are those of rank %d\n", requests[i].thief, rank);
            wrong_data++;
        }
        job = *(const struct job *)c->state;
        job.most = 1 + rank % 7;
        uat_context_give(c, &requests[i], i > 0 ? end - 1 : begin + (end - begin) / 2, &job);
    }
}

static void fold_by_hand(uat_context_t *c, const void *arg, void *result)
{
    struct job job = *(const struct job *)arg;
    c->state = &job;
    fold_part(c, &job, result);
}

static void run_inner(uat_context_t *outer, const struct job *job, int64_t begin, int64_t end, struct map *result)
{
    struct job inner = *job;
    inner.depth--;
    inner.most = 1 + job->most / 3;
    const uat_adaptive_t a = {.fn = fold_part,
                              .mode = (enum uat_adaptive_mode)(mix(job->seed ^ (uint64_t)begin) % 2),
                              .arg_size = sizeof(inner),
                              .result_size = sizeof(*result)};
    uat_adaptive_run(&a, outer, begin, end, &inner, result);
}

UAT_TASK(uint64_t, folds, uint64_t, seed, int, mode)
{
    struct job job = {.seed = seed, .kind = (uint32_t)(mix(seed) % KINDS), .depth = 2};
    job.begin = (int64_t)(mix(seed + 1) % 1000) - 500;
    job.end = job.begin + (int64_t)(mix(seed + 2) % (job.kind == FOLD ? 4000 : 1000));
    job.most = 1 + (int64_t)(mix(seed + 3) % 40);
    bool by_hand = mode == UAT_COOPERATIVE && mix(seed + 5) % 2;
    const uat_adaptive_t a = {.fn = by_hand ? fold_by_hand : fold_part,
                              .mode = (enum uat_adaptive_mode)mode,
                              .splitter = by_hand ? split_by_hand : NULL,
                              .grain = (int64_t)(mix(seed + 4) % 4),
                              .arg_size = sizeof(job),
                              .result_size = sizeof(struct map)};
    struct map expected = fold(seed, job.begin, job.end), found;
    uat_adaptive_run(&a, NULL, job.begin, job.end, &job, &found);
    return found.a != expected.a || found.b != expected.b;
}

/* Finds the first iteration that is a hit, or -1. */
static void find_part(uat_context_t *c, const void *arg, void *result)
{
    const struct job *job = arg;
    int64_t begin, end, found = -1;
    while (found < 0 && uat_context_next(c, job->most, &begin, &end)) {
        linger(1000);
        for (int64_t i = begin; i < end && found < 0; i++)
            if (mix(job->seed ^ (uint64_t)i) % (uint64_t)job->end == 0)
                found = i;
    }
    while (found < 0 && uat_context_merge(c, &found)) {
    }
    *(int64_t *)result = found;
}

UAT_TASK(uint64_t, finds, uint64_t, seed, int, mode)
{
    struct job job = {
        .seed = seed, .most = 1 + (int64_t)(mix(seed + 3) % 20), .end = 1 + (int64_t)(mix(seed + 4) % 2000)};
    int64_t n = (int64_t)(mix(seed + 2) % 3000), expected = 0, found;
    while (expected < n && mix(seed ^ (uint64_t)expected) % (uint64_t)job.end != 0)
        expected++;
    const uat_adaptive_t a = {
        .fn = find_part, .mode = (enum uat_adaptive_mode)mode, .arg_size = sizeof(job), .result_size = sizeof(found)};
    uat_adaptive_run(&a, NULL, 0, n, &job, &found);
    return found != (expected < n ? expected : -1);
}

int main(int argc, char **argv)
{
    uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 0) : 10, seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    uint64_t failed = 0;
    if (uat_init() < 0)
        return 1;
    int rank = uat_rank();
    uat_request_set_data(&rank, sizeof(rank));
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t wrong[2] = {0};
        int mode = (int)(i % 2);
        if (folds_run(&wrong[0], seed + i, mode) < 0 || finds_run(&wrong[1], seed + i, mode) < 0)
            return 1;
        if ((wrong[0] || wrong[1]) && uat_rank() == 0)
            printf("seed %llu, mode %d: %llu wrong folds, %llu wrong searches\n", (unsigned long long)(seed + i), mode,
                   (unsigned long long)wrong[0], (unsigned long long)wrong[1]);
        failed += wrong[0] || wrong[1];
    }
    if (uat_rank() == 0)
        printf("%llu runs, %llu wrong\n", (unsigned long long)runs, (unsigned long long)failed);
    return uat_finalize() < 0 || failed > 0 || wrong_data > 0;
}
