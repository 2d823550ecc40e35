/* SPDX-License-Identifier: MIT */
/*
 * Description: biased mutexes. At most one task holds the mutex. A holder is on the mutex's home when it locks and when
 * it unlocks, even if it was stolen between the two. Conditions lose no signal. No task waits forever. Usage: bias
 * [ROUNDS [CASE]]
 */
#include <errno.h>

#include "uat/channel.h"
#include "uat/lock.h"
#include "tests/programs/sync_cases.h"

enum { TASKS = 10, TIMES = 30, ITEMS = 60, ROOM = 4 };

UAT_CHANNEL(uint64_t, numbers);

static int home_of(uat_mutex_t m)
{
    return (int)(m.object >> 48);
}

/* A child that works long enough for a thief to take its spawner. */
UAT_TASK(int, distraction, int, n)
{
    work();
    return n;
}

/* Lock and unlock the mutex repeatedly. The cell must be empty exactly while a task holds the mutex. */
UAT_TASK(int, member, uat_mutex_t, m, numbers_channel, cell, uint64_t, self)
{
    int errors = 0;
    for (uint64_t i = 0; i < TIMES; i++) {
        uint64_t value = 0;
        distraction_task child;
        if ((i + self) % 4 == 0) {
            while (uat_mutex_try_lock(m))
                uat_yield();
        } else {
            uat_mutex_lock(m);
        }
        errors += WRONG(uat_rank() == home_of(m));
        errors += WRONG(numbers_try_receive(cell, &value) == 0);
        if ((i + self) % 3 == 0)
            uat_yield();
        if ((i + self) % 3 == 1) {
            distraction_spawn(&child, 1);
            errors += distraction_join(&child) - 1;
        }
        if ((i + self) % 7 == 2)
            uat_migrate((int)((i + self) % (uint64_t)uat_size()));
        errors += WRONG(numbers_try_send(cell, value + 1) == 0);
        uat_mutex_unlock(m);
        errors += WRONG(uat_rank() == home_of(m));
        if (i % 2)
            uat_migrate((int)(self % (uint64_t)uat_size()));
    }
    return errors;
}

UAT_TASK(uat_mutex_t, make)
{
    return uat_mutex_create_biased();
}

/* A mutex whose home is the last worker. */
static uat_mutex_t make_there(void)
{
    make_task t;
    make_spawn_on(&t, uat_size() - 1);
    return make_join(&t);
}

UAT_TASK(int, exclusion, int, unused)
{
    uat_mutex_t m = make_there();
    numbers_channel cell = numbers_create(1);
    member_task tasks[TASKS];
    uint64_t value = 0;
    int errors = unused + WRONG(home_of(m) == uat_size() - 1);
    numbers_send(cell, 0);
    for (uint64_t i = 0; i < TASKS; i++)
        member_spawn(&tasks[i], m, cell, i);
    for (int i = 0; i < TASKS; i++)
        errors += member_join(&tasks[i]);
    errors += WRONG(numbers_try_receive(cell, &value) == 0 && value == TASKS * TIMES);
    uat_mutex_lock(m);
    errors += WRONG(uat_mutex_try_lock(m) == -EAGAIN);
    uat_mutex_unlock(m);
    uat_mutex_destroy(m);
    numbers_destroy(cell);
    return errors;
}

/* A bounded buffer under a biased mutex, with two conditions. Its count is in a channel, which every worker can
 * reach. */
struct buffer {
    uat_mutex_t m;
    uat_condition_t filled, emptied;
    numbers_channel count;
};

static uint64_t change(const struct buffer *b, int by)
{
    uint64_t count = 99;
    numbers_receive(b->count, &count);
    numbers_send(b->count, count + (uint64_t)by);
    return count;
}

UAT_TASK(int, produce, struct buffer, b, int, all)
{
    int errors = 0;
    for (int i = 0; i < ITEMS; i++) {
        uat_mutex_lock(b.m);
        while (change(&b, 0) == ROOM)
            uat_condition_wait(b.emptied, b.m);
        errors += WRONG(change(&b, 1) < ROOM);
        if (all)
            uat_condition_broadcast(b.filled);
        else
            uat_condition_signal(b.filled);
        uat_mutex_unlock(b.m);
    }
    return errors;
}

UAT_TASK(int, consume, struct buffer, b)
{
    int errors = 0;
    for (int i = 0; i < ITEMS; i++) {
        uat_mutex_lock(b.m);
        while (change(&b, 0) == 0)
            uat_condition_wait(b.filled, b.m);
        errors += WRONG(uat_rank() == home_of(b.m));
        errors += WRONG(change(&b, -1) > 0);
        uat_condition_signal(b.emptied);
        uat_mutex_unlock(b.m);
        if (i % 5 == 0)
            uat_migrate(0);
    }
    return errors;
}

UAT_TASK(int, buffers, int, unused)
{
    struct buffer b = {make_there(), uat_condition_create(), uat_condition_create(), numbers_create(1)};
    produce_task producers[3];
    consume_task consumers[3];
    int errors = unused;
    numbers_send(b.count, 0);
    for (int i = 0; i < 3; i++) {
        consume_spawn(&consumers[i], b);
        produce_spawn(&producers[i], b, i == 0);
    }
    for (int i = 0; i < 3; i++)
        errors += produce_join(&producers[i]) + consume_join(&consumers[i]);
    errors += WRONG(change(&b, 0) == 0);
    uat_condition_destroy(b.filled);
    uat_condition_destroy(b.emptied);
    uat_mutex_destroy(b.m);
    numbers_destroy(b.count);
    return errors;
}

static const struct round_case cases[] = {{"exclusion", exclusion_run}, {"buffers", buffers_run}};

int main(int argc, char **argv)
{
    return run_rounds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
