/* SPDX-License-Identifier: MIT */
/*
 * Description: random sequences of data-flow tasks leave the same memory as their sequential execution. The sequences
 * have all modes, nested flows, waits for single data, values, scratch memory, small windows and wishes for hosts.
 *
 * usage: random RUNS SEED [LENGTH ASK [WINDOW]] (a sequence has 20 to 20 + LENGTH spawns; one in ASK spawns asks for a
 *        checkpoint, 0: none does; WINDOW: the window of all sequences, 0: the seed decides)
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/checkpoint.h"
#include "uat/dataflow.h"

enum { DATA = 24, WORDS = 8, ACCESSES = 3, KINDS = 11 };

/* A datum: words, some of which nested flows use as separate data. */
struct datum {
    uint64_t word[WORDS];
};

static unsigned char *array;

static struct datum *datum(unsigned i)
{
    return (struct datum *)(void *)(array + (size_t)i * UAT_GLOBAL_BLOCK + i * 192);
}

/* A task of the sequence. It depends only on the seed and the task's number. */
struct task {
    uint64_t key;
    /* 0, 1: uat_flow_spawn(); 2: three tiles; 3: scratch; 4: nested; 5: any; 6: add; 7, 8: any and add by
     * uat_flow_spawn(); 9: rows; 10: any and add of one datum */
    unsigned kind;
    bool ordered; /* the flow keeps tasks with the modes any and add in order */
    unsigned n, at[ACCESSES];
    enum uat_flow_mode mode[ACCESSES];
};

static uint64_t below(uint64_t key, uint64_t n, unsigned i)
{
    return mix(key + i) % n;
}

static struct task task_of(uint64_t seed, uint64_t number)
{
    static const enum uat_flow_mode modes[] = {UAT_FLOW_IN, UAT_FLOW_IN, UAT_FLOW_INOUT, UAT_FLOW_OUT},
                                    sums[] = {UAT_FLOW_IN, UAT_FLOW_ANY, UAT_FLOW_ANY, UAT_FLOW_ADD};
    struct task t = {.key = mix(seed * 1000003 + number)};
    /* Sequences differ in the number of data, so some have long chains and some have many readers. */
    unsigned data = 4 + (unsigned)below(seed, DATA - 3, 1);
    t.kind = (unsigned)below(t.key, KINDS, 1);
    t.ordered = below(seed, 4, 8) == 0;
    if (below(seed, 6, 13) == 0) { /* all tasks change one datum in any order */
        data = 1;
        t.kind = 5 + (unsigned)below(t.key, 2, 1);
    }
    t.n = (t.kind >= 4 && t.kind <= 6) || t.kind >= 9 ? 1 : t.kind == 2 ? 3 : 1 + (unsigned)below(t.key, ACCESSES, 2);
    for (unsigned i = 0; i < t.n; i++) {
        unsigned tries = 0;
        do
            t.at[i] = (unsigned)below(t.key, data, 100 + 50 * i + tries++);
        while ((i > 0 && t.at[i] == t.at[0]) || (i > 1 && t.at[i] == t.at[1]));
        if (t.kind == 7 || t.kind == 8)
            t.mode[i] = sums[below(t.key, 4, 20 + i)];
        else
            t.mode[i] = below(seed, 3, 2) == 0 && i + 1 < t.n ? UAT_FLOW_IN : modes[below(t.key, 4, 20 + i)];
    }
    return t;
}

/* A task's changes to its data, which are at place[]. */
static void change(uint64_t key, unsigned n, const enum uat_flow_mode *mode, struct datum *const *place)
{
    uint64_t sum = key;
    for (unsigned i = 0; i < n; i++)
        for (unsigned w = 0; w < WORDS && mode[i] != UAT_FLOW_OUT; w++)
            sum = mix(sum + place[i]->word[w]);
    for (unsigned i = 0; i < n; i++)
        for (unsigned w = 0; w < WORDS && mode[i] != UAT_FLOW_IN; w++)
            place[i]->word[w] = (mode[i] == UAT_FLOW_OUT ? 0 : place[i]->word[w]) + mix(sum + w);
}

static volatile uint64_t spent;

