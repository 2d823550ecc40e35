/* SPDX-License-Identifier: MIT */
/*
 * Irregular accesses to global memory: bale's histogram and index gather, and HPCC's RandomAccess (GUPS). Each worker
 * has a part of the table and makes its own updates, in one of two ways:
 * - words: an operation for each word: an atomic addition, a get, or an exclusive or by compare-and-swap. Up to
 *   --window gets are in flight.
 * - bundles: the worker sorts --window numbers by the worker that keeps the word, and sends each bundle as a task to
 *   this worker, which changes its own memory. Such a task never waits, so no other task of the worker runs meanwhile.
 *   HPCC allows a window of up to 1024 updates.
 *
 * Both ways are exact. Every run checks each word: the histogram is counted down again, the values of the gather are
 * compared, and GUPS repeats all updates, which must restore the table. HPCC allows errors in 1 % of the words; here
 * one error fails the run.
 */
#include <errno.h>
#include <stdlib.h>

#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/irregular.h"
#include "inspect/inspect.h"
#include "uat/global.h"
#include "uat/transfer.h"

enum { WINDOW_MAX = 1024 };

/* What is done to the word of each number. */
enum work { COUNT_UP, COUNT_DOWN, COMPARE, COMBINE };

static int64_t kernel, bundled, words_log = 16, updates_log = 18, window = 256;
static uat_atomic_t *table;
static uint64_t errors_here;            /* wrong words found on this worker */
static uint32_t starts[UINT16_MAX + 1]; /* of sort_by_home(): where each worker's numbers start */

static uint64_t mask(void)
{
    return ((uint64_t)uat_size() << words_log) - 1;
}

static uat_atomic_t *word_of(uint64_t number)
{
    return table + (number & mask());
}

static uint64_t home_of(uint64_t number)
{
    return (number & mask()) >> words_log;
}

/* The exclusive or of any word. */
static void combine(uat_atomic_t *word, uint64_t number)
{
    uint64_t old = uat_atomic_load(word), seen;

    while ((seen = uat_atomic_cmp_swap(word, old, old ^ number)) != old)
        old = seen;
}

/* Read the words of `count` numbers from x on, all at a time, and compare them. */
static void gather_words(uint64_t x, int64_t count)
{
    uat_global_transfer_t transfer[WINDOW_MAX];
    uint64_t value[WINDOW_MAX], number = x;

    for (int64_t i = 0; i < count; i++, number = uat_random_next(number))
        uat_global_get_begin(&transfer[i], &value[i], word_of(number), sizeof(value[i]));
    for (int64_t i = 0; i < count; i++, x = uat_random_next(x)) {
        uat_global_transfer_wait(&transfer[i]);
        errors_here += value[i] != uat_gather_word(x & mask());
    }
}

/* An operation for each word of `count` numbers from x on. */
static void access_words(uint64_t x, int64_t count, enum work work)
{
    for (int64_t i = 0; i < count; i++, x = uat_random_next(x)) {
        if (work == COMBINE)
            combine(word_of(x), x);
        else
            uat_atomic_add(word_of(x), work == COUNT_UP ? 1 : UINT64_MAX);
    }
}

struct bundle {
    uint32_t work, count;
    uint64_t number[WINDOW_MAX];
};

/* The task of a bundle, on the worker that keeps the words. */
static void access_bundle(void *arg, void *result)
{
    const struct bundle *bundle = (const struct bundle *)arg;

    (void)result;
    for (uint32_t i = 0; i < bundle->count; i++) {
        uint64_t *word = &word_of(bundle->number[i])->value;

        if (bundle->work == COMBINE)
            *word ^= bundle->number[i];
        else
            *word += bundle->work == COUNT_UP ? 1 : UINT64_MAX;
    }
}

/* Sort `count` numbers from x on by the worker that keeps their words. */
static void sort_by_home(uint64_t x, int64_t count, uint64_t *sorted)
{
    uint64_t number = x;
    uint32_t start = 0;

    for (int r = 0; r < uat_size(); r++)
        starts[r] = 0;
    for (int64_t i = 0; i < count; i++, number = uat_random_next(number))
        starts[home_of(number)]++;
    for (int r = 0; r < uat_size(); r++) {
        uint32_t numbers = starts[r];

        starts[r] = start;
        start += numbers;
    }
    for (int64_t i = 0; i < count; i++, x = uat_random_next(x))
        sorted[starts[home_of(x)]++] = x;
}

/* Send `count` numbers from x on to the workers that keep their words. Never inlined, so that the caller waits without
 * these arrays on its stack. */
__attribute__((noinline)) static void send_bundles(uat_group_t *group, uint64_t x, int64_t count, enum work work)
{
    struct bundle bundle = {.work = work};
    uint64_t sorted[WINDOW_MAX];

    sort_by_home(x, count, sorted);
    for (int64_t i = 0; i < count;) {
        uint64_t home = home_of(sorted[i]);

        for (bundle.count = 0; i < count && home_of(sorted[i]) == home; i++)
            bundle.number[bundle.count++] = sorted[i];
        uat_group_spawn_on(group, (int)home, access_bundle, &bundle,
                           offsetof(struct bundle, number) + bundle.count * sizeof(uint64_t));
    }
}

