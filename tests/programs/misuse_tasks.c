/* SPDX-License-Identifier: MIT */
/* Description: tasks that spawn or join what they must not. See misuse.c. */
#include "tests/programs/misuse.h"

#include <pthread.h>
#include <string.h>
#include <uat.h>
#include <unistd.h>

static void nothing(void *arg, void *result)
{
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
 * first child is slow, and the root waits for thieves.
 */
static void root_of_strangers(void *arg, void *result)
{
    uat_task_t first, second, *handle = &first;
    uat_spawn(&first, slow_child, NULL, 0, NULL, 0);
    uat_spawn(&second, join_it, &handle, sizeof(handle), NULL, 0);
    uat_join(&second);
    uat_join(&first);
}
int misuse_join_of_another(void)
{
    return uat_run(root_of_strangers, NULL, 0, NULL, 0);
}
static void root_that_joins_twice(void *arg, void *result)
{
    uat_task_t t, copy;
    uat_spawn(&t, slow_child, NULL, 0, NULL, 0);
    memcpy(&copy, &t, sizeof(copy));
    uat_join(&t);
    uat_join(&copy);
}
int misuse_join_twice(void)
{
    return uat_run(root_that_joins_twice, NULL, 0, NULL, 0);
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
    uat_group_begin(&group);
    uat_group_spawn(&group, slow_child, NULL, 0);
}
int misuse_group_without_wait(void)
{
    return uat_run(root_without_wait, NULL, 0, NULL, 0);
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
    uat_group_begin(&group);
    uat_group_spawn(&group, slow_child, NULL, 0);
    uat_group_spawn(&group, wait_for_it, &address, sizeof(address));
    uat_group_wait(&group);
}
int misuse_group_of_another(void)
{
    return uat_run(root_of_waiting_stranger, NULL, 0, NULL, 0);
}