/* Take some time, which depends on the key. */
static void spend(uint64_t key)
{
    for (uint64_t i = mix(key) % 2000; i > 0; i--)
        spent = i;
    uat_sim_work(mix(key + 1) % 20000);
}

typedef struct datum tile;
static const enum uat_flow_mode tile_modes[] = {UAT_FLOW_IN, UAT_FLOW_INOUT, UAT_FLOW_OUT};

UAT_FLOW_TASK(tiles, value, uint64_t, key, in, tile, a, inout, tile, b, out, tile, c)
{
    struct datum copy = *a, *const at[] = {&copy, b, c};
    spend(key);
    change(key, 3, tile_modes, at);
}

UAT_FLOW_TASK(scratched, scratch, tile, room, inout, tile, a, value, uint64_t, key)
{
    struct datum *const at[] = {a};
    memcpy(room, a, sizeof(*room));
    spend(key);
    memcpy(a, room, sizeof(*room));
    change(key, 1, &tile_modes[1], at);
}

/* Add to a datum, in any order unless `ordered`. Two tasks at the same time would lose an addition. */
static void sum(struct datum *a, uint64_t key, bool ordered)
{
    for (unsigned w = 0; w < WORDS; w++) {
        uint64_t old = a->word[w];
        if (w == 0) {
            spend(key);
            uat_sim_work(mix(key + 2) % 4 == 0 ? 200000 : 0); /* longer than a steal, even under the adversary */
        }
        a->word[w] = ordered ? mix(old + key) : old + mix(key + w);
    }
}

static void tile_add(tile *a, const tile *more)
{
    for (unsigned w = 0; w < WORDS; w++)
        a->word[w] += more->word[w];
}

UAT_FLOW_TASK(excluded, any, tile, a, value, uint64_t, key, value, bool, ordered)
{
    sum(a, key, ordered);
}

UAT_FLOW_TASK(added, value, uint64_t, key, add, tile, a, value, bool, ordered)
{
    sum(a, key, ordered);
}

/* A task that names one datum with two modes. The task has exclusive access. So `more` is the datum itself, and not
 * separate memory that is added to the datum later. */
UAT_FLOW_TASK(both, add, tile, more, any_below, tile, a, value, uint64_t, key)
{
    (void)a;
    sum(more, key, false);
}

static void add_any(void *a, const void *more)
{
    tile_add(a, more);
}

/* Change the data of all modes except UAT_FLOW_IN. The changes depend on the contents of the other data. */
static void sum_all(uint64_t key, unsigned n, const enum uat_flow_mode *mode, struct datum *const *place, bool ordered)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned w = 0; w < WORDS && mode[i] == UAT_FLOW_IN; w++)
            key = mix(key + place[i]->word[w]);
    for (unsigned i = 0; i < n; i++)
        if (mode[i] != UAT_FLOW_IN)
            sum(place[i], key + i, ordered);
}

struct dynamic {
    uint64_t key;
    unsigned n;
    bool sums, ordered;
    enum uat_flow_mode mode[ACCESSES];
};

static void run_dynamic(void *arg, const uat_flow_place_t *place)
{
    struct dynamic d;
    struct datum *at[ACCESSES];
    memcpy(&d, arg, sizeof(d));
    for (unsigned i = 0; i < d.n; i++)
        at[i] = place[i].at;
    if (d.sums) {
        sum_all(d.key, d.n, d.mode, at, d.ordered);
        return;
    }
    spend(d.key);
    change(d.key, d.n, d.mode, at);
}

/* Every second word of a datum. */
enum { ROWS = WORDS / 2 };

static void run_rows(void *arg, const uat_flow_place_t *place)
{
    uint64_t key;
    memcpy(&key, arg, sizeof(key));
    spend(key);
    for (unsigned i = 0; i < ROWS; i++) {
        uint64_t *word = (uint64_t *)(void *)((char *)place->at + i * place->pitch);
        *word = mix(*word + key);
    }
}

UAT_FLOW_TASK(inner, inout, uint64_t, a, in, uint64_t, b, value, uint64_t, key)
{
    spend(key);
    *a = mix(*a + *b + key);
}

UAT_TASK(uint64_t, leaf, uint64_t, key)
{
    spend(key);
    return mix(key);
}

