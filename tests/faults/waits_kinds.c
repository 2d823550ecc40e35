/* SPDX-License-Identifier: MIT */
#include "tests/faults/waits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/channel.h"
#include "uat/checkpoint.h"
#include "uat/generator.h"
#include "uat/limit.h"
#include "uat/lock.h"
#include "uat/pattern.h"
#include "uat/reducer.h"
#include "uat/semaphore.h"

UAT_REDUCER(uint64_t, total, 0, UAT_PLUS)

uint64_t steps;

uint64_t total_of_round(void)
{
    return total_take();
}

UAT_GENERATOR(uint64_t, numbers, uint64_t, from, uint64_t, count)
{
    for (uint64_t i = 0; i < count; i++)
        uat_generator_yield(mix(from + i));
}

static void child(void *arg, void *result)
{
    uint64_t seed = *(uint64_t *)arg;
    for (uint64_t i = mix(seed) % SPINS; i > 0; i--)
        seed = mix(seed);
    memcpy(result, &seed, sizeof(seed));
}

/* Some work between two waits: a child, perhaps a request for a checkpoint, perhaps a yield. */
static void step(const struct work *w, uint64_t at)
{
    uint64_t seed = mix(w->seed + w->place * 1000 + at), value;
    uat_task_t task;
    steps++;
    uat_spawn(&task, child, &seed, sizeof(seed), &value, sizeof(value));
    if (w->ask > 0 && mix(seed + 1) % w->ask == 0)
        uat_checkpoint(0);
    for (uint64_t i = seed % SPINS; i > 0; i--)
        seed = mix(seed);
    if (seed % 3 == 0)
        uat_yield();
    uat_join(&task);
}

/* Change the number in a channel of one value. Returns the new number. The caller holds the lock, and only a task with
 * the lock takes the number. So the number must be in the channel. */
static uint64_t change(struct work *w, uat_channel_t cell, int64_t by)
{
    uint64_t value = 0;
    w->errors += uat_channel_try_receive(cell, &value) != 0;
    value += (uint64_t)by;
    w->errors += uat_channel_try_send(cell, &value) != 0;
    return value;
}

static void run_future(struct work *w)
{
    uint64_t left = w->place;
    for (int i = 0; i < STEPS; i++) {
        struct large above = {.word[0] = (uint64_t)i}, own = {{0}};
        if (w->place > 0)
            uat_future_get(w->above[i], &above);
        step(w, (uint64_t)i);
        left = own.word[0] = own.word[LARGE - 1] = mix(left + 3 * above.word[0]);
        if (w->place > 0 && w->above[i].size > sizeof(uint64_t))
            w->errors += above.word[LARGE - 1] != above.word[0];
        uat_future_set(w->own[i], &own);
    }
    w->sum = left;
}

/* One stage of a pipeline. */
static void run_channel(struct work *w)
{
    struct large value = {{0}};
    bool first = w->place == 0, last = w->place == TASKS - 1;
    for (uint64_t i = 0; first ? i < 3 * STEPS : uat_channel_receive(w->channel[0], &value) == 0; i++) {
        if (first)
            value.word[0] = mix(w->seed + i);
        else if (w->channel[0].size > sizeof(uint64_t))
            w->errors += value.word[LARGE - 1] != value.word[0];
        step(w, i);
        value.word[0] = value.word[LARGE - 1] = mix(value.word[0] + w->place);
        w->sum = last ? mix(w->sum + value.word[0]) : 0;
        if (!last)
            w->errors += uat_channel_send(w->channel[1], &value) != 0;
    }
    if (!last)
        uat_channel_close(w->channel[1]);
}

/* Three tasks send, by selects over a channel of their own and the common channel 3. The other tasks receive, by
 * selects over all channels, until the three senders' channels are closed. */
