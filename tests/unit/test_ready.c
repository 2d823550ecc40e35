/* SPDX-License-Identifier: MIT */
/*
 * Description: the order in which an owner takes its ready tasks, on the test's own transport. Each task is taken once,
 * and no task is passed over more than UAT_READY_BOUND times. This holds with and without thieves; the test acts as the
 * thief. A thief takes a task in two round trips.
 */
#include <string.h>

#include "base/random.h"
#include "deque/ready.h"
#include "papers/placing.h"
#include "tests/test.h"
#include "tests/unit/one_process.h"
#include "tests/unit/refusal.h"

enum { LOW = 1 << 20, TASKS_MAX = 400, SLOW_MAX = UAT_READY_SLOTS };

_Static_assert(UAT_READY_BOUND(0) == 97 && UAT_READY_TURN == 8, "what uat_yield() promises in sync.h");

static struct uat_ready_ring ring;
static struct uat_ready_landing landing;
static struct uat_ready ready;

/* What the test knows about each task, by the task's number. */
static struct {
    bool is_ready;
    unsigned others; /* number of tasks that were ready when this task was pushed */
    unsigned passed; /* number of tasks that the owner has taken since */
} tasks[TASKS_MAX];
static unsigned ready_tasks, longest;

static void (*before_claim)(void); /* called just before a claim, if not NULL */

static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    if (before_claim && ops[0].code == UAT_OP_CMP_SWAP)
        before_claim();
    return execute_chain(ops, count, p);
}

static const struct uat_transport_class class = {.name = "wire", .post = post, .progress = no_progress};
static struct uat_transport transport = {.class_ = &class, .size = 2};

static int setup(void **state)
{
    const struct uat_ready_parts parts = {.ring = &ring, .landing = &landing, .low = LOW};
    memset(&ring, 0, sizeof(ring));
    memset(tasks, 0, sizeof(tasks));
    ready_tasks = longest = 0;
    uat_ready_open(&ready, &transport, &parts);
    return 0;
}

static int teardown(void **state)
{
    uat_ready_close(&ready);
    return 0;
}

static void push(unsigned number)
{
    const struct uat_ready_task task = {.sp = LOW + 64, .base = LOW + 128, .where = 8 * (uint64_t)(number + 1)};
    assert_false(tasks[number].is_ready);
    tasks[number].is_ready = true;
    tasks[number].others = ready_tasks++;
    tasks[number].passed = 0;
    assert_int_equal(uat_ready_push(&ready, &task), 0);
}

static unsigned note_taken(uint64_t where)
{
    unsigned number = (unsigned)(where / 8 - 1);
    assert_true(number < TASKS_MAX && tasks[number].is_ready);
    tasks[number].is_ready = false;
    ready_tasks--;
    return number;
}

/* The owner takes a task. */
static unsigned take(void)
{
    struct uat_ready_task task;
    assert_int_equal(uat_ready_take(&ready, &task), 1);
    unsigned number = note_taken(task.where);
    for (unsigned i = 0; i < TASKS_MAX; i++) {
        if (!tasks[i].is_ready)
            continue;
        tasks[i].passed++;
        longest = tasks[i].passed > longest ? tasks[i].passed : longest;
        assert_true(tasks[i].passed <= UAT_READY_BOUND(tasks[i].others));
    }
    return number;
}

/* Claim a task as a thief does. *index gets the claimed index, which the caller acknowledges later. Returns false if no
 * task is offered. */
static bool steal(unsigned *number, uint64_t *index)
{
    *index = ring.claims;
    const struct uat_ready_slot *slot = &ring.slot[*index % UAT_READY_SLOTS];
    if (slot->state != *index + 1)
        return false;
    ring.claims++;
    *number = note_taken(slot->where);
    return true;
}

/* The bound holds when every task yields again and again. No thief steals. */
TEST_WITH(yields, setup, teardown)
{
    for (unsigned count = 1; count < TASKS_MAX; count = count * 3 / 2 + 1) {
        teardown(state);
        assert_int_equal(setup(state), 0);
        for (unsigned i = 0; i < count; i++)
            push(i);
        for (int turn = 0; turn < 3000; turn++)
            push(take());
    }
}

/* The bound holds when tasks come and go in bursts, and thieves take tasks and acknowledge late. */
TEST_WITH(thieves, setup, teardown)
{
    struct uat_random random = uat_random_seed(5, 1);
    uint64_t late[SLOW_MAX];
    unsigned first = 0, lates = 0, next = 0, number;
    for (int turn = 0; turn < 60000; turn++) {
        unsigned what = (unsigned)(uat_random_next(&random) % 16), burst = turn / 4000 % 2 ? 9 : 6;
        if (what < burst && ready_tasks < TASKS_MAX - 1) {
            while (tasks[next].is_ready)
                next = (next + 1) % TASKS_MAX;
            push(next);
        } else if (what < 14 && ready_tasks > 0)
            take();
        else if (what == 14 && lates < SLOW_MAX && steal(&number, &late[(first + lates) % SLOW_MAX]))
            lates++;
        else if (lates > 0) {
            ring.ack[late[first] % UAT_READY_SLOTS] = late[first] + 1;
            first = (first + 1) % SLOW_MAX;
            lates--;
        }
    }
    assert_true(longest > UAT_READY_TURN); /* otherwise no task was passed over, and the test would show nothing */
    while (ready_tasks > 0)
        take();
    struct uat_ready_task task;
    assert_int_equal(uat_ready_take(&ready, &task), 0);
}