/* A body with a nested flow and a plain child. */
UAT_FLOW_TASK(nested, inout_below, tile, a, value, uint64_t, key)
{
    uat_flow_t f;
    leaf_task child;
    uat_flow_begin(&f);
    leaf_spawn(&child, key);
    for (unsigned i = 0; i < 6; i++)
        inner_flow(&f, &a->word[(key + i) % WORDS], &a->word[(key + 3 * i + 1) % WORDS], key + i);
    uat_flow_end(&f);
    uint64_t more = leaf_join(&child), word;
    uat_global_get(&word, &a->word[0], sizeof(word));
    word += more;
    uat_global_put(&a->word[0], &word, sizeof(word));
}

static void spawn(uat_flow_t *f, const struct task *t)
{
    uat_flow_access_t access[ACCESSES];
    const uat_flow_access_t rows = {
        .p = datum(t->at[0]), .mode = UAT_FLOW_INOUT, .rows = ROWS, .bytes = 8, .pitch = 16};
    struct dynamic d = {.key = t->key, .n = t->n, .sums = t->kind >= 7, .ordered = t->ordered};
    memcpy(d.mode, t->mode, sizeof(d.mode));
    switch (t->kind) {
    case 2:
        tiles_flow(f, t->key, datum(t->at[0]), datum(t->at[1]), datum(t->at[2]));
        return;
    case 3:
        scratched_flow(f, datum(t->at[0]), t->key);
        return;
    case 4:
        nested_flow(f, datum(t->at[0]), t->key);
        return;
    case 5:
        excluded_flow(f, datum(t->at[0]), t->key, t->ordered);
        return;
    case 6:
        added_flow(f, t->key, datum(t->at[0]), t->ordered);
        return;
    case 10:
        both_flow(f, datum(t->at[0]), datum(t->at[0]), t->key);
        return;
    case 9:
        uat_flow_spawn(f, run_rows, &t->key, sizeof(t->key), &rows, 1);
        return;
    default:
        for (unsigned i = 0; i < t->n; i++)
            access[i] = (uat_flow_access_t){
                .p = datum(t->at[i]), .mode = t->mode[i], .bytes = sizeof(struct datum), .add = add_any};
        uat_flow_spawn(f, run_dynamic, &d, sizeof(d), access, t->n);
    }
}

/* Execute the sequence without the runtime. */
static void imitate(struct datum *data, const struct task *t)
{
    struct datum *at[ACCESSES], *a = &data[t->at[0]];
    for (unsigned i = 0; i < t->n; i++)
        at[i] = &data[t->at[i]];
    if (t->kind == 2) {
        change(t->key, 3, tile_modes, at);
    } else if (t->kind == 3) {
        change(t->key, 1, &tile_modes[1], at);
    } else if (t->kind == 4) {
        for (unsigned i = 0; i < 6; i++) {
            uint64_t *word = &a->word[(t->key + i) % WORDS];
            *word = mix(*word + a->word[(t->key + 3 * i + 1) % WORDS] + t->key + i);
        }
        a->word[0] += mix(t->key);
    } else if (t->kind == 5 || t->kind == 6) {
        sum(a, t->key, t->ordered);
    } else if (t->kind == 9) {
        for (unsigned i = 0; i < ROWS; i++)
            a->word[2 * i] = mix(a->word[2 * i] + t->key);
    } else if (t->kind == 10) {
        sum(a, t->key, false);
    } else if (t->kind >= 7) {
        sum_all(t->key, t->n, t->mode, at, t->ordered);
    } else {
        change(t->key, t->n, t->mode, at);
    }
}

/* Wait for one datum, and return its number of wrong words. */
static uint64_t look(uat_flow_t *f, unsigned i, const struct datum *expected)
{
    struct datum found;
    uint64_t wrong = 0;
    uat_flow_wait_datum(f, datum(i), UAT_FLOW_IN);
    uat_global_get(&found, datum(i), sizeof(found));
    for (unsigned w = 0; w < WORDS; w++)
        wrong += found.word[w] != expected->word[w];
    return wrong;
}

