/* SPDX-License-Identifier: MIT */
/*
 * Description: cancelled groups:
 * - running children on every worker learn of the cancellation, and no more children are started
 * - inner groups are also cancelled, and outer groups are not
 * - a search ends early
 * Usage: cancel [ROUNDS [CASE]]
 */
#include <stdbool.h>
#include <uat/global.h>
#include <uat/object.h>
#include <uat/sync.h>

#include "tests/programs/pools.h"
#include "tests/programs/rounds.h"

enum { CHILDREN = 40, LATER = 50, DEPTH = 9, ARMS = 3, LEAVES = 19683 /* ARMS^DEPTH */, LEAF_US = 20, TRIES = 300 };

/* COUNTER is a counter. The other words are for spin(): whether the group was cancelled, how many tasks ended before
 * the cancellation, and how many cancelled the group and did not see this at once. */
enum { COUNTER, CANCELLED, TOO_EARLY, TOO_LATE, WORDS };

/* What a spinning child does: it only waits for the cancellation, or cancels, or cancels if another child does. */
enum { WAITS, CANCELS, FOLLOWS };

static uat_atomic_t *new_words(void)
{
    uat_atomic_t *words = uat_global_object_alloc(WORDS * sizeof(*words));
    for (int i = 0; i < WORDS; i++)
        uat_atomic_store(&words[i], 0);
    return words;
}

/* One child cancels. The other children would run forever if they did not learn of the cancellation. */
UAT_TASK_VOID(spin, uat_cancel_t, cancel, uat_atomic_t *, started, int, role)
{
    uat_atomic_add(started, 1);
    if (role == CANCELS) {
        uat_atomic_swap(&started[CANCELLED], 1); /* set before the cancellation */
        uat_group_cancel(cancel);
    }
    while (!uat_cancelled(cancel)) {
        uat_yield();
        if (role == FOLLOWS && uat_atomic_load(&started[CANCELLED])) {
            uat_group_cancel(cancel);
            uat_atomic_add(&started[TOO_LATE], !uat_cancelled(cancel));
        }
    }
    if (!uat_atomic_load(&started[CANCELLED]))
        uat_atomic_add(&started[TOO_EARLY], 1);
}

UAT_TASK_VOID(nothing, int, unused)
{
}

/* A task that stays away from the group's home. On another worker it asks whether the group is cancelled, gets the
 * answer no, and stays until it learns of the cancellation. Under the message protocol it also spawns while it waits:
 * its worker answers thieves only at a spawn, and may have the continuation that cancels. If this task itself is given
 * away and arrives at the group's home, it ends. */
UAT_TASK_VOID(stay, uat_cancel_t, cancel, uat_atomic_t *, word, int, home)
{
    for (int tries = 0; uat_rank() == home && tries < TRIES && !uat_cancelled(cancel); tries++)
        uat_yield();
    uat_cancelled(cancel);
    uat_atomic_add(word, 1);
    bool by_message = strcmp(uat_setting("deque"), "message") == 0;
    while (uat_rank() != home && !uat_cancelled(cancel)) {
        uat_sim_work(1000);
        if (by_message) {
            nothing_task child;
            nothing_spawn(&child, 0);
            nothing_join(&child);
        }
    }
}

/* A stored answer, which is kept for a limited time, must expire. */
UAT_TASK(int, fresh, int, unused)
{
    uat_atomic_t *word = new_words();
    uat_group_t group;
    uat_group_begin(&group);
    uat_cancel_t cancel = uat_group_make_cancellable(&group);
    int home = uat_rank(), children = uat_size() - 1;
    for (int i = 0; i < children; i++)
        stay_group_spawn(&group, cancel, word, home);
    while (uat_atomic_load(word) < (uint64_t)(children > 1))
        uat_yield();
    uat_group_cancel(cancel);
    uat_group_wait(&group);
    uat_global_object_free(word);
    return unused;
}

UAT_TASK_VOID(count, uat_atomic_t *, word)
{
    uat_atomic_add(word, 1);
}