static void run_select(struct work *w)
{
    uint64_t value[OBJECTS];
    int open = 3;
    if (w->place < 3) {
        for (uint64_t i = 0; i < 2 * STEPS; i++) {
            value[0] = mix(w->seed + w->place * 100 + i);
            step(w, i);
            uat_case_t one[] = {{w->channel[w->place], 1, &value[0], 0}, {w->channel[3], 1, &value[0], 0}};
            w->errors += uat_select(one, 2) < 0;
        }
        uat_channel_close(w->channel[w->place]);
        return;
    }
    uat_case_t cases[OBJECTS];
    for (int i = 0; i < OBJECTS; i++)
        cases[i] = (uat_case_t){w->channel[i], 0, &value[i], 0};
    for (uint64_t i = 0; open > 0; i++) {
        int taken = uat_select(cases, open + 1);
        if (cases[taken].status == 0) {
            w->sum += *(uint64_t *)cases[taken].value;
            step(w, i);
        } else {
            memmove(&cases[taken], &cases[taken + 1], (size_t)(open - taken) * sizeof(cases[0]));
            open--;
        }
    }
    while (uat_channel_try_receive(w->channel[3], &value[0]) == 0)
        w->sum += value[0];
}

static void run_mutex(struct work *w)
{
    for (uint64_t i = 0; i < STEPS; i++) {
        uat_mutex_lock(w->mutex);
        change(w, w->channel[0], 1);
        step(w, i);
        change(w, w->channel[0], (int64_t)i);
        uat_mutex_unlock(w->mutex);
        if (i % 4 == 0 && uat_mutex_try_lock(w->mutex) == 0) {
            change(w, w->channel[0], 0);
            uat_mutex_unlock(w->mutex);
        }
    }
}

/* Tasks with even numbers put values, the others take them; the last task does neither. At most LIMIT values are
 * stored. */
static void run_condition(struct work *w)
{
    bool puts = w->place % 2 == 0;
    for (uint64_t i = 0; w->place < TASKS - 1 && i < STEPS; i++) {
        uat_mutex_lock(w->mutex);
        while (change(w, w->channel[0], 0) == (puts ? LIMIT : 0))
            uat_condition_wait(w->condition[puts], w->mutex);
        step(w, i);
        w->sum += change(w, w->channel[0], puts ? 1 : -1) <= LIMIT;
        if (i % 5 == 0)
            uat_condition_broadcast(w->condition[!puts]);
        else
            uat_condition_signal(w->condition[!puts]);
        uat_mutex_unlock(w->mutex);
    }
}

static void run_semaphore(struct work *w)
{
    for (uint64_t i = 0; i < STEPS; i++) {
        uat_semaphore_acquire(w->semaphore);
        uat_mutex_lock(w->mutex);
        w->errors += change(w, w->channel[0], 1) > LIMIT;
        uat_mutex_unlock(w->mutex);
        step(w, i);
        uat_mutex_lock(w->mutex);
        change(w, w->channel[0], -1);
        uat_mutex_unlock(w->mutex);
        uat_semaphore_release(w->semaphore, 1);
        w->sum += mix(w->place + i);
    }
}

/* In each round all tasks add to a number. Afterwards all must see the same sum. The latch opens when each task has
 * done two rounds. */
static void run_barrier(struct work *w)
{
    for (uint64_t i = 0; i < STEPS / 2; i++) {
        step(w, i);
        uat_mutex_lock(w->mutex);
        change(w, w->channel[0], (int64_t)w->place);
        uat_mutex_unlock(w->mutex);
        w->sum += (uint64_t)uat_task_barrier_wait(w->barrier);
        uat_mutex_lock(w->mutex);
        w->errors += change(w, w->channel[0], 0) != (i + 1) * (TASKS * (TASKS - 1) / 2);
        uat_mutex_unlock(w->mutex);
        uat_task_barrier_wait(w->barrier);
        if (i == 1) {
            uat_latch_count_down(w->latch, 1);
            uat_latch_wait(w->latch);
        }
    }
}

