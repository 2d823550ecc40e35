/* SPDX-License-Identifier: MIT */
/*
 * Description: a program for tests of checkpoints. Its runs are random trees of tasks with frames of random sizes. Some
 * tasks ask for a checkpoint. Every task checks its frame after its joins. Only the arguments determine the answer and
 * the number of tasks, even if the job was restarted many times.
 *
 * usage: generations SEED RUNS DEPTH ASK [memory] (one in ASK tasks asks for a checkpoint; 0: none does)
 *   memory   the tasks also use arrays and objects of global memory (memory.h); a last run computes their hash
 * FORGET in the environment: after a restart main() makes no call for global memory.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/faults/memory.h"
#include "tests/mix.h"
#include "uat.h"
#include "uat/checkpoint.h"
#include "uat/pattern.h"

enum { CHILDREN_MAX = 5, WORDS_MAX = 300, SPINS = 2000 };

struct arg {
    uint64_t seed, ask;
    uint32_t depth, words;
    struct memory memory;
};

struct result {
    uint64_t value, tasks, errors;
    void *object;
};

static bool with_memory; /* set by main() */

static void node(void *arg, void *result);

/* Some work, during which thieves may send requests. */
static uint64_t burn(uint64_t seed)
{
    for (uint64_t i = seed % SPINS; i > 0; i--) {
        seed = mix(seed);
        if (i % 256 == 0)
            uat_work_wanted();
    }
    return seed;
}

static void add(struct result *sum, const struct result *one, size_t place)
{
    sum->value = mix(sum->value + one->value * (2 * place + 1));
    sum->tasks += one->tasks;
    sum->errors += one->errors;
}

/* Spawn children with handles in the order of their places, and join them in reverse order. */
static void by_handles(const struct arg *child, size_t n, struct result *sum)
{
    uat_task_t handle[CHILDREN_MAX];
    struct result result[CHILDREN_MAX];
    for (size_t i = 0; i < n; i++)
        uat_spawn(&handle[i], node, &child[i], sizeof(child[i]), &result[i], sizeof(result[i]));
    for (size_t i = n; i-- > 0;)
        uat_join(&handle[i]);
    for (size_t i = 0; i < n; i++) {
        add(sum, &result[i], i);
        if (with_memory)
            sum->errors += memory_free(result[i].object, mix(child[i].seed));
    }
}

static void node(void *arg, void *result)
{
    struct arg a = *(const struct arg *)arg;
    struct result *sum = result;
    struct arg child[CHILDREN_MAX];
    uint64_t seed = mix(a.seed), words[a.words + 1];
    size_t n = a.depth == 0 ? 0 : 1 + seed % CHILDREN_MAX;
    for (uint32_t i = 0; i < a.words; i++)
        words[i] = seed + i;
    if (with_memory)
        memory_begin(&a.memory, seed);
    *sum = (struct result){.value = burn(seed), .tasks = 1};
    for (size_t i = 0; i < n; i++)
        child[i] = (struct arg){.seed = mix(seed + i + 1),
                                .ask = a.ask,
                                .depth = a.depth - 1 - (uint32_t)(mix(seed - i) % (a.depth > 2 ? 2 : 1)),
                                .words = (uint32_t)(mix(seed ^ i) % WORDS_MAX),
                                .memory = memory_child(&a.memory, i, n)};
    if (a.ask > 0 && mix(seed + 77) % a.ask == 0)
        uat_checkpoint(0);
    by_handles(child, n, sum);
    for (uint32_t i = 0; i < a.words; i++)
        sum->errors += words[i] != seed + i;
    if (with_memory)
        sum->errors += memory_end(&a.memory, seed);
    sum->object = a.memory.object;
}

/* The root. It also frees its object. */
static void tree(void *arg, void *result)
{
    struct result *sum = result;
    node(arg, sum);
    if (with_memory)
        sum->errors += memory_free(sum->object, mix(((const struct arg *)arg)->seed));
    sum->object = NULL;
}

static void hash(void *arg, void *result)
{
    (void)arg;
    *(uint64_t *)result = memory_hash();
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 6 || uat_init() < 0)
        return 2;
    with_memory = argc == 6 && !(getenv("FORGET") && uat_restarted());
    uint64_t seed = strtoull(argv[1], NULL, 10), runs = strtoull(argv[2], NULL, 10);
    struct result sum = {.value = seed};
    uat_stats_t stats;
    for (uint64_t run = 0; run < runs; run++) {
        struct result one;
        struct arg root = {.seed = mix(sum.value + run),
                           .ask = strtoull(argv[4], NULL, 10),
                           .depth = (uint32_t)strtoul(argv[3], NULL, 10)};
        if (with_memory && memory_open(run))
            return 1;
        root.memory = memory_root();
        if (uat_run(tree, &root, sizeof(root), &one, sizeof(one)) < 0)
            return 1;
        add(&sum, &one, run);
    }
    uint64_t bytes = 0;
    if (with_memory && uat_run(hash, NULL, 0, &bytes, sizeof(bytes)) < 0)
        return 1;
    sum.value += bytes;
    sum.tasks += with_memory;
    if (uat_stats_total(&stats) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("value %016llx tasks %llu errors %llu\n", (unsigned long long)sum.value, (unsigned long long)sum.tasks,
               (unsigned long long)sum.errors);
    if (uat_rank() == 0)
        fprintf(stderr, "counted %llu restarted %d\n", (unsigned long long)stats.tasks, uat_restarted());
    return uat_finalize() < 0;
}
