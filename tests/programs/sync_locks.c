/* SPDX-License-Identifier: MIT */
/* Cases of `sync`: shared mutexes, functions that are called once, critical sections. */
#include <errno.h>

#include "uat/channel.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "tests/programs/sync_cases.h"

UAT_CHANNEL(long, longs);
UAT_FUTURE(long, event);

/* Shared mutexes: a reader takes one unit of a semaphore, and a writer takes them all. So a reader or a second writer
 * in the way of a writer is seen. */
enum { SHARERS = 9, ROUNDS = 5 };

static int take_units(uat_semaphore_t units, int n)
{
    int errors = 0;
    for (int i = 0; i < n; i++)
        errors += WRONG(uat_semaphore_try_acquire(units) == 0);
    uat_yield();
    uat_semaphore_release(units, (uint64_t)n);
    return errors;
}

UAT_TASK(int, sharer, uat_shared_mutex_t, m, uat_semaphore_t, units, int, self)
{
    int errors = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if ((self + i) % 3 == 0) {
            while (i % 2 && uat_shared_mutex_try_lock(m))
                uat_yield();
            if (i % 2 == 0)
                uat_shared_mutex_lock(m);
            errors += WRONG(uat_shared_mutex_try_lock_shared(m) == -EAGAIN);
            errors += take_units(units, SHARERS);
            uat_shared_mutex_unlock(m);
        } else {
            while (i % 2 && uat_shared_mutex_try_lock_shared(m))
                uat_yield();
            if (i % 2 == 0)
                uat_shared_mutex_lock_shared(m);
            errors += WRONG(uat_shared_mutex_try_lock(m) == -EAGAIN);
            errors += take_units(units, 1);
            uat_shared_mutex_unlock_shared(m);
        }
    }
    return errors;
}

/* Two readers hold the mutex at the same time: each waits for the other one. */
UAT_TASK(int, meets, uat_shared_mutex_t, m, uat_task_barrier_t, both)
{
    uat_shared_mutex_lock_shared(m);
    uat_task_barrier_wait(both);
    uat_shared_mutex_unlock_shared(m);
    return 0;
}

UAT_TASK(int, shared, int, unused)
{
    uat_shared_mutex_t m = uat_shared_mutex_create();
    uat_semaphore_t units = uat_semaphore_create(SHARERS);
    uat_task_barrier_t both = uat_task_barrier_create(2);
    sharer_task all[SHARERS];
    meets_task one, other;
    int errors = unused;
    for (int i = 0; i < SHARERS; i++)
        sharer_spawn(&all[i], m, units, i);
    for (int i = 0; i < SHARERS; i++)
        errors += sharer_join(&all[i]);
    uat_shared_mutex_lock(m); /* so the two readers may wait first */
    meets_spawn(&one, m, both);
    meets_spawn(&other, m, both);
    uat_shared_mutex_unlock(m);
    errors += meets_join(&other) + meets_join(&one);
    uat_shared_mutex_destroy(m);
    uat_semaphore_destroy(units);
    uat_task_barrier_destroy(both);
    return errors;
}

int sync_shared(int *errors, int unused)
{
    return shared_run(errors, unused);
}

/* Nobody overtakes a waiting task. With one worker the order of the queue is known. */
UAT_TASK(int, in_turn, uat_shared_mutex_t, m, longs_channel, turns, int, self)
{
    int errors = 0;
    if (self % 3 == 2)
        uat_shared_mutex_lock(m);
    else
        uat_shared_mutex_lock_shared(m);
    errors += WRONG(longs_try_send(turns, self) == 0);
    uat_yield();
    if (self % 3 == 2)
        uat_shared_mutex_unlock(m);
    else
        uat_shared_mutex_unlock_shared(m);
    return errors;
}

