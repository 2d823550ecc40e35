/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks that spawn or join what they must not. See misuse.c. Some mistakes are detected only if the
 * spawner was stolen. If no thief has come in time, the task makes no mistake, and the root is run again.
 */
#include "tests/programs/misuse.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <uat.h>
#include <uat/reducer.h>
#include <unistd.h>

enum { TRIES = 20 };

static void nothing(void *arg, void *result)
{
}

static int run_again_and_again(uat_fn *root)
{
    int rc = 0;
    for (int i = 0; i < TRIES && !rc; i++)
        rc = uat_run(root, NULL, 0, NULL, 0);
    return rc;
}

static void *spawn_thread(void *unused)
{
    uat_task_t t;
    uat_spawn(&t, nothing, NULL, 0, NULL, 0);
    uat_join(&t);
    return unused;
}
static void root_with_thread(void *arg, void *result)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spawn_thread, NULL);
    pthread_join(thread, NULL);
}
int misuse_spawn_from_thread(void)
{
    return uat_run(root_with_thread, NULL, 0, NULL, 0);
}

static void slow_child(void *arg, void *result)
{
    usleep(300000);
}
static void join_it(void *arg, void *result)
{
    uat_join(*(uat_task_t **)arg);
}
/*
 * The second child joins the first one. The mistake is detected only if the first child runs on another worker. So the
 * first child is slow, and the root spawns the second child only if a thief has stolen the root.
 */
static void root_of_strangers(void *arg, void *result)
{
    uat_task_t first, second, *handle = &first;
    int rank = uat_rank();
    uat_spawn(&first, slow_child, NULL, 0, NULL, 0);
    if (uat_rank() != rank) {
        uat_spawn(&second, join_it, &handle, sizeof(handle), NULL, 0);
        uat_join(&second);
    }
    uat_join(&first);
}
int misuse_join_of_another(void)
{
    return run_again_and_again(root_of_strangers);
}
static void root_that_joins_twice(void *arg, void *result)
{
    uat_task_t t, copy;
    int rank = uat_rank();
    uat_spawn(&t, slow_child, NULL, 0, NULL, 0);
    bool stolen = uat_rank() != rank;
    memcpy(&copy, &t, sizeof(copy));
    uat_join(&t);
    if (stolen)
        uat_join(&copy);
}
int misuse_join_twice(void)
{
    return run_again_and_again(root_that_joins_twice);
}

static uat_task_t static_handle;
static void root_with_static_handle(void *arg, void *result)
{
    uat_spawn(&static_handle, nothing, NULL, 0, NULL, 0);
    uat_join(&static_handle);
}
int misuse_foreign_handle(void)
{
    return uat_run(root_with_static_handle, NULL, 0, NULL, 0);
}

static void root_with_copied_group(void *arg, void *result)
{
    uat_group_t group, copy;
    uat_group_begin(&group);
    memcpy(&copy, &group, sizeof(copy));
    uat_group_spawn(&copy, nothing, NULL, 0);
    uat_group_wait(&copy);
}
int misuse_copied_group(void)
{
    return uat_run(root_with_copied_group, NULL, 0, NULL, 0);
}

static void root_without_wait(void *arg, void *result)
{
    uat_group_t group;
    int rank = uat_rank();
    uat_group_begin(&group);
    uat_group_spawn(&group, slow_child, NULL, 0);
    if (uat_rank() == rank)
        uat_group_wait(&group);
}
int misuse_group_without_wait(void)
{
    return run_again_and_again(root_without_wait);
}

static uat_group_t static_group;
static void root_with_static_group(void *arg, void *result)
{
    uat_group_begin(&static_group);
    uat_group_spawn(&static_group, nothing, NULL, 0);
    uat_group_wait(&static_group);
}
int misuse_static_group(void)
{
    return uat_run(root_with_static_group, NULL, 0, NULL, 0);
}

/* The child waits for its spawner's group. */
static void wait_for_it(void *arg, void *result)
{
    uat_group_t *group;
    memcpy(&group, arg, sizeof(group));
    uat_group_wait(group);
}
static void root_of_waiting_stranger(void *arg, void *result)
{
    uat_group_t group, *address = &group;
    int rank = uat_rank();
    uat_group_begin(&group);
    uat_group_spawn(&group, slow_child, NULL, 0);
    if (uat_rank() != rank)
        uat_group_spawn(&group, wait_for_it, &address, sizeof(address));
    uat_group_wait(&group);
}
int misuse_group_of_another(void)
{
    return run_again_and_again(root_of_waiting_stranger);
}

UAT_REDUCE(double, from_ten, 10, UAT_PLUS, i)
{
    return (double)i;
}
UAT_REDUCER(long, twos, 2, UAT_PLUS)
/* This one is right, although NaN is not equal to itself. */
static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}
UAT_REDUCE(double, largest, NAN, larger, i)
{
    return (double)i;
}
UAT_TASK(int, reduce_wrongly, int, with_reducer)
{
    if (largest(0, 10) != 9)
        return 1;
    *twos_view() += 1;
    return with_reducer ? twos_take() != 3 : from_ten(0, 10) != 55;
}
int misuse_identity_of_reduction(void)
{
    int wrong = 0;
    return reduce_wrongly_run(&wrong, 0) || wrong;
}
int misuse_identity_of_reducer(void)
{
    int wrong = 0;
    return reduce_wrongly_run(&wrong, 1) || wrong;
}
