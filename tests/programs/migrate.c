/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks name the worker that runs them, by uat_migrate(), uat_spawn_on() and the forms of UAT_TASK. A task
 * runs on that worker with its frames, its argument and its result, while other tasks wait, yield and are stolen. A
 * task that named bytes of global memory runs on their home. Usage: migrate [ROUNDS [CASE]]
 */
#include <errno.h>

#include "tests/programs/sync_cases.h"
#include "uat/global.h"
#include "uat/semaphore.h"

enum { WORDS = 4096, TASKS = 12, HOPS = 10 };

static uint64_t *shared; /* the same global address in all workers */

/* A rank that the seed determines, in no regular pattern. */
static int any_rank(uint64_t seed)
{
    return (int)((seed * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (uint64_t)uat_size());
}

/* Migrate from worker to worker, with words in this frame and a pointer to them. */
UAT_TASK(int, hop, uint64_t, seed, int, yields)
{
    uint64_t words[9], *volatile at = words;
    int errors = 0;
    for (uint64_t i = 0; i < 9; i++)
        words[i] = seed ^ i;
    for (uint64_t i = 0; i < HOPS; i++) {
        int rank = any_rank(seed * 100 + i);
        uat_migrate(rank);
        errors += WRONG(uat_rank() == rank);
        for (uint64_t k = 0; k < 9; k++)
            errors += WRONG(at[k] == (seed ^ k) + i);
        for (uint64_t k = 0; k < 9; k++)
            at[k]++;
        if (yields && i % 3 == 0)
            uat_yield();
    }
    return errors;
}

UAT_TASK(int, hops, int, unused)
{
    hop_task tasks[TASKS];
    int errors = unused;
    for (uint64_t i = 0; i < TASKS; i++)
        hop_spawn(&tasks[i], i + 1, i % 2);
    for (int i = 0; i < TASKS; i++)
        errors += hop_join(&tasks[i]);
    return errors;
}

/* Children on given workers: typed, with large arguments, without arguments, and from plain uat_spawn_on(). */
UAT_TASK(struct big, placed, int, rank, struct big, b)
{
    int wrong = WRONG(uat_rank() == rank);
    work();
    for (uint64_t i = 0; i < 30; i++)
        b.words[i] += 1 + (uint64_t)wrong;
    return b;
}

UAT_TASK_VOID(silent, uat_semaphore_t, s, int, rank)
{
    if (!WRONG(uat_rank() == rank))
        uat_semaphore_release(s, 1);
}

UAT_TASK(int, nothing)
{
    return uat_rank();
}

static void plain(void *arg, void *result)
{
    *(int *)result = uat_rank() * 10 + (arg == NULL);
}

UAT_TASK(int, spawns, int, unused)
{
    placed_task typed[TASKS];
    silent_task silents[TASKS];
    nothing_task empty;
    uat_task_t bare;
    uat_semaphore_t s = uat_semaphore_create(0);
    uat_group_t group;
    int errors = unused, last = uat_size() - 1, result = -1;
    uat_group_begin(&group);
    for (int i = 0; i < TASKS; i++) {
        int rank = any_rank((uint64_t)i);
        placed_spawn_on(&typed[i], rank, rank, make_big((uint64_t)i));
        silent_spawn_on(&silents[i], rank, s, rank);
        silent_group_spawn_on(&group, rank, s, rank);
    }
    nothing_spawn_on(&empty, last);
    uat_spawn_on(&bare, last, plain, NULL, 0, &result, sizeof(result));
    errors += WRONG(nothing_join(&empty) == last);
    uat_join(&bare);
    errors += WRONG(result == last * 10 || result == last * 10 + 1);
    for (int i = 0; i < TASKS; i++) {
        struct big b = placed_join(&typed[i]), expected = make_big((uint64_t)i);
        for (int k = 0; k < 30; k++)
            errors += WRONG(b.words[k] == expected.words[k] + 1);
        silent_join(&silents[i]);
    }
    uat_group_wait(&group);
    for (int i = 0; i < 2 * TASKS; i++)
        errors += WRONG(uat_semaphore_try_acquire(s) == 0);
    uat_semaphore_destroy(s);
    return errors;
}

/* A cancelled group starts no child on any worker. */
UAT_TASK(int, cancelled, int, unused)
{
    uat_semaphore_t s = uat_semaphore_create(0);
    uat_group_t group;
    uat_group_begin(&group);
    uat_group_cancel(uat_group_make_cancellable(&group));
    for (int rank = 0; rank < uat_size(); rank++)
        silent_group_spawn_on(&group, rank, s, rank);
    uat_group_wait(&group);
    int errors = unused + WRONG(uat_semaphore_try_acquire(s) == -EAGAIN);
    uat_semaphore_destroy(s);
    return errors;
}

/* Write global words on their home. Returns the sum of the values that were written. */
UAT_TASK(uint64_t, add_near, size_t, from, size_t, to)
{
    uint64_t sum = 0, *near;
    if (WRONG(uat_rank() == uat_global_home(shared + from)))
        return 0;
    if (WRONG(uat_global_near(shared + from, (to - from) * sizeof(*shared)) == (to - from) * sizeof(*shared)))
        return 0;
    near = uat_global_checkout(shared + from, (to - from) * sizeof(*shared), UAT_WRITE);
    for (size_t i = 0; i < to - from; i++)
        sum += near[i] = from + i + 1;
    uat_global_checkin(shared + from, (to - from) * sizeof(*shared), UAT_WRITE);
    return sum;
}

UAT_TASK(int, near_data, int, unused)
{
    enum { PART = 512, PARTS = WORDS / PART };
    add_near_task parts[PARTS];
    uint64_t sum = 0, word;
    int errors = unused;
    for (size_t i = 0; i < PARTS; i++)
        add_near_spawn_on(&parts[i], uat_global_home(shared + i * PART), i * PART, (i + 1) * PART);
    for (int i = 0; i < PARTS; i++)
        sum += add_near_join(&parts[i]);
    errors += WRONG(sum == (uint64_t)WORDS * (WORDS + 1) / 2);
    for (size_t i = 0; i < WORDS; i += 511) {
        uat_global_get(&word, shared + i, sizeof(word));
        errors += WRONG(word == i + 1);
        uat_migrate(uat_global_home(shared + i));
        errors += WRONG(uat_global_near(shared + i, 8) == 8);
    }
    return errors;
}

/* Tasks migrate to a worker where other tasks run, hold a mutex and wait for each other. */
UAT_TASK(int, crowd_member, uat_mutex_t, m, uat_task_barrier_t, g, uint64_t, self)
{
    int errors = 0;
    for (uint64_t i = 0; i < 6; i++) {
        int rank = any_rank(i); /* the same rank for all members */
        uat_migrate(rank);
        errors += WRONG(uat_rank() == rank);
        uat_mutex_lock(m);
        uat_migrate(any_rank(self + i));
        uat_mutex_unlock(m);
        uat_task_barrier_wait(g);
    }
    return errors;
}

UAT_TASK(int, crowd, int, unused)
{
    uat_mutex_t m = uat_mutex_create();
    uat_task_barrier_t g = uat_task_barrier_create(TASKS);
    crowd_member_task tasks[TASKS];
    int errors = unused;
    for (uint64_t i = 0; i < TASKS; i++)
        crowd_member_spawn(&tasks[i], m, g, i);
    for (int i = 0; i < TASKS; i++)
        errors += crowd_member_join(&tasks[i]);
    uat_mutex_destroy(m);
    uat_task_barrier_destroy(g);
    return errors;
}

/* A task spawns children of one group on all workers. The children hold a mutex while they and their spawner move. */
UAT_TASK_VOID(holder, uat_mutex_t, m, int, rank)
{
    uat_mutex_lock(m);
    uat_migrate(rank);
    uat_yield();
    uat_mutex_unlock(m);
}

UAT_TASK(int, holders, int, unused)
{
    uat_mutex_t m = uat_mutex_create();
    uat_group_t group;
    uat_group_begin(&group);
    for (uint64_t i = 0; i < 40; i++) {
        holder_group_spawn(&group, m, any_rank(i));
        uat_migrate(any_rank(i + 100));
    }
    uat_group_wait(&group);
    uat_mutex_destroy(m);
    return unused;
}

/* A single task migrates from worker to worker, and also to rank 0, which is idle and looks for a deadlock. */
UAT_TASK(int, lonely, int, unused)
{
    int errors = unused, others = uat_size() - 1;
    for (uint64_t i = 0; others > 0 && i < 1000; i++) {
        int rank = 1 + (int)(i % (uint64_t)others);
        uat_migrate(rank);
        errors += WRONG(uat_rank() == rank);
    }
    return errors;
}

/* The first case. It needs the runtime but no run. */
static int allocate(int *errors, int unused)
{
    *errors = unused;
    if (!shared)
        shared = uat_global_alloc(WORDS * sizeof(*shared), UAT_CYCLIC, 4096);
    return shared == NULL;
}

int main(int argc, char **argv)
{
    const struct round_case all[] = {{argc > 2 ? argv[2] : "array", allocate},
                                     {"hops", hops_run},
                                     {"spawns", spawns_run},
                                     {"cancelled", cancelled_run},
                                     {"near", near_data_run},
                                     {"crowd", crowd_run},
                                     {"holders", holders_run},
                                     {"lonely", lonely_run}};
    return run_rounds(argc, argv, all, sizeof(all) / sizeof(all[0]));
}
