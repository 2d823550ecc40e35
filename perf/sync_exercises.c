/* SPDX-License-Identifier: MIT */
/*
 * The exercises of uat-sync, after Dolan, Muralidharan and Gregg (TACO 9(4), 2013), section 7. They are a ring of
 * threads, ping-pong over channels and under a mutex, many fibers, and binary trees in fibers. Here threads and fibers
 * are tasks, and any worker may resume a task that has waited.
 */
#include "perf/sync.h"
#include "uat/channel.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

enum { BUFFER = 64, BATCH = 256 };

UAT_CHANNEL(uint64_t, numbers);
SYNC_NUMBER_FUTURE

uint64_t sync_passes(const struct sync_plan *plan)
{
    return plan->passes;
}

uint64_t sync_twice_passes(const struct sync_plan *plan)
{
    return 2 * plan->passes;
}

static uint64_t batch_of(const struct sync_plan *plan)
{
    return BATCH;
}

static uint64_t batch_sum(const struct sync_plan *plan)
{
    return BATCH * (BATCH - 1) / 2;
}

/* A member of a ring. It decrements a number and passes the number on. All members wait before the clock starts. */
UAT_TASK(uint64_t, ring_member, numbers_channel, in, numbers_channel, out, number_future, over, uint64_t, frame)
{
    uint64_t number, passed = 0;
    char room[frame + 1];
    __asm__ volatile("" : : "r"(room) : "memory"); /* keeps the compiler from removing `room` */
    while (numbers_receive(in, &number) == 0) {
        if (number == 0) {
            number_set(over, 1);
            continue;
        }
        numbers_send(out, number - 1);
        passed++;
    }
    return passed;
}

struct ring {
    numbers_channel channel[SYNC_MEMBERS_MAX];
    ring_member_task task[SYNC_MEMBERS_MAX];
};

UAT_TASK(struct sync_taken, ring, uint64_t, members, uint64_t, passes, uint64_t, capacity, uint64_t, frame)
{
    struct ring r;
    number_future over = number_create();
    uint64_t passed = 0;
    for (uint64_t i = 0; i < members; i++)
        r.channel[i] = numbers_create(capacity);
    for (uint64_t i = 0; i < members; i++)
        ring_member_spawn(&r.task[i], r.channel[i], r.channel[i + 1 == members ? 0 : i + 1], over, frame);
    struct sync_begin begin = sync_begin();
    numbers_send(r.channel[0], passes);
    number_get(over);
    struct sync_taken taken = sync_taken_since(&begin, 0, 0);
    for (uint64_t i = 0; i < members; i++)
        numbers_close(r.channel[i]);
    for (uint64_t i = members; i-- > 0;) {
        passed += ring_member_join(&r.task[i]);
        numbers_destroy(r.channel[i]);
    }
    number_destroy(over);
    taken.answer = passed;
    return taken;
}

static int ring_rendezvous(const struct sync_plan *plan, struct sync_taken *taken)
{
    return ring_run(taken, plan->members, plan->passes, 0, plan->frame);
}

static int ring_buffered(const struct sync_plan *plan, struct sync_taken *taken)
{
    return ring_run(taken, plan->members, plan->passes, 1, plan->frame);
}

/* A member of a ring with semaphores. Each member acquires its own semaphore, and then releases the semaphore of the
 * next member. */
UAT_TASK(uint64_t, gate_member, uat_semaphore_t, own, uat_semaphore_t, next, uint64_t, rounds)
{
    for (uint64_t i = 0; i < rounds; i++) {
        uat_semaphore_acquire(own);
        uat_semaphore_release(next, 1);
    }
    return rounds;
}

struct gates {
    uat_semaphore_t gate[SYNC_MEMBERS_MAX];
    gate_member_task task[SYNC_MEMBERS_MAX];
};

UAT_TASK(struct sync_taken, gates, uint64_t, members, uint64_t, passes)
{
    struct gates g;
    uint64_t rounds = passes / members, passed = 0;
    for (uint64_t i = 0; i < members; i++)
        g.gate[i] = uat_semaphore_create(0);
    /* The last member releases the first gate, which starts the next round. One release is left over: that of the last
     * round. */
    for (uint64_t i = 0; i < members; i++)
        gate_member_spawn(&g.task[i], g.gate[i], g.gate[i + 1 == members ? 0 : i + 1], rounds);
    struct sync_begin begin = sync_begin();
    uat_semaphore_release(g.gate[0], 1);
    for (uint64_t i = members; i-- > 0;)
        passed += gate_member_join(&g.task[i]);
    struct sync_taken taken = sync_taken_since(&begin, passed, 0);
    for (uint64_t i = 0; i < members; i++)
        uat_semaphore_destroy(g.gate[i]);
    return taken;
}

static int ring_semaphores(const struct sync_plan *plan, struct sync_taken *taken)
{
    return gates_run(taken, plan->members, plan->passes);
}

