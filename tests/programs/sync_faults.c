/* SPDX-License-Identifier: MIT */
/* Description: misuse of objects that tasks wait for, and deadlocks. The command line names the kind. */
#include "tests/programs/sync_faults.h"

#include <string.h>

#include "uat/channel.h"
#include "uat/limit.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "inspect/inspect.h"

UAT_TASK(long, get_it, number_future, f)
{
    return number_get(f);
}

UAT_TASK(long, lock_it, uat_mutex_t, m)
{
    uat_mutex_lock(m);
    return 0;
}

UAT_TASK(long, unlock_it, uat_mutex_t, m)
{
    uat_mutex_unlock(m);
    return 0;
}

/* Two children of two tasks have their frames at the same addresses. The first child locks the mutex, and the second
 * one unlocks it. */
UAT_TASK(long, same_place, uat_mutex_t, m, uat_latch_t, locked, longs_channel, never, long, second)
{
    long value;
    if (second) {
        uat_latch_wait(locked);
        uat_mutex_unlock(m);
        return 0;
    }
    uat_yield();
    uat_mutex_lock(m);
    uat_latch_count_down(locked, 1);
    return longs_receive(never, &value);
}

UAT_TASK(long, parent_of, uat_mutex_t, m, uat_latch_t, locked, longs_channel, never, long, second)
{
    same_place_task t;
    same_place_spawn(&t, m, locked, never, second);
    return same_place_join(&t);
}

UAT_TASK(long, receive_it, longs_channel, c)
{
    long value = 0;
    return longs_receive(c, &value);
}

static void with_futures(const char *what)
{
    number_future f = number_create();
    get_it_task t;
    if (strcmp(what, "set-twice") == 0) {
        number_set(f, 1);
        number_set(f, 2);
    } else if (strcmp(what, "destroy-waited-for") == 0) {
        get_it_spawn(&t, f);
        while (!sync_faults_waited_for(f.future.object))
            ;
        number_destroy(f);
    } else if (strcmp(what, "wrong-size") == 0) {
        uat_future_t wrong = {f.future.object, 2 * sizeof(long)};
        uat_future_set(wrong, (long[2]){0});
    } else if (strcmp(what, "get-wrong-size") == 0) {
        number_set(f, 1);
        uat_future_t wrong = {f.future.object, 2 * sizeof(long)};
        uat_future_get(wrong, (long[2]){0});
    } else if (strcmp(what, "use-destroyed") == 0) {
        number_destroy(f);
        number_set(f, 1);
    } else if (strcmp(what, "deadlock-future") == 0) {
        get_it_spawn(&t, f);
        get_it_join(&t);
    }
}

/* Create a mutex. If *what begins with "biased-", the mutex is biased, and *what is moved past the prefix. */
static uat_mutex_t make_mutex(const char **what)
{
    bool biased = strncmp(*what, "biased-", 7) == 0;
    *what += biased ? 7 : 0;
    return biased ? uat_mutex_create_biased() : uat_mutex_create();
}

static void with_destroyed(const char *what)
{
    uat_mutex_t m = make_mutex(&what);
    longs_channel c = longs_create(0);
    lock_it_task l;
    receive_it_task r;
    if (strcmp(what, "destroy-locked") == 0) {
        uat_mutex_lock(m);
        uat_mutex_destroy(m);
    } else if (strcmp(what, "destroy-channel") == 0) {
        receive_it_spawn(&r, c);
        while (!sync_faults_waited_for(c.channel.object))
            ;
        longs_destroy(c);
    } else if (strcmp(what, "destroy-mutex") == 0) {
        uat_mutex_lock(m);
        lock_it_spawn(&l, m);
        while (!sync_faults_waited_for(m.object / 64 * 64)) /* a handle has flags in the low bits of the address */
            ;
        uat_mutex_destroy(m);
    } else if (strcmp(what, "lock-destroyed") == 0) {
        uat_mutex_destroy(m);
        uat_mutex_lock(m);
    }
}

