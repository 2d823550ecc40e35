/* SPDX-License-Identifier: MIT */
/* Description: the cases of sync-faults in which a worker is lost while tasks wait for one of its tasks. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uat/channel.h"
#include "inspect/inspect.h"
#include "tests/programs/sync_faults.h"

/* The queue's head is the third word of the object. */
bool sync_faults_waited_for(uint64_t object)
{
    uint64_t *head = uat_inspect_spare(8), *words = (uint64_t *)(uintptr_t)(object & ((UINT64_C(1) << 48) - 1));
    struct uat_op look = uat_op_read(head, words + 2, 8);
    uat_transport_do(uat_inspect_transport(), (int)(object >> 48), &look, 1);
    return *head != 0;
}

/* A worker that holds a mutex is lost. There are two workers. The child stays on rank 0, so rank 1 must take the root.
 * Then rank 1 dies. */
UAT_CHANNEL(uat_mutex_t, mutexes);

UAT_TASK(long, stay, const char *, what, mutexes_channel, told, longs_channel, pids)
{
    uat_mutex_t m;
    long pid;
    if (strcmp(what, "lost-handed") == 0) {
        m = uat_mutex_create();
        uat_mutex_lock(m);
        mutexes_try_send(told, m);
        while (!sync_faults_waited_for(m.object))
            ;
        uat_mutex_unlock(m);
        for (;;) /* another worker resumes the task that now holds the mutex */
            ;
    }
    while (mutexes_try_receive(told, &m))
        ;
    if (strcmp(what, "lost-idle") == 0) {
        while (longs_try_receive(pids, &pid))
            ;
        kill((pid_t)pid, SIGKILL);
        for (;;) /* wait without suspending until the kill is noticed: a suspended task would be a deadlock */
            ;
    }
    uat_mutex_lock(m);
    return 0;
}

static void expect_moved(void)
{
    if (uat_rank() == 1)
        return;
    fprintf(stderr, "the root has not moved to rank 1\n");
    exit(3);
}

static void with_holder(const char *what)
{
    mutexes_channel told = mutexes_create(1);
    longs_channel pids = longs_create(1), never = longs_create(0);
    uat_mutex_t m = uat_mutex_create();
    stay_task t;
    long value = 0;
    if (strncmp(what, "lost-", 5) != 0)
        return;
    stay_spawn(&t, what, told, pids);
    expect_moved();
    if (strcmp(what, "lost-home") == 0)
        m = uat_mutex_create();
    if (strcmp(what, "lost-handed") == 0)
        while (mutexes_try_receive(told, &m))
            ;
    uat_mutex_lock(m);
    if (strcmp(what, "lost-handed") != 0)
        mutexes_send(told, m);
    if (strcmp(what, "lost-idle") == 0) {
        longs_send(pids, getpid());
        longs_receive(never, &value);
    }
    while (strcmp(what, "lost-handed") != 0 && !sync_faults_waited_for(m.object))
        ;
    raise(SIGKILL);
}

/*
 * A worker is lost while a task on rank 0 waits until one of that worker's tasks sets a future, sends to a channel, or
 * receives.
 */
UAT_TASK(long, wait_there, const char *, what, number_future, moved, number_future, f, longs_channel, c)
{
    long value = 0;
    while (number_try_get(moved, &value)) /* rank 0 has no other task to run */
        ;
    if (strcmp(what, "lost-setter") == 0)
        return number_get(f);
    if (strcmp(what, "lost-sender") == 0)
        return longs_receive(c, &value);
    return longs_send(c, 1);
}

static void with_partner(const char *what)
{
    number_future f = number_create();
    longs_channel c = longs_create(0);
    number_future moved = number_create();
    wait_there_task t;
    if (strcmp(what, "lost-setter") != 0 && strcmp(what, "lost-sender") != 0 && strcmp(what, "lost-receiver") != 0)
        return;
    wait_there_spawn(&t, what, moved, f, c);
    expect_moved();
    number_set(moved, 1);
    while (!sync_faults_waited_for(strcmp(what, "lost-setter") == 0 ? f.future.object : c.channel.object))
        ;
    raise(SIGKILL);
}

void sync_faults_lost(const char *what)
{
    with_partner(what);
    with_holder(what);
}