static uint64_t whole_rounds(const struct sync_plan *plan)
{
    return plan->passes / plan->members * plan->members;
}

/* A task that only lets other tasks run. */
UAT_TASK(uint64_t, yielder, uat_latch_t, start, uint64_t, times)
{
    uat_latch_wait(start);
    for (uint64_t i = 0; i < times; i++)
        uat_yield();
    return times;
}

UAT_TASK(struct sync_taken, yields, uint64_t, members, uint64_t, passes)
{
    yielder_task task[SYNC_MEMBERS_MAX];
    uat_latch_t start = uat_latch_create(1);
    uint64_t times = passes / members, sum = 0;
    for (uint64_t i = 0; i < members; i++)
        yielder_spawn(&task[i], start, times);
    struct sync_begin begin = sync_begin();
    uat_latch_count_down(start, 1);
    for (uint64_t i = members; i-- > 0;)
        sum += yielder_join(&task[i]);
    struct sync_taken taken = sync_taken_since(&begin, sum, 0);
    uat_latch_destroy(start);
    return taken;
}

static int yields_all(const struct sync_plan *plan, struct sync_taken *taken)
{
    return yields_run(taken, plan->members, plan->passes);
}

/* Two tasks pass a number back and forth, as a ring of two. */
static int ping_pong(const struct sync_plan *plan, struct sync_taken *taken)
{
    return ring_run(taken, 2, plan->passes, 0, plan->frame);
}

/* One of two tasks that share a mutex. The task that holds the lock lets the other one run. So every lock operation
 * except the first one waits. */
UAT_TASK(uint64_t, locker, uat_mutex_t, m, uint64_t, times)
{
    for (uint64_t i = 0; i < times; i++) {
        uat_mutex_lock(m);
        uat_yield();
        uat_mutex_unlock(m);
    }
    return times;
}

UAT_TASK(struct sync_taken, mutex_turns, uint64_t, passes)
{
    uat_mutex_t m = uat_mutex_create();
    locker_task one, other;
    struct sync_begin begin = sync_begin();
    locker_spawn(&one, m, passes / 2);
    locker_spawn(&other, m, passes - passes / 2);
    uint64_t sum = locker_join(&other);
    sum += locker_join(&one);
    struct sync_taken taken = sync_taken_since(&begin, sum, 0);
    uat_mutex_destroy(m);
    return taken;
}

static int mutex_ping_pong(const struct sync_plan *plan, struct sync_taken *taken)
{
    return mutex_turns_run(taken, plan->passes);
}

UAT_TASK(struct sync_taken, lock_own, uint64_t, times, bool, biased)
{
    uat_mutex_t m = biased ? uat_mutex_create_biased() : uat_mutex_create();
    struct sync_taken taken = sync_lock(m, times);
    uat_mutex_destroy(m);
    return taken;
}

static int mutex_alone(const struct sync_plan *plan, struct sync_taken *taken)
{
    return lock_own_run(taken, plan->passes, false);
}

static int mutex_biased(const struct sync_plan *plan, struct sync_taken *taken)
{
    return lock_own_run(taken, plan->passes, true);
}

/* A producer and a consumer with a buffer between them. */
UAT_TASK(int, produce, numbers_channel, c, uint64_t, n)
{
    for (uint64_t i = 0; i < n; i++)
        numbers_send(c, i);
    numbers_close(c);
    return 0;
}

UAT_TASK(struct sync_taken, stream, uint64_t, n)
{
    numbers_channel c = numbers_create(BUFFER);
    produce_task producer;
    uint64_t value, sum = 0;
    struct sync_begin begin = sync_begin();
    produce_spawn(&producer, c, n);
    while (numbers_receive(c, &value) == 0)
        sum += value;
    produce_join(&producer);
    struct sync_taken taken = sync_taken_since(&begin, sum, 0);
    numbers_destroy(c);
    return taken;
}

static int channel_stream(const struct sync_plan *plan, struct sync_taken *taken)
{
    return stream_run(taken, plan->passes);
}

uint64_t sync_sum_of_passes(const struct sync_plan *plan)
{
    return plan->passes * (plan->passes - 1) / 2;
}

/* If `wait`, a task waits for each future before the future is set. Otherwise each future is set before the task gets
 * it. */
UAT_TASK(struct sync_taken, set_and_get, uint64_t, wait)
{
    number_future f[BATCH];
    getter_task task[BATCH];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < BATCH; i++)
        f[i] = number_create();
    struct sync_begin begin = sync_begin();
    for (uint64_t i = 0; i < BATCH; i++) {
        if (!wait)
            number_set(f[i], i);
        getter_spawn(&task[i], f[i]);
        if (wait)
            number_set(f[i], i);
    }
    for (uint64_t i = BATCH; i-- > 0;)
        sum += getter_join(&task[i]);
    struct sync_taken taken = sync_taken_since(&begin, sum, 0);
    for (uint64_t i = 0; i < BATCH; i++)
        number_destroy(f[i]);
    return taken;
}