/* A checkpoint gets every ready task, offered or not, and changes nothing. */
TEST_WITH(copied, setup, teardown)
{
    struct uat_ready_task copy[TASKS_MAX];
    unsigned number;
    uint64_t index;
    for (unsigned i = 0; i < TASKS_MAX / 2; i++) {
        push(i);
        if (i % 3 == 0 && steal(&number, &index))
            ring.ack[index % UAT_READY_SLOTS] = index + 1;
        if (i % 5 == 0 && ready_tasks > 0)
            take();
        assert_int_equal(uat_ready_count(&ready), ready_tasks);
        uat_ready_copy(&ready, copy);
        for (unsigned k = 0; k < ready_tasks; k++) {
            number = (unsigned)(copy[k].where / 8 - 1);
            assert_true(number < TASKS_MAX && tasks[number].is_ready);
            assert_true(k == 0 || copy[k].where > copy[k - 1].where); /* oldest first: the tasks of the ring are
                                                                       * older */
        }
    }
    assert_true(ready.bottom > ring.claims && ready.count > 0); /* otherwise one of the two sources was not tested */
}

static void spoil_states(void)
{
    for (int i = 0; i < UAT_READY_SLOTS; i++)
        ring.slot[i].state = 1000;
}

/* A thief gets the task and its stack in two round trips, even though the stack is in a third worker's segment.
 * Afterwards no task is left. */
TEST_WITH(two_round_trips, setup, teardown)
{
    static uint64_t region[64], block[UAT_READY_STACK / 8 + 16];
    static struct uat_notice notice;
    const uintptr_t low = (uintptr_t)region, sp = (uintptr_t)&region[40], base = (uintptr_t)&region[56];
    const struct uat_ready_parts parts = {.ring = &ring, .landing = &landing, .low = low};
    struct uat_thief thief = {.transport = &transport, .notice = &notice, .low = low, .high = (uintptr_t)(region + 64)};
    const struct uat_victims victims = {.count = 1, .rank = {1}};
    struct uat_ready_task offered = {.sp = sp, .base = base, .where = UINT64_C(2) << 48 | (uintptr_t)block}, task;
    bool fetched = false;
    unsigned trips = 0;
    teardown(NULL);
    transport.size = 3;
    uat_ready_open(&ready, &transport, &parts);
    for (uint64_t i = 0; i < 16; i++)
        block[UAT_READY_STACK / 8 + i] = ~i;
    assert_int_equal(uat_ready_push(&ready, &offered), 0);
    uint64_t before = transport.round_trips;
    assert_int_equal(uat_ready_steal(&ready, &thief, &victims, &task, &fetched, &trips), UAT_STEAL_DONE);
    assert_int_equal(trips, 2);
    assert_int_equal(transport.round_trips - before, 2);
    assert_true(fetched && task.sp == sp && task.base == base && task.where == offered.where);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(region[40 + i], ~i);
    assert_int_equal(ring.ack[0], 1);
    assert_int_equal(uat_ready_steal(&ready, &thief, &victims, &task, &fetched, &trips), UAT_STEAL_EMPTY);
    assert_int_equal(uat_ready_push(&ready, &offered), 0);
    thief.placing = &uat_berth_placing; /* with iso-address the stack is not READ before the task is the thief's */
    memset(region, 0, sizeof(region));
    assert_int_equal(uat_ready_steal(&ready, &thief, &victims, &task, &fetched, &trips), UAT_STEAL_DONE);
    assert_true(!fetched && task.sp == sp && task.base == base);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(region[40 + i], 0);
    assert_int_equal(uat_ready_push(&ready, &offered), 0);
    before_claim = spoil_states; /* a state whose index is not the claimed one */
    assert_int_equal(uat_ready_steal(&ready, &thief, &victims, &task, &fetched, &trips), -EPROTO);
    before_claim = NULL;
    assert_int_equal(ring.ack[2], 3 - UAT_READY_SLOTS); /* not acknowledged */
    transport.size = 2;
}

static void offer(void)
{
    uat_ready_offer(&ready);
}

/* The owner refuses a number of claims that is larger than the number of published tasks. */
TEST_WITH(too_many_claims, setup, teardown)
{
    push(0);
    ring.claims = ready.bottom + 1;
    assert_refusal(offer);
}
