/* SPDX-License-Identifier: MIT */
/* The exercises of uat-sync on objects of another worker, and the counting of round trips. */
#include "base/virtual.h"
#include "perf/sync.h"
#include "inspect/inspect.h"
#include "uat/channel.h"
#include "uat/sync.h"

UAT_CHANNEL(uint64_t, numbers);
SYNC_NUMBER_FUTURE

struct sync_begin sync_begin(void)
{
    return (struct sync_begin){uat_counter(), uat_inspect_transport()->round_trips, uat_rank()};
}

struct sync_taken sync_taken_since(const struct sync_begin *begin, uint64_t answer, uint64_t operations)
{
    bool counts = begin->rank == uat_rank() && uat_rank() != uat_size() - 1;
    return (struct sync_taken){.cycles = uat_counter() - begin->cycles,
                               .trips = counts ? uat_inspect_transport()->round_trips - begin->trips : 0,
                               .counted = counts ? operations : 0,
                               .answer = answer};
}

struct sync_taken sync_lock(uat_mutex_t m, uint64_t times)
{
    struct sync_begin begin = sync_begin();
    for (uint64_t i = 0; i < times; i++) {
        uat_mutex_lock(m);
        uat_mutex_unlock(m);
    }
    return sync_taken_since(&begin, times, 2 * times);
}

UAT_TASK(struct sync_taken, lock_far, uat_mutex_t, m, uint64_t, times)
{
    return sync_lock(m, times);
}

int sync_mutex_far(const struct sync_plan *plan, struct sync_taken *taken)
{
    return lock_far_run(taken, (uat_mutex_t){plan->mutex}, plan->passes);
}

/* Send a value to another worker's channel and receive it from there. No task waits. */
UAT_TASK(struct sync_taken, there_and_back, numbers_channel, c, uint64_t, n)
{
    uint64_t value, sum = 0;
    struct sync_begin begin = sync_begin();
    for (uint64_t i = 0; i < n; i++) {
        numbers_send(c, i);
        if (numbers_receive(c, &value) == 0)
            sum += value;
    }
    return sync_taken_since(&begin, sum, 2 * n);
}

int sync_channel_far(const struct sync_plan *plan, struct sync_taken *taken)
{
    return there_and_back_run(taken, (numbers_channel){{plan->channel, sizeof(uint64_t)}}, plan->passes);
}

/*
 * Futures of another worker. When the child waits, the spawner continues, usually on the same worker. The worker's
 * round trips before this moment count for the wait. The round trips of the following call of number_set() count for
 * the set. side: 0 measures the wait, and 1 measures the set.
 */
struct futures {
    number_future f[SYNC_FUTURES];
};

UAT_TASK(struct sync_taken, far_futures, struct futures, all, uint64_t, side)
{
    getter_task task[SYNC_FUTURES];
    struct sync_taken sum = {0};
    for (uint64_t i = 0; i < SYNC_FUTURES; i++) {
        struct sync_begin begin = sync_begin();
        getter_spawn(&task[i], all.f[i]);
        struct sync_taken wait = sync_taken_since(&begin, 0, 1);
        begin = sync_begin();
        number_set(all.f[i], i);
        struct sync_taken set = sync_taken_since(&begin, 0, 1), one = side ? set : wait;
        sum.cycles += one.cycles;
        sum.trips += one.trips;
        sum.counted += one.counted;
    }
    for (uint64_t i = SYNC_FUTURES; i-- > 0;)
        sum.answer += getter_join(&task[i]);
    return sum;
}

static int run_far_futures(const struct sync_plan *plan, struct sync_taken *taken, uint64_t side)
{
    struct futures all;
    for (int i = 0; i < SYNC_FUTURES; i++)
        all.f[i] = (number_future){{plan->future[i], sizeof(uint64_t)}};
    return far_futures_run(taken, all, side);
}

int sync_future_far_wait(const struct sync_plan *plan, struct sync_taken *taken)
{
    return run_far_futures(plan, taken, 0);
}

int sync_future_far_set(const struct sync_plan *plan, struct sync_taken *taken)
{
    return run_far_futures(plan, taken, 1);
}

uint64_t sync_far_sum(const struct sync_plan *plan)
{
    return SYNC_FUTURES * (SYNC_FUTURES - 1) / 2;
}

uint64_t sync_far_count(const struct sync_plan *plan)
{
    return SYNC_FUTURES;
}