/* The unroller waits, so that all tasks may end. Then the next tasks run in place again. */
static void linger(void)
{
    uint64_t begin = uat_time_ns();
    uat_sim_work(200000);
    while (uat_time_ns() - begin < 200000)
        spent++;
}

/* The unroller itself changes a datum, after all tasks that access the datum have ended. Every mode except UAT_FLOW_IN
 * waits for them. */
static void change_here(uat_flow_t *f, unsigned i, uint64_t key, struct datum *expected)
{
    static const enum uat_flow_mode modes[] = {UAT_FLOW_OUT, UAT_FLOW_INOUT, UAT_FLOW_ANY, UAT_FLOW_ADD};
    for (unsigned w = 0; w < WORDS; w++)
        expected->word[w] = mix(key + w);
    uat_flow_wait_datum(f, datum(i), modes[below(key, 4, 9)]);
    memcpy(uat_global_checkout(datum(i), sizeof(*expected), UAT_WRITE), expected, sizeof(*expected));
    uat_global_checkin(datum(i), sizeof(*expected), UAT_WRITE);
}

/* Set the wish for the next tasks: no wish, any host, or the host of some datum. */
static void wish(uat_flow_t *f, uint64_t key)
{
    const void *const at[] = {NULL, UAT_FLOW_ANYWHERE, datum((unsigned)below(key, DATA, 11))};
    uat_flow_set_home(f, at[below(key, 3, 12)]);
}

UAT_TASK(uint64_t, sequence, uint64_t, seed, uint64_t, tasks, uint64_t, ask, uint64_t, window)
{
    struct datum expected[DATA];
    uint64_t wrong = 0;
    uat_flow_t f;
    for (unsigned i = 0; i < DATA; i++) {
        for (unsigned w = 0; w < WORDS; w++)
            expected[i].word[w] = mix(seed + i * WORDS + w);
        uat_global_put(datum(i), &expected[i], sizeof(expected[i]));
    }
    uat_flow_begin(&f);
    if (window > 0 || below(seed, 3, 3) == 0)
        uat_flow_set_window(&f, window > 0 ? window : 1 + below(seed, 20, 4));
    if (task_of(seed, 0).ordered)
        uat_flow_keep_order(&f);
    for (uint64_t k = 0; k < tasks; k++) {
        const struct task t = task_of(seed, k);
        imitate(expected, &t);
        if (ask > 0 && below(t.key, ask, 9) == 0)
            uat_checkpoint(0);
        if (below(t.key, 10, 10) == 0)
            wish(&f, t.key);
        spawn(&f, &t);
        if (below(t.key, 20, 7) == 0)
            linger();
        if (below(t.key, 30, 6) == 0)
            change_here(&f, t.at[0], t.key, &expected[t.at[0]]);
        if (below(t.key, 50, 5) == 0)
            wrong += look(&f, t.at[0], &expected[t.at[0]]);
    }
    uat_flow_end(&f);
    uat_flow_begin(&f); /* no task is under way */
    for (unsigned i = 0; i < DATA; i++)
        wrong += look(&f, i, &expected[i]);
    uat_flow_end(&f);
    return wrong;
}

int main(int argc, char **argv)
{
    uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 0) : 10, seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    uint64_t ask = argc > 4 ? strtoull(argv[4], NULL, 0) : 0, failed = 0;
    uint64_t length = argc > 4 ? strtoull(argv[3], NULL, 0) : 300, window = argc > 5 ? strtoull(argv[5], NULL, 0) : 0;
    if (uat_init() < 0)
        return 1;
    array = uat_global_alloc((DATA + 1) * UAT_GLOBAL_BLOCK, UAT_CYCLIC, 0);
    if (!array)
        return 1;
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t wrong = 0;
        if (sequence_run(&wrong, seed + i, 20 + mix(seed + i) % length, ask, window) < 0)
            return 1;
        if (wrong && uat_rank() == 0)
            printf("seed %llu: %llu wrong words\n", (unsigned long long)(seed + i), (unsigned long long)wrong);
        failed += wrong != 0;
    }
    if (uat_rank() == 0)
        printf("%llu sequences, %llu wrong\n", (unsigned long long)runs, (unsigned long long)failed);
    return uat_finalize() < 0 || failed > 0;
}
