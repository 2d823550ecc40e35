/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_atomic_swap() and uat_atomic_store() mixed with other atomics on the same words, near and far. Some
 * tasks add, others take by swaps: nothing is lost and nothing is taken twice. Each value that tasks swap in comes out
 * once. A stored value is loaded. An addition that a task has not waited for is visible when the task next reads the
 * word.
 */
#include <inttypes.h>
#include <stdio.h>

#include <uat.h>
#include <uat/global.h>
#include <uat/pattern.h>

enum { TASKS = 2000, SPREAD = 8192 /* words; chunks of several workers */ };

/* In words[0] some tasks add and others take; in words[SPREAD] tasks swap in their numbers. The other words are for
 * stores. */
static uat_atomic_t *words;

/* What came out of a word, and how many loaded values had not been stored. */
struct taken {
    uint64_t added, numbers, wrong;
};

static void work(int64_t begin, int64_t end, void *partial, const void *arg)
{
    struct taken *t = partial;
    uat_atomic_t *w = *(uat_atomic_t *const *)arg;
    for (int64_t i = begin; i < end; i++) {
        uat_atomic_fetch_add(w, 3);
        if (i % 3 == 0)
            t->added += uat_atomic_swap(w, 0);
        t->numbers += uat_atomic_swap(w + SPREAD, (uint64_t)i + 1);
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
    (void)arg;
    a->added += b->added;
    a->numbers += b->numbers;
    a->wrong += b->wrong;
}

UAT_TASK(struct taken, all, uat_atomic_t *, w)
{
    static const struct taken none;
    const uat_reduction_t reduction = {work, add, &none, sizeof(none)};
    struct taken t;
    uat_reduce(0, TASKS, &reduction, &w, sizeof(w), &t);
    return t;
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
    wrong = added != 3 * TASKS || numbers != TASKS * (TASKS + 1ull) / 2 || t.wrong != 0;
    if (wrong && uat_rank() == 0)
        fprintf(stderr,
                "atomics: %" PRIu64 " of %d added, numbers %" PRIu64 ", %" PRIu64
                " values that are not the last ones\n",
                added, 3 * TASKS, numbers, t.wrong);
    return uat_finalize() || wrong;
}