static int future_waited(const struct sync_plan *plan, struct sync_taken *taken)
{
    return set_and_get_run(taken, 1);
}

static int future_there(const struct sync_plan *plan, struct sync_taken *taken)
{
    return set_and_get_run(taken, 0);
}

/* One of many fibers. All wait at one latch, and then all continue. */
UAT_TASK(uint64_t, fiber, uat_latch_t, all, uint64_t, number)
{
    uat_latch_wait(all);
    return number;
}

UAT_TASK(struct sync_taken, many, uint64_t, n)
{
    fiber_task task[SYNC_FIBERS_MAX];
    uat_latch_t all = uat_latch_create(1);
    uint64_t sum = 0;
    struct sync_begin begin = sync_begin();
    for (uint64_t i = 0; i < n; i++)
        fiber_spawn(&task[i], all, i);
    uat_latch_count_down(all, 1);
    for (uint64_t i = n; i-- > 0;)
        sum += fiber_join(&task[i]);
    struct sync_taken taken = sync_taken_since(&begin, sum, 0);
    uat_latch_destroy(all);
    return taken;
}

static int many_fibers(const struct sync_plan *plan, struct sync_taken *taken)
{
    return many_run(taken, plan->fibers);
}

static uint64_t fibers_of(const struct sync_plan *plan)
{
    return plan->fibers;
}

static uint64_t sum_of_fibers(const struct sync_plan *plan)
{
    return plan->fibers * (plan->fibers - 1) / 2;
}

/* A node of a binary tree of fibers. Each node sends to its parent the number of nodes in its subtree, itself
 * included. */
UAT_TASK(int, node, numbers_channel, up, uint64_t, depth)
{
    uint64_t left = 0, right = 0;
    if (depth > 0) {
        numbers_channel c = numbers_create(0);
        node_task one, other;
        node_spawn(&one, c, depth - 1);
        node_spawn(&other, c, depth - 1);
        numbers_receive(c, &left);
        numbers_receive(c, &right);
        node_join(&other);
        node_join(&one);
        numbers_destroy(c);
    }
    numbers_send(up, 1 + left + right);
    return 0;
}

UAT_TASK(struct sync_taken, tree, uint64_t, depth)
{
    numbers_channel c = numbers_create(0);
    node_task root;
    uint64_t nodes = 0;
    struct sync_begin begin = sync_begin();
    node_spawn(&root, c, depth);
    numbers_receive(c, &nodes);
    node_join(&root);
    struct sync_taken taken = sync_taken_since(&begin, nodes, 0);
    numbers_destroy(c);
    return taken;
}

static int binary_tree(const struct sync_plan *plan, struct sync_taken *taken)
{
    return tree_run(taken, plan->depth);
}

static uint64_t nodes_of(const struct sync_plan *plan)
{
    return (UINT64_C(2) << plan->depth) - 1;
}

const struct sync_exercise sync_exercises[SYNC_EXERCISES] = {
    {"threadring", "pass, ring, rendezvous", false, ring_rendezvous, sync_passes, sync_passes},
    {"threadring_buffered", "pass, ring, capacity 1", false, ring_buffered, sync_passes, sync_passes},
    {"threadring_semaphore", "pass, ring, semaphores", false, ring_semaphores, whole_rounds, whole_rounds},
    {"yield", "uat_yield, as many", false, yields_all, whole_rounds, whole_rounds},
    {"channel_ping_pong", "channel ping-pong", false, ping_pong, sync_passes, sync_passes},
    {"channel_stream", "message, capacity 64", false, channel_stream, sync_sum_of_passes, sync_passes},
    {"mutex_ping_pong", "mutex ping-pong", false, mutex_ping_pong, sync_passes, sync_passes},
    {"mutex", "lock or unlock", false, mutex_alone, sync_passes, sync_twice_passes},
    {"mutex_biased", "lock or unlock, biased", false, mutex_biased, sync_passes, sync_twice_passes},
    {"future", "future, waited for", false, future_waited, batch_sum, batch_of},
    {"future_set", "future, already set", false, future_there, batch_sum, batch_of},
    {"fibers", "fiber that waits", false, many_fibers, sum_of_fibers, fibers_of},
    {"tree", "node of a tree", false, binary_tree, nodes_of, nodes_of},
    {"mutex_far", "lock or unlock, far", true, sync_mutex_far, sync_passes, sync_twice_passes},
    {"channel_far", "send or receive, far", true, sync_channel_far, sync_sum_of_passes, sync_twice_passes},
    {"future_far_wait", "future's wait, far", true, sync_future_far_wait, sync_far_sum, sync_far_count},
    {"future_far_set", "future's set, far", true, sync_future_far_set, sync_far_sum, sync_far_count},
};
