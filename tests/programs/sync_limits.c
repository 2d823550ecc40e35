/* SPDX-License-Identifier: MIT */
/* Cases of `sync`: sleeps, and waits with a time limit. All workers of a test read one clock. */
#include <errno.h>

#include "uat/channel.h"
#include "uat/limit.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "tests/programs/sync_cases.h"

UAT_CHANNEL(long, values);
UAT_FUTURE(long, promise);

enum { SLEEPERS = 24, US = 1000, LONG = 2000000000 };

/* No sleep ends too early. In virtual time, nothing keeps a worker from ending it within 0.4 ms. */
UAT_TASK(int, sleeper, uint64_t, ns, int, is_virtual)
{
    uint64_t begin = uat_time_ns();
    uat_sleep_for(ns);
    uint64_t passed = uat_time_ns() - begin;
    return WRONG(passed >= ns) + (is_virtual ? WRONG(passed <= ns + 400 * US) : 0);
}

/* Sleeps until others have run: a task that sleeps keeps no worker busy. */
UAT_TASK(int, patient, values_channel, signal)
{
    long value = 0;
    while (values_try_receive(signal, &value))
        uat_sleep_for(20 * US);
    return WRONG(value == 7);
}

UAT_TASK(int, sleeps, int, is_virtual)
{
    values_channel signal = values_create(1);
    sleeper_task all[SLEEPERS];
    patient_task waits;
    int errors = 0;
    patient_spawn(&waits, signal);
    for (int i = 0; i < SLEEPERS; i++) /* from 0 to 2.3 ms, in no order */
        sleeper_spawn(&all[i], (uint64_t)(i * 7 % SLEEPERS * 100 * US), is_virtual);
    errors += WRONG(values_try_send(signal, 7) == 0);
    errors += patient_join(&waits);
    for (int i = 0; i < SLEEPERS; i++)
        errors += sleeper_join(&all[i]);
    values_destroy(signal);
    return errors;
}

int sync_sleeps(int *errors, int unused)
{
    (void)unused;
    return sleeps_run(errors, strcmp(uat_setting("time"), "virtual") == 0);
}

/* Each wait with a limit ends without what it waits for, and not before the limit. */
#define TIMES_OUT(call)                                                                                                \
    do {                                                                                                               \
        uint64_t begin = uat_time_ns();                                                                                \
        errors += WRONG((call) == -ETIMEDOUT);                                                                         \
        errors += WRONG(uat_time_ns() - begin >= 60 * US);                                                             \
    } while (0)

UAT_TASK(int, all_limits, uat_mutex_t, locked, uat_shared_mutex_t, written)
{
    values_channel full = values_create(0), empty = values_create(1);
    promise_future unset = promise_create();
    uat_semaphore_t none = uat_semaphore_create(0);
    uat_latch_t closed = uat_latch_create(1);
    long value = 3;
    int errors = 0;
    uat_case_t cases[2] = {values_sends(full, &value), values_receives(empty, &value)};
    TIMES_OUT(uat_mutex_lock_for(locked, 60 * US));
    TIMES_OUT(uat_shared_mutex_lock_for(written, 60 * US));
    TIMES_OUT(uat_shared_mutex_lock_shared_for(written, 60 * US));
    TIMES_OUT(uat_future_get_for(unset.future, &value, 60 * US));
    TIMES_OUT(uat_semaphore_acquire_for(none, 60 * US));
    TIMES_OUT(uat_latch_wait_for(closed, 60 * US));
    TIMES_OUT(uat_channel_send_for(full.channel, &value, 60 * US));
    TIMES_OUT(uat_channel_receive_for(empty.channel, &value, 60 * US));
    TIMES_OUT(uat_select_for(cases, 2, 60 * US));
    errors += WRONG(uat_semaphore_acquire_for(none, 0) == -ETIMEDOUT) + WRONG(value == 3);
    values_send(empty, 4);
    errors += WRONG(uat_select_for(cases, 2, 0) == 1 && value == 4);
    values_close(empty);
    errors += WRONG(uat_channel_receive_for(empty.channel, &value, LONG) == -EPIPE);
    values_destroy(full);
    values_destroy(empty);
    promise_destroy(unset);
    uat_semaphore_destroy(none);
    uat_latch_destroy(closed);
    return errors;
}