/* Tasks that migrate, with a generator and views of a reducer. */
static void run_migrate(struct work *w)
{
    numbers_generator g;
    uint64_t number;
    numbers_begin(&g, w->seed + w->place, 2 * STEPS);
    for (uint64_t i = 0; numbers_next(&g, &number); i++) {
        w->sum += number;
        *total_view() += number;
        if (number % 2)
            uat_migrate((int)(number / 2 % (uint64_t)uat_size()));
        else
            step(w, i);
    }
}

uat_channel_t named_channel(const struct work *w, unsigned i)
{
    char name[32];
    snprintf(name, sizeof(name), "%016llx %u", (unsigned long long)w->seed, i);
    return uat_channel_named(name, sizeof(uint64_t), 1);
}

/* Numbers in channels that each task finds by name. The first task to name a channel makes it. */
static void run_named(struct work *w)
{
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t value = 0;
        uat_channel_t cell = named_channel(w, i % NAMES);
        uat_mutex_lock(w->mutex);
        uat_channel_try_receive(cell, &value);
        step(w, i);
        value += mix(w->place + i);
        w->errors += uat_channel_try_send(named_channel(w, i % NAMES), &value) != 0;
        uat_mutex_unlock(w->mutex);
    }
}

/* Tasks that sleep while others work and ask for checkpoints. A wait with a limit is a chain of sleeps. */
static void run_sleep(struct work *w)
{
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t value = 0;
        step(w, i);
        uat_sleep_for(mix(w->seed + w->place + i) % 200000);
        w->sum += mix(w->place + i);
        w->errors += uat_channel_receive_for(w->channel[1], &value, 20000) != -ETIMEDOUT;
    }
}

/* Readers see that no writer is inside, and writers change a number. */
static void run_shared(struct work *w)
{
    for (uint64_t i = 0; i < STEPS; i++) {
        if ((w->place + i) % 3 == 0) {
            uat_shared_mutex_lock(w->shared);
            change(w, w->channel[0], (int64_t)w->place);
            step(w, i);
            uat_shared_mutex_unlock(w->shared);
        } else {
            uat_shared_mutex_lock_shared(w->shared);
            w->errors += uat_shared_mutex_try_lock(w->shared) != -EAGAIN;
            step(w, i);
            uat_shared_mutex_unlock_shared(w->shared);
        }
        UAT_CRITICAL(of_the_round)
        {
            step(w, i);
        }
    }
}

static void run_cancel(struct work *w)
{
    for (uint64_t i = 0; i < w->place; i++)
        step(w, i);
    if (w->place == TASKS - 1)
        uat_group_cancel(w->cancel);
    while (!uat_cancelled(w->cancel))
        uat_yield();
    uat_mutex_lock(w->mutex);
    change(w, w->channel[0], (int64_t)w->place);
    uat_mutex_unlock(w->mutex);
}

UAT_REDUCE(uint64_t, sum_of_mixed, 0, UAT_PLUS, i, uint64_t, seed)
{
    uat_sim_work(WORK_NS);
    for (int k = 0; k < MIXES; k++)
        seed = mix(seed + (uint64_t)i);
    return seed;
}

/* A few tasks run loops, by teams if there are enough idle workers. */
static void run_loops(struct work *w)
{
    for (uint64_t i = 0; w->place < LOOPERS && i < STEPS; i++)
        w->sum += sum_of_mixed(0, ITERATIONS, mix(w->seed + w->place * 1000 + i));
}

const struct kind kinds[] = {{"future", run_future},       {"channel", run_channel}, {"select", run_select},
                             {"mutex", run_mutex},         {"biased", run_mutex},    {"condition", run_condition},
                             {"semaphore", run_semaphore}, {"barrier", run_barrier}, {"migrate", run_migrate},
                             {"cancel", run_cancel},       {"main", run_mutex},      {"named", run_named},
                             {"sleep", run_sleep},         {"shared", run_shared},   {"loops", run_loops}};
const size_t kind_count = sizeof(kinds) / sizeof(kinds[0]);