UAT_TASK(int, order, int, unused)
{
    uat_shared_mutex_t m = uat_shared_mutex_create();
    longs_channel turns = longs_create(SHARERS);
    in_turn_task all[SHARERS], writer;
    int errors = unused;
    uat_shared_mutex_lock(m);
    for (int i = 0; i < SHARERS; i++) /* two readers, a writer, two readers, a writer, ... */
        in_turn_spawn(&all[i], m, turns, i);
    uat_shared_mutex_unlock(m);
    for (int i = SHARERS; i-- > 0;)
        errors += in_turn_join(&all[i]);
    for (long i = 0, self = -1; i < SHARERS; i++) {
        errors += WRONG(longs_try_receive(turns, &self) == 0);
        errors += uat_size() == 1 ? WRONG(self == i) : 0;
    }
    uat_shared_mutex_lock_shared(m);
    in_turn_spawn(&writer, m, turns, 2);
    while (uat_shared_mutex_try_lock_shared(m) == 0) { /* until the writer waits: it would starve otherwise */
        uat_shared_mutex_unlock_shared(m);
        uat_yield();
    }
    uat_shared_mutex_unlock_shared(m);
    errors += in_turn_join(&writer);
    uat_shared_mutex_destroy(m);
    longs_destroy(turns);
    return errors;
}

int sync_order(int *errors, int unused)
{
    return order_run(errors, unused);
}

/* Functions that are called once. */
struct call {
    uat_semaphore_t calls;
    event_future over;
};

static void called(void *arg)
{
    const struct call c = *(struct call *)arg;
    uat_semaphore_release(c.calls, 1);
    uat_yield();
    event_set(c.over, 5);
}

UAT_TASK(int, caller, uat_once_t, o, struct call, c)
{
    int errors = 0;
    for (int i = 0; i < 3; i++) {
        long value = 0;
        uat_once_call(o, called, &c);
        errors += WRONG(event_try_get(c.over, &value) == 0 && value == 5);
    }
    return errors;
}

UAT_TASK(int, calls, int, unused)
{
    uat_once_t o = uat_once_create();
    const struct call c = {uat_semaphore_create(0), event_create()};
    caller_task all[SHARERS];
    int errors = unused;
    for (int i = 0; i < SHARERS; i++)
        caller_spawn(&all[i], o, c);
    for (int i = 0; i < SHARERS; i++)
        errors += caller_join(&all[i]);
    errors += WRONG(uat_semaphore_try_acquire(c.calls) == 0) + WRONG(uat_semaphore_try_acquire(c.calls) == -EAGAIN);
    uat_once_destroy(o);
    uat_semaphore_destroy(c.calls);
    event_destroy(c.over);
    return errors;
}

int sync_once(int *errors, int unused)
{
    return calls_run(errors, unused);
}

/* Critical sections: the number is away while a task is in the section. */
static int leave_early(longs_channel cell, int how)
{
    long value = 0;
    int errors = 0;
    UAT_CRITICAL(of_the_cell)
    {
        errors += WRONG(longs_try_receive(cell, &value) == 0);
        uat_yield();
        UAT_CRITICAL(inner)
        {
            errors += WRONG(longs_try_send(cell, value + 1) == 0);
            if (how == 0)
                return errors;
            if (how == 1)
                break;
        }
        if (how == 2)
            break;
        errors += WRONG(uat_mutex_try_lock(uat_mutex_named("of_the_cell")) == -EAGAIN);
    }
    return errors;
}

UAT_TASK(int, enters, longs_channel, cell, int, self)
{
    int errors = 0;
    for (int i = 0; i < ROUNDS; i++)
        errors += leave_early(cell, (self + i) % 4);
    return errors;
}

UAT_TASK(int, critical, int, unused)
{
    longs_channel cell = longs_named("of_the_cell", 1); /* a channel with the same name is another object */
    enters_task all[SHARERS];
    long value = 0;
    int errors = unused + WRONG(longs_send(cell, 0) == 0);
    for (int i = 0; i < SHARERS; i++)
        enters_spawn(&all[i], cell, i);
    for (int i = 0; i < SHARERS; i++)
        errors += enters_join(&all[i]);
    errors += WRONG(longs_try_receive(cell, &value) == 0 && value == SHARERS * ROUNDS);
    return errors;
}

int sync_critical(int *errors, int unused)
{
    return critical_run(errors, unused);
}
