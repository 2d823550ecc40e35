/* SPDX-License-Identifier: MIT */
/*
 * Description: random programs. They are trees of tasks that spawn, call and join in random numbers and orders, with
 * arguments, results and frames of random sizes. Every task checks its argument, and its whole frame after every join.
 * The result is compared with a sequential evaluation. Reducers count the tasks. A reducer also lists the tasks' seeds
 * in serial order in those runs whose tasks join the youngest child first. After each run every join record and every
 * block of the evacuation heap must have been given back.
 *
 * usage: random-trees RUNS SEED
 */
#include <alloca.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "tests/programs/pools.h"
#include "tests/sequence.h"
#include "uat.h"
#include "uat/reducer.h"

enum { CHILDREN_MAX = 6, FRAME_WORDS_MAX = 200, PAYLOAD_WORDS_MAX = 40, DEPTH_MAX = 7 };

struct arg {
    uint64_t seed;
    uint32_t depth, words, youngest_first;
    uint64_t payload[PAYLOAD_WORDS_MAX]; /* only the first `words` words are used and passed */
};

UAT_REDUCER(struct sequence, seeds, SEQUENCE_NONE, sequence_join)
UAT_REDUCER(uint64_t, tasks, 0, UAT_PLUS)

struct result {
    uint64_t value;
    uint64_t errors;
    uint64_t payload[PAYLOAD_WORDS_MAX];
};

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = mix(*seed + 0x9e3779b97f4a7c15u);
    return *seed % below;
}

static size_t make_child(uint64_t *seed, uint32_t depth, struct arg *child)
{
    child->youngest_first = 0;
    child->seed = mix(*seed ^ draw(seed, 1u << 30));
    child->depth = depth - 1;
    child->words = (uint32_t)draw(seed, PAYLOAD_WORDS_MAX);
    for (uint32_t i = 0; i < child->words; i++)
        child->payload[i] = child->seed + i;
    return offsetof(struct arg, payload) + child->words * sizeof(uint64_t);
}

static uint64_t check_words(const uint64_t *words, size_t n, uint64_t first)
{
    uint64_t errors = 0;
    for (size_t i = 0; i < n; i++)
        errors += words[i] != first + i;
    return errors;
}

static size_t child_count(uint64_t *seed, uint32_t depth)
{
    return depth == 0 ? 0 : (size_t)draw(seed, CHILDREN_MAX);
}

static uint64_t evaluate(const struct arg *a, struct sequence *seeds, uint64_t *tasks)
{
    uint64_t seed = a->seed, value = mix(a->seed);
    *seeds = sequence_join(*seeds, sequence_of(seed));
    ++*tasks;
    draw(&seed, FRAME_WORDS_MAX);
    size_t n = child_count(&seed, a->depth);
    for (size_t i = 0; i < n; i++) {
        struct arg child;
        make_child(&seed, a->depth, &child);
        value += evaluate(&child, seeds, tasks) * (i + 1);
        *seeds = sequence_join(*seeds, sequence_of(i));
    }
    *seeds = sequence_join(*seeds, sequence_of(~a->seed));
    return value;
}

static void work(uint64_t seed)
{
    for (uint64_t n = draw(&seed, 8) == 0 ? draw(&seed, 20000) : draw(&seed, 200); n > 0; n--)
        __asm__ volatile("");
}

