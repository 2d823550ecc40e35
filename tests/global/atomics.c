/* SPDX-License-Identifier: MIT */
/*
 * Description: atomics by several tasks on the same words, near and far.
 * - Extremes and bits finally combine all tasks' values, and each old value belongs to exactly one change.
 * - Tasks add, and some of them also take by swaps: no unit is lost, and none is taken twice.
 * - Each value that tasks swap in is swapped out once.
 * - A load returns a value that was stored.
 * - An addition that a task has not waited for is visible when the task next reads the word.
 */
#include <inttypes.h>
#include <stdio.h>

#include <uat.h>
#include <uat/atomic.h>
#include <uat/global.h>
#include <uat/pattern.h>

enum { TASKS = 2000, SPREAD = 8192 /* number of words; they span chunks of several workers */ };

/* Indices of the words for extremes and bits, which are next to words[0] and words[SPREAD]. */
enum { MAX = 1, MIN, MAX_SIGNED, MIN_SIGNED, OR, AND };

/* All tasks add to words[0], and some of them also take from it. Tasks swap their numbers into words[SPREAD]. From
 * words[2 * SPREAD] on, each iteration has a word of its own, 8 words apart, for all other operations. */
static uat_atomic_t *words;

/* Sums of the values that were swapped out, and the number of wrong values that other operations returned. */
struct taken {
    uint64_t added, numbers, wrong;
    uint64_t moved[AND + 1]; /* computed from the old values: how far the extremes have moved; how many bits were set */
};

/* Each change is made by one task. The change's old value shows how far the task has moved the word. The sum of these
 * distances is the last value minus the first. */
static void extremes(struct taken *t, uat_atomic_t *w, int64_t i)
{
    uint64_t value = (uint64_t)i + 1, bit = UINT64_C(1) << (i / 2 % 64), old = uat_atomic_fetch_max(&w[MAX], value);
    t->moved[MAX] += old < value ? value - old : 0;
    value = UINT64_MAX - (uint64_t)i;
    old = uat_atomic_fetch_min(&w[MIN], value);
    t->moved[MIN] += old > value ? old - value : 0;
    int64_t less = i - TASKS, was = uat_atomic_fetch_max_signed(&w[MAX_SIGNED], less);
    t->moved[MAX_SIGNED] += was < less ? (uint64_t)(less - was) : 0;
    was = uat_atomic_fetch_min_signed(&w[MIN_SIGNED], less);
    t->moved[MIN_SIGNED] += was > less ? (uint64_t)(was - less) : 0;
    t->moved[OR] += !(uat_atomic_fetch_or(&w[OR], bit) & bit);
    t->moved[AND] += (uat_atomic_fetch_and(&w[AND], ~bit) & bit) != 0;
}

static void work(int64_t begin, int64_t end, void *partial, const void *arg)
{
    struct taken *t = partial;
    uat_atomic_t *w = *(uat_atomic_t *const *)arg;
    for (int64_t i = begin; i < end; i++) {
        uat_atomic_fetch_add(w, 3);
        if (i % 3 == 0)
            t->added += uat_atomic_swap(w, 0);
        t->numbers += uat_atomic_swap(w + SPREAD, (uint64_t)i + 1);
        extremes(t, i % 2 ? w : w + SPREAD, i);
        uat_atomic_t *own = w + 2 * SPREAD + i * 8;
        uat_atomic_store(own, (uint64_t)i * 5);
        t->wrong += uat_atomic_load(own) != (uint64_t)i * 5;
        uat_atomic_add(own, 2);
        t->wrong += uat_atomic_cmp_swap(own, (uint64_t)i * 5 + 2, (uint64_t)i) != (uint64_t)i * 5 + 2;
        uat_atomic_add(own, 3);
        t->wrong += uat_atomic_fetch_add(own, 4) != (uint64_t)i + 3;
        uat_atomic_add(own, 5);
        t->wrong += uat_atomic_load(own) != (uint64_t)i + 12;
    }
}

static void add(void *left, const void *right, const void *arg)
{
    struct taken *a = left;
    const struct taken *b = right;
    a->added += b->added;
    a->numbers += b->numbers;
    a->wrong += b->wrong;
    for (int k = 0; k <= AND; k++)
        a->moved[k] += b->moved[k];
}

UAT_TASK(struct taken, all, uat_atomic_t *, w)
{
    static const struct taken none;
    const uat_reduction_t reduction = {work, add, &none, sizeof(none)};
    struct taken t;
    for (int half = 0; half < 2; half++) {
        uat_atomic_store(&w[half * SPREAD + MIN], UINT64_MAX);
        uat_atomic_store(&w[half * SPREAD + MAX_SIGNED], (uint64_t)INT64_MIN);
        uat_atomic_store(&w[half * SPREAD + AND], UINT64_MAX);
    }
    uat_reduce(0, TASKS, 0, &reduction, &w, sizeof(w), &t);
    return t;
}

/* The number of words for extremes and bits whose value is wrong. */
static uint64_t count_wrong(const struct taken *t)
{
    uint64_t sum[AND + 1] = {0}, wrong = 0;
    for (int half = 0; half < 2; half++) {
        const uat_atomic_t *w = words + half * SPREAD;
        uint64_t last = half ? TASKS - 2 : TASKS - 1; /* the last even or odd iteration */
        uint64_t least = (uint64_t) - (int64_t)(half ? TASKS : TASKS - 1), most = last - TASKS;
        wrong += uat_atomic_load(&w[MAX]) != last + 1;
        wrong += uat_atomic_load(&w[MIN]) != UINT64_MAX - last;
        wrong += uat_atomic_load(&w[MAX_SIGNED]) != most;
        wrong += uat_atomic_load(&w[MIN_SIGNED]) != least;
        wrong += uat_atomic_load(&w[OR]) != UINT64_MAX;
        wrong += uat_atomic_load(&w[AND]) != 0;
        const uint64_t by[] = {0, last + 1, last, most - (uint64_t)INT64_MIN, -least, 64, 64};
        for (int k = 0; k <= AND; k++)
            sum[k] += by[k];
    }
    for (int k = 0; k <= AND; k++)
        wrong += sum[k] != t->moved[k];
    return wrong;
}

int main(void)
{
    struct taken t;
    int wrong = 1;
    if (uat_init() ||
        !(words = uat_global_alloc((2 * SPREAD + TASKS * 8) * sizeof(*words), UAT_CYCLIC, UAT_GLOBAL_BLOCK)))
        return 1;
    if (all_run(&t, words))
        return 1;
    uint64_t added = t.added + uat_atomic_load(words), numbers = t.numbers + uat_atomic_load(words + SPREAD);
    wrong = added != 3 * TASKS || numbers != TASKS * (TASKS + 1ull) / 2 || t.wrong != 0 || count_wrong(&t) != 0;
    if (wrong && uat_rank() == 0)
        fprintf(stderr,
                "atomics: %" PRIu64 " of %d added, numbers %" PRIu64 ", %" PRIu64
                " values that are not the last ones\n",
                added, 3 * TASKS, numbers, t.wrong);
    return uat_finalize() || wrong;
}