UAT_TASK(int, gives, promise_future, f, uat_semaphore_t, s, values_channel, c, uat_mutex_t, m)
{
    uat_sleep_for(100 * US);
    promise_set(f, 11);
    uat_sleep_for(100 * US);
    uat_semaphore_release(s, 1);
    uat_sleep_for(100 * US);
    uat_mutex_lock(m); /* with a condition: see below */
    values_send(c, 12);
    uat_mutex_unlock(m);
    return 0;
}

/* Each wait ends when another task gives what it waits for. */
UAT_TASK(int, in_time, int, unused)
{
    promise_future f = promise_create();
    uat_semaphore_t s = uat_semaphore_create(0);
    values_channel c = values_create(1);
    uat_mutex_t m = uat_mutex_create();
    uat_condition_t changed = uat_condition_create();
    uat_limit_t limit = uat_limit_begin((uint64_t)60 * LONG), over = uat_limit_begin(30 * US);
    gives_task t;
    long value = 0;
    int errors = unused;
    uat_mutex_lock(m);
    while (uat_condition_wait_for(changed, m, &over) == 0)
        errors += WRONG(over.passed > 0);
    errors += WRONG(over.left == 0) + WRONG(uat_mutex_try_lock(m) == -EAGAIN);
    uat_mutex_unlock(m);
    gives_spawn(&t, f, s, c, m);
    errors += WRONG(uat_future_get_for(f.future, &value, (uint64_t)60 * LONG) == 0 && value == 11);
    errors += WRONG(uat_semaphore_acquire_for(s, (uint64_t)60 * LONG) == 0);
    uat_mutex_lock(m);
    while (values_try_receive(c, &value))
        errors += WRONG(uat_condition_wait_for(changed, m, &limit) == 0);
    uat_mutex_unlock(m);
    errors += WRONG(value == 12) + gives_join(&t);
    promise_destroy(f);
    uat_semaphore_destroy(s);
    values_destroy(c);
    uat_mutex_destroy(m);
    uat_condition_destroy(changed);
    return errors;
}

UAT_TASK(int, limits, int, unused)
{
    uat_mutex_t locked = uat_mutex_create();
    uat_shared_mutex_t written = uat_shared_mutex_create();
    all_limits_task t;
    int errors = unused;
    uat_mutex_lock(locked);
    uat_shared_mutex_lock(written);
    all_limits_spawn(&t, locked, written);
    errors += all_limits_join(&t);
    uat_shared_mutex_unlock(written);
    uat_mutex_unlock(locked);
    uat_mutex_destroy(locked);
    uat_shared_mutex_destroy(written);
    in_time_task in;
    in_time_spawn(&in, 0);
    return errors + in_time_join(&in);
}

int sync_limits(int *errors, int unused)
{
    return limits_run(errors, unused);
}

/* No unit is lost, and none is invented, where limits and releases meet. */
UAT_TASK(int, hurried, uat_semaphore_t, s)
{
    int got = 0;
    for (int i = 0; i < 6; i++)
        got += uat_semaphore_acquire_for(s, (uint64_t)i * 10 * US) == 0;
    return got;
}

UAT_TASK(int, releases, uat_semaphore_t, s, int, n)
{
    for (int i = 0; i < n; i++) {
        uat_semaphore_release(s, 1);
        uat_sleep_for(15 * US);
    }
    return 0;
}

UAT_TASK(int, tokens, int, unused)
{
    uat_semaphore_t s = uat_semaphore_create(0);
    hurried_task all[4];
    releases_task t;
    int left = 12;
    releases_spawn(&t, s, left);
    for (int i = 0; i < 4; i++)
        hurried_spawn(&all[i], s);
    for (int i = 0; i < 4; i++)
        left -= hurried_join(&all[i]);
    releases_join(&t);
    for (; uat_semaphore_try_acquire(s) == 0; left--)
        ;
    uat_semaphore_destroy(s);
    return unused + WRONG(left == 0);
}

int sync_tokens(int *errors, int unused)
{
    return tokens_run(errors, unused);
}