static void with_groups(const char *what)
{
    uat_group_t group;
    uat_cancel_t never = {0, 0};
    uat_group_begin(&group);
    if (strcmp(what, "cancel-never") == 0)
        uat_group_cancel(never);
    if (strncmp(what, "cancel", 6) != 0)
        return;
    uat_cancel_t cancel = uat_group_make_cancellable(&group);
    if (strcmp(what, "cancellable-twice") == 0)
        uat_group_make_cancellable(&group);
    uat_group_wait(&group);
    if (strcmp(what, "cancel-ended") == 0)
        uat_group_cancel(cancel);
    if (strcmp(what, "cancelled-ended") == 0)
        uat_cancelled(cancel);
    uat_group_make_cancellable(&group); /* makes the group cancellable again, in the same place */
    uat_group_cancel(cancel);
}

static void with_ranks(const char *what)
{
    get_it_task t;
    if (strcmp(what, "migrate-nowhere") == 0)
        uat_migrate(uat_size());
    if (strcmp(what, "migrate-below-0") == 0)
        uat_migrate(-22); /* the value that uat_global_home() returns for an address that is not global */
    if (strcmp(what, "spawn-nowhere") == 0)
        get_it_spawn_on(&t, uat_size() + 1, number_create());
    if (strcmp(what, "deadlock-away") == 0) {
        get_it_spawn_on(&t, uat_size() - 1, number_create());
        get_it_join(&t);
    }
}

/* Sizes and counts that no object can have. */
static void with_sizes(const char *what)
{
    if (strcmp(what, "future-large") == 0)
        uat_future_create((size_t)1 << 20);
    if (strcmp(what, "channel-large") == 0)
        uat_channel_create((size_t)1 << 20, 1);
    if (strcmp(what, "channel-wrong-size") == 0) {
        uat_channel_t c = uat_channel_create(sizeof(long), 1);
        c.size = 2 * sizeof(long);
        uat_channel_send(c, (long[2]){0});
    }
    if (strcmp(what, "barrier-of-none") == 0)
        uat_task_barrier_create(0);
    if (strcmp(what, "select-many") == 0)
        uat_select((uat_case_t[1]){{.value = NULL}}, UAT_SELECT_MAX + 1);
}

UAT_TASK(long, share_it, uat_shared_mutex_t, m)
{
    uat_sleep_for(1000000); /* rank 0 must not take this for a deadlock */
    uat_shared_mutex_lock_shared(m);
    return 0;
}

static void with_shared_mutexes(const char *what)
{
    uat_shared_mutex_t m = uat_shared_mutex_create();
    share_it_task t;
    if (strcmp(what, "shared-unlock-unlocked") == 0) {
        uat_shared_mutex_unlock(m);
    } else if (strcmp(what, "shared-unlock-reader") == 0) {
        uat_shared_mutex_lock_shared(m);
        uat_shared_mutex_unlock(m);
    } else if (strcmp(what, "shared-unlock-writer") == 0) {
        uat_shared_mutex_lock(m);
        uat_shared_mutex_unlock_shared(m);
    } else if (strcmp(what, "shared-destroy-locked") == 0) {
        uat_shared_mutex_lock_shared(m);
        uat_shared_mutex_destroy(m);
    } else if (strcmp(what, "deadlock-shared") == 0) {
        uat_shared_mutex_lock(m);
        share_it_spawn(&t, m);
        share_it_join(&t);
    } else if (strcmp(what, "mutex-name-empty") == 0) {
        uat_mutex_named("");
    }
}

