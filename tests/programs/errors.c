/* SPDX-License-Identifier: MIT */
/*
 * Description: calls one function of the public headers at one moment, and prints what the call returned. The moment is
 * wrong, or in a task the arguments are. run-errors judges it.
 * usage: test-errors FUNCTION WHEN, or test-errors --list
 *        WHEN: before (uat_init()), outside (of a run), task (in a task, without an object), destroyed (in a task, with
 *        objects of the last rank that were destroyed), kind (in a task, with objects of another kind), after
 *        (uat_finalize())
 */
#include "tests/programs/errors.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *function;
static bool lists;
bool errors_in_task;

bool errors_asked(const char *name)
{
    if (lists)
        printf("%s\n", name);
    return !lists && strcmp(name, function) == 0;
}

UAT_TASK(long, in_task, struct errors_handles, handles)
{
    errors_in_task = true;
    return errors_call(&handles);
}

/* Objects that exist no longer. Runs on the last rank. */
UAT_TASK(struct errors_handles, destroyed, int, unused)
{
    uat_group_t group;
    uat_group_begin(&group);
    struct errors_handles h = {
        .future = uat_future_create(8),
        .mutex = uat_mutex_create(),
        .condition = uat_condition_create(),
        .semaphore = uat_semaphore_create(1),
        .latch = uat_latch_create(1),
        .barrier = uat_task_barrier_create(1),
        .channel = uat_channel_create(8, 1),
        .shared = uat_shared_mutex_create(),
        .once = uat_once_create(),
        .cancel = uat_group_make_cancellable(&group),
    };
    (void)unused;
    uat_group_wait(&group);
    uat_future_destroy(h.future);
    uat_mutex_destroy(h.mutex);
    uat_condition_destroy(h.condition);
    uat_semaphore_destroy(h.semaphore);
    uat_latch_destroy(h.latch);
    uat_task_barrier_destroy(h.barrier);
    uat_channel_destroy(h.channel);
    uat_shared_mutex_destroy(h.shared);
    uat_once_destroy(h.once);
    return h;
}

UAT_TASK(struct errors_handles, destroyed_there, int, unused)
{
    destroyed_task child;
    destroyed_spawn_on(&child, uat_size() - 1, unused);
    return destroyed_join(&child);
}

/* A barrier in the place of each object; a semaphore in the place of a barrier. */
UAT_TASK(struct errors_handles, of_another_kind, int, unused)
{
    uint64_t barrier = uat_task_barrier_create(1).object;
    (void)unused;
    return (struct errors_handles){
        .future = {barrier, 8},
        .mutex = {barrier},
        .condition = {barrier},
        .semaphore = {barrier},
        .latch = {barrier},
        .barrier = {uat_semaphore_create(1).object},
        .channel = {barrier, 8},
        .shared = {barrier},
        .once = {{barrier, 1}, {barrier}},
        .cancel = {barrier, 1},
    };
}

static int call_in_task(const char *when, long *returned)
{
    struct errors_handles handles = {.future = {0, 8}, .channel = {0, 8}};
    int rc = 0;
    if (strcmp(when, "destroyed") == 0)
        rc = destroyed_there_run(&handles, 0);
    else if (strcmp(when, "kind") == 0)
        rc = of_another_kind_run(&handles, 0);
    return rc ? rc : in_task_run(returned, handles);
}

int main(int argc, char **argv)
{
    const struct errors_handles none = {.future = {0, 8}, .channel = {0, 8}};
    long returned = LONG_MIN;
    lists = argc == 2 && strcmp(argv[1], "--list") == 0;
    if (lists)
        return errors_call(&none) != LONG_MIN;
    if (argc != 3) {
        fprintf(stderr, "usage: test-errors FUNCTION WHEN\n");
        return 2;
    }
    function = argv[1];
    const char *when = argv[2];
    if (strcmp(when, "before") == 0)
        returned = errors_call(&none);
    else if (uat_init())
        return 3;
    else if (strcmp(when, "outside") == 0)
        returned = errors_call(&none);
    else if (strcmp(when, "after") != 0 && call_in_task(when, &returned))
        return 3;
    int rank = uat_rank();
    if (strcmp(when, "before") != 0 && uat_is_running() && uat_finalize())
        return 3;
    if (strcmp(when, "after") == 0)
        returned = errors_call(&none);
    if (rank == 0)
        printf("returned %ld\n", returned);
    return 0;
}