UAT_TASK(int, told, int, unused)
{
    uat_atomic_t *started = new_words();
    uat_group_t group;
    int errors = unused;
    uat_group_begin(&group);
    uat_cancel_t cancel = uat_group_make_cancellable(&group);
    errors += WRONG(!uat_cancelled(cancel));
    for (int i = 0; i < CHILDREN; i++)
        spin_group_spawn(&group, cancel, started, i == CHILDREN - 1 ? CANCELS : i % 2 ? FOLLOWS : WAITS);
    while (!uat_cancelled(cancel))
        uat_yield();
    errors += WRONG(uat_atomic_load(&started[TOO_EARLY]) == 0);
    for (int i = 0; i < LATER; i++)
        spin_group_spawn(&group, cancel, started, WAITS);
    uat_group_cancel(cancel);
    uat_group_wait(&group); /* only now has each child counted itself: a thief may overtake it after its spawn */
    errors += WRONG(uat_atomic_load(started) == CHILDREN && uat_atomic_load(&started[TOO_LATE]) == 0);
    /* Now the group is a normal group again, in the same place. */
    count_group_spawn(&group, started);
    uat_group_wait(&group);
    errors += WRONG(uat_atomic_load(started) == CHILDREN + 1);
    uat_global_object_free(started);
    return errors;
}

/* An inner group can be cancelled alone. It is also cancelled together with the group around it. */
UAT_TASK(int, within, uat_cancel_t, outer, uat_atomic_t *, started, int, alone)
{
    uat_group_t group;
    int errors = 0;
    uat_group_begin_in(&group, outer);
    uat_cancel_t inner = uat_group_make_cancellable(&group);
    for (int i = 0; i < CHILDREN; i++)
        spin_group_spawn(&group, inner, started, alone && i == CHILDREN - 1 ? CANCELS : WAITS);
    uat_group_wait(&group);
    uat_group_begin_in(&group, outer);
    for (int i = 0; i < LATER && !alone; i++)
        spin_group_spawn(&group, outer, started, WAITS);
    uat_group_wait(&group);
    errors += WRONG(uat_cancelled(outer) == !alone);
    return errors;
}

UAT_TASK(int, nested, int, unused)
{
    uat_atomic_t *started = new_words();
    uat_group_t group;
    within_task child;
    int errors = unused;
    uat_group_begin(&group);
    uat_cancel_t cancel = uat_group_make_cancellable(&group);
    within_spawn(&child, cancel, started, 1);
    errors += within_join(&child);
    errors += WRONG(uat_atomic_load(started) == CHILDREN && uat_atomic_load(&started[TOO_EARLY]) == 0);
    errors += WRONG(!uat_cancelled(cancel));
    within_spawn(&child, cancel, started, 0);
    while (uat_atomic_load(started) < 2 * CHILDREN)
        uat_yield();
    uat_group_cancel(cancel);
    errors += within_join(&child);
    errors += WRONG(uat_atomic_load(started) == 2 * CHILDREN);
    uat_group_wait(&group);
    uat_global_object_free(started);
    return errors;
}

/* A search for the leaf `goal` of a tree with LEAVES leaves. */
struct search {
    uat_cancel_t cancel;
    uat_atomic_t *visited, *found;
    int64_t goal;
};

UAT_TASK_VOID(search, struct search, s, int64_t, place, int, depth)
{
    uat_group_t group;
    if (depth == 0) {
        uint64_t until = uat_time_ns() + UINT64_C(1000) * LEAF_US;
        uat_sim_work(1000 * LEAF_US);
        while (uat_time_ns() < until)
            ;
        uat_atomic_add(s.visited, 1);
        if (place == s.goal) {
            uat_atomic_store(s.found, (uint64_t)place + 1);
            uat_group_cancel(s.cancel);
        }
        return;
    }
    uat_group_begin_in(&group, s.cancel);
    for (int i = 0; i < ARMS; i++)
        search_group_spawn(&group, s, place * ARMS + i, depth - 1);
    uat_group_wait(&group);
}

UAT_TASK(int, early, int, unused)
{
    struct search s = {.visited = new_words(), .found = new_words(), .goal = LEAVES / 100};
    uat_group_t group;
    int errors = unused;
    uat_group_begin(&group);
    s.cancel = uat_group_make_cancellable(&group);
    search_group_spawn(&group, s, 0, DEPTH);
    uat_group_wait(&group);
    errors += WRONG(uat_atomic_load(s.found) == (uint64_t)s.goal + 1);
    errors += WRONG(uat_atomic_load(s.visited) < LEAVES / 2);
    uat_global_object_free(s.visited);
    uat_global_object_free(s.found);
    return errors;
}

CASE_WITH_POOLS(told)
CASE_WITH_POOLS(fresh)
CASE_WITH_POOLS(nested)
CASE_WITH_POOLS(early)

int main(int argc, char **argv)
{
    static const struct round_case cases[] = {
        {"told", told_checked}, {"fresh", fresh_checked}, {"nested", nested_checked}, {"early", early_checked}};
    return run_rounds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