static void with_mutexes(const char *what)
{
    uat_mutex_t m = make_mutex(&what), none = {0};
    lock_it_task l;
    unlock_it_task u;
    longs_channel c = longs_create(0);
    receive_it_task r[2];
    if (strcmp(what, "unlock-unlocked") == 0)
        uat_mutex_unlock(m);
    else if (strcmp(what, "no-object") == 0)
        uat_mutex_lock(none);
    else if (strcmp(what, "wait-unlocked") == 0)
        uat_condition_wait(uat_condition_create(), m);
    else if (strcmp(what, "channel-huge") == 0)
        longs_create(SIZE_MAX / sizeof(long) + 2); /* the number of bytes wraps around to 8 */
    else if (strcmp(what, "name-of-another-size") == 0) {
        longs_named("a", 1);
        longs_named("a", 2);
    } else if (strcmp(what, "name-empty") == 0)
        longs_named("", 1);
    else if (strcmp(what, "unlock-by-another") == 0) {
        uat_mutex_lock(m);
        unlock_it_spawn(&u, m);
        unlock_it_join(&u);
    } else if (strcmp(what, "guard-held") == 0) {
        /* Write the guard, the object's first word, as if the last rank had been lost while it held the guard. */
        uint64_t *guard = (uint64_t *)(uintptr_t)(m.object & ((UINT64_C(1) << 48) - 1)), *old = uat_inspect_spare(8);
        struct uat_op take = uat_op_cmp_swap(old, guard, 0, (uint64_t)uat_size());
        uat_transport_do(uat_inspect_transport(), (int)(m.object >> 48), &take, 1);
        uat_mutex_lock(m);
    } else if (strcmp(what, "unlock-same-place") == 0) {
        parent_of_task parents[2];
        uat_latch_t locked = uat_latch_create(1);
        for (long i = 0; i < 2; i++)
            parent_of_spawn(&parents[i], m, locked, c, i);
        for (int i = 2; i-- > 0;)
            parent_of_join(&parents[i]);
    } else if (strcmp(what, "deadlock-mutex") == 0) {
        uat_mutex_lock(m);
        for (int i = 0; i < 2; i++)
            receive_it_spawn(&r[i], c);
        lock_it_spawn(&l, m);
        lock_it_join(&l);
    } else if (strcmp(what, "wrong-kind") == 0) {
        uat_semaphore_t s = {m.object};
        uat_semaphore_release(s, 1);
    } else if (strcmp(what, "semaphore") == 0)
        uat_semaphore_release(uat_semaphore_create(UINT64_MAX - 1), 2);
    else if (strcmp(what, "latch") == 0)
        uat_latch_count_down(uat_latch_create(2), 3);
}

UAT_TASK(long, select_it, longs_channel, one, longs_channel, other)
{
    long value = 0;
    uat_case_t cases[2] = {longs_receives(one, &value), longs_sends(other, &value)};
    return uat_select(cases, 2);
}

static void with_selects(const char *what)
{
    static uat_case_t elsewhere[1];
    longs_channel c = longs_create(0), d = longs_create(0);
    select_it_task t;
    long value = 0;
    uat_case_t both[2] = {longs_receives(c, &value), longs_sends(c, &value)};
    elsewhere[0] = both[0];
    if (strcmp(what, "select-both-ways") == 0)
        uat_select(both, 2);
    else if (strcmp(what, "select-none") == 0)
        uat_select(both, 0);
    else if (strcmp(what, "select-elsewhere") == 0)
        uat_select(elsewhere, 1);
    else if (strcmp(what, "select-destroyed") == 0) {
        longs_destroy(c);
        uat_try_select(both, 1);
    } else if (strcmp(what, "deadlock-select") == 0) {
        select_it_spawn(&t, c, d);
        select_it_join(&t);
    }
}

static void root(void *arg, void *result)
{
    const char *what = *(const char **)arg;
    sync_faults_lost(what);
    with_futures(what);
    with_destroyed(what);
    with_groups(what);
    with_ranks(what);
    with_sizes(what);
    with_shared_mutexes(what);
    with_mutexes(what);
    with_selects(what);
    *(int *)result = 1;
}

/* Collective. Rank 1 gets rank 0's future, which is set, through a handle with a wrong size. */
static void get_far(void)
{
    number_future f = number_create();
    number_set(f, 1);
    const number_future *first = uat_replicate(&f, sizeof(f));
    uat_future_t wrong = {first->future.object, 2 * sizeof(long)};
    if (uat_rank() == 1)
        uat_future_get(wrong, (long[2]){0});
    uat_barrier();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int result = 0;
    if (uat_init())
        return 2;
    if (strcmp(what, "migrate-outside") == 0)
        uat_migrate(0);
    if (strcmp(what, "sleep-outside") == 0)
        uat_sleep_for(1);
    if (strcmp(what, "outside") == 0) {
        number_future f = number_create();
        number_get(f);
    }
    if (strcmp(what, "get-wrong-size-far") == 0)
        get_far();
    if (uat_run(root, &what, sizeof(what), &result, sizeof(result)))
        return 2;
    return uat_finalize() || result != 1;
}