/* The updates of one worker: numbers first to first + 2^updates_log - 1. */
UAT_TASK_VOID(update, uint64_t, first, enum work, work)
{
    int64_t left = (int64_t)1 << updates_log;
    uat_group_t group;

    uat_group_begin(&group);
    for (uint64_t x = uat_random_at(first); left > 0; left -= window) {
        int64_t count = left < window ? left : window;

        if (bundled) {
            send_bundles(&group, x, count, work);
            uat_group_wait(&group);
        } else if (work == COMPARE) {
            gather_words(x, count);
        } else {
            access_words(x, count, work);
        }
        for (int64_t i = 0; i < count; i++)
            x = uat_random_next(x);
    }
}

UAT_TASK_VOID(update_all, enum work, work)
{
    uat_group_t group;

    uat_group_begin(&group);
    for (int r = 0; r < uat_size(); r++)
        update_group_spawn_on(&group, r, (uint64_t)r << updates_log, work);
    uat_group_wait(&group);
}

static uint64_t initial_word(uint64_t i)
{
    return kernel == UAT_HISTOGRAM ? 0 : kernel == UAT_GATHER ? uat_gather_word(i) : i;
}

static int prepare(void)
{
    table = uat_global_alloc(((size_t)uat_size() << words_log) * sizeof(*table), UAT_BLOCKED, 0);
    return table ? 0 : -ENOMEM;
}

/* Set this worker's part of the table, or count its words that do not have their initial value. */
static int visit_own(bool set)
{
    uint64_t first = (uint64_t)uat_rank() << words_log;

    for (uint64_t i = first; i < first + ((uint64_t)1 << words_log); i++) {
        if (set)
            table[i].value = initial_word(i);
        else
            errors_here += table[i].value != initial_word(i);
    }
    return uat_barrier();
}

static int run(uint64_t *answer)
{
    static const enum work works[] = {COUNT_UP, COMPARE, COMBINE};

    errors_here = 0;
    uat_bench_pause();
    int rc = visit_own(true);
    uat_bench_resume();
    *answer = (uint64_t)uat_size() << updates_log;
    return rc ? rc : update_all_run(works[kernel]);
}

/* Set *rest to what all words have gained less what all updates add: 0 if no update is lost. Without this check,
 * updates that are lost twice would pass, because the second pass takes back the first. */
static int find_rest(uint64_t *rest)
{
    uint64_t *all = calloc((size_t)uat_size(), sizeof(*all)), own = 0;
    uint64_t first = (uint64_t)uat_rank() << words_log, x = uat_random_at((uint64_t)uat_rank() << updates_log);

    for (uint64_t i = first; i < first + ((uint64_t)1 << words_log); i++)
        own = kernel == UAT_GUPS ? own ^ table[i].value ^ initial_word(i) : own + table[i].value - initial_word(i);
    for (int64_t i = 0; i < (int64_t)1 << updates_log && kernel != UAT_GATHER; i++, x = uat_random_next(x))
        own = kernel == UAT_GUPS ? own ^ x : own - 1;
    int rc = all ? uat_inspect_gather(own, all) : -ENOMEM;
    *rest = 0;
    for (int i = 0; i < uat_size() && !rc; i++)
        *rest = kernel == UAT_GUPS ? *rest ^ all[i] : *rest + all[i];
    free(all);
    return rc;
}

/* Take the updates back, and look for words that differ from their initial value. */
static int verify(bool *correct)
{
    static const enum work works[] = {COUNT_DOWN, COMPARE, COMBINE};
    struct uat_gathered errors = {0};
    uint64_t rest;
    int rc = find_rest(&rest);

    if (!rc)
        rc = update_all_run(works[kernel]);
    if (!rc)
        rc = visit_own(false);
    if (!rc)
        rc = uat_gather(errors_here, &errors);
    *correct = errors.sum == 0 && rest == 0;
    if (!rc && !*correct && uat_rank() == 0)
        fprintf(stderr, "uat-irregular: %llu words are wrong%s\n", (unsigned long long)errors.sum,
                rest ? ", and updates are lost" : "");
    return rc;
}

static int finish(void)
{
    return uat_global_free(table);
}

static const char *refuse(void)
{
    return bundled && kernel == UAT_GATHER ? "--bundled 1 is for --kernel 0 and 2: bundles bring no values back" : NULL;
}

static const struct uat_bench_option options[] = {
    {"--kernel", "N", "0 histogram, 1 index gather, 2 GUPS", &kernel, NULL, 0, UAT_IRREGULAR_KERNELS - 1},
    {"--bundled", "0|1", "0: an operation for each word; 1: a task for all words of a worker", &bundled, NULL, 0, 1},
    {"--words", "LOG", "logarithm of the words of each worker, to the base 2", &words_log, NULL, 13, 30},
    {"--updates", "LOG", "logarithm of the updates of each worker, to the base 2", &updates_log, NULL, 0, 34},
    {"--window", "N", "updates of a worker at a time", &window, NULL, 1, WINDOW_MAX},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-irregular",
    .purpose = "Random accesses to global memory: histogram, index gather, and GUPS.",
    .options = options,
    .results = {"updates"},
    .rate = true,
    .refuse = refuse,
    .run = run,
    .prepare = prepare,
    .verify = verify,
    .finish = finish,
};