/* A task whose frame has a random size and known contents. */
static void tree(void *arg, void *out)
{
    const struct arg *a = arg;
    struct result *r = out;
    *seeds_view() = sequence_join(*seeds_view(), sequence_of(a->seed));
    ++*tasks_view();
    uint64_t seed = a->seed, errors = check_words(a->payload, a->words, a->seed);
    size_t words = 1 + (size_t)draw(&seed, FRAME_WORDS_MAX);
    uint64_t *frame = alloca(words * sizeof(*frame)), value = mix(a->seed);
    for (size_t i = 0; i < words; i++)
        frame[i] = a->seed ^ i;
    size_t n = child_count(&seed, a->depth), first = n ? (size_t)draw(&(uint64_t){seed}, n) : 0;
    uat_task_t task[CHILDREN_MAX];
    struct result result[CHILDREN_MAX];
    for (size_t i = 0; i < n; i++) {
        struct arg child;
        size_t size = make_child(&seed, a->depth, &child);
        child.youngest_first = a->youngest_first;
        uat_spawn(&task[i], tree, &child, size, &result[i],
                  offsetof(struct result, payload) + child.words * sizeof(uint64_t));
        *seeds_view() = sequence_join(*seeds_view(), sequence_of(i));
        work(child.seed);
    }
    for (size_t k = 0; k < n; k++) {
        size_t i = a->youngest_first ? n - 1 - k : (first + k) % n;
        uat_join(&task[i]);
        value += result[i].value * (i + 1);
        errors += result[i].errors;
        errors += task[i].record != 0; /* uat.h promises 0, whether or not spawner and child parted */
        for (size_t j = 0; j < words; j++)
            errors += frame[j] != (a->seed ^ j);
    }
    *seeds_view() = sequence_join(*seeds_view(), sequence_of(~a->seed));
    errors += check_words(a->payload, a->words, a->seed);
    r->value = value;
    r->errors = errors;
    for (uint32_t i = 0; i < a->words; i++)
        r->payload[i] = a->payload[i];
}

/* The root of the trees. It takes the reducers' values. */
static void root(void *arg, void *out)
{
    const struct arg *a = arg;
    struct sequence order = SEQUENCE_NONE;
    uint64_t count = 0;
    struct result *r = out;
    tree(arg, out);
    uint64_t right = r->value == evaluate(a, &order, &count);
    right &= count == tasks_take();
    right &= sequence_equal(order, seeds_take()) || !a->youngest_first;
    r->errors += !right;
}

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 100, seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    if (uat_init())
        return 1;
    for (unsigned long i = 0; i < runs; i++) {
        struct arg a = {
            .seed = mix(seed * 1000003 + i), .depth = 3 + (uint32_t)(i % (DEPTH_MAX - 2)), .youngest_first = i % 2};
        struct result r = {0};
        if (uat_run(root, &a, sizeof(a), &r, offsetof(struct result, payload)))
            return 1;
        if (r.errors) {
            fprintf(stderr, "random-trees: rank %d: run %lu of seed %lu is wrong (%lu errors)\n", uat_rank(), i, seed,
                    (unsigned long)r.errors);
            return 1;
        }
        if (pools_check())
            return 1;
    }
    uat_stats_detail_t s;
    if (uat_stats_detail_total(&s))
        return 1;
    /*
     * The stacks are small, so a joiner is evacuated without first asking whether its child has ended. A joiner stays
     * in place only if the heap has no room. Torture covers both ways.
     */
    bool leave = !getenv("UAT_HEAP_SIZE") && !strstr(uat_setting("torture"), "delay");
    if (leave && s.joins_second > 100 && s.joins_raced * 10 < s.joins_second * 9) {
        fprintf(stderr, "random-trees: %lu of %lu joins of ended children asked first\n",
                s.joins_second - s.joins_raced, s.joins_second);
        return 1;
    }
    if (uat_rank() == 0)
        printf("%lu runs, %lu tasks, %lu steals, joins first %lu second %lu raced %lu, ends first %lu second %lu, away "
               "%lu, continued "
               "%lu, aborted %lu, second looks %lu, owner waits %lu, given %lu, refused %lu, withdrawn %lu\n",
               runs, s.tasks, s.steals, s.joins_first, s.joins_second, s.joins_raced, s.ends_first, s.ends_second,
               s.resumes_away, s.continued, s.entries_aborted, s.second_looks, s.owner_waits, s.given,
               s.requests_refused, s.requests_withdrawn);
    return uat_finalize() != 0;
}
