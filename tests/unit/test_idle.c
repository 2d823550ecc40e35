/* SPDX-License-Identifier: MIT */
/* Description: a thief that loses races pauses for a time that grows with the duration of its attempts and with the
 * number of losses. Successes make the pauses shorter again. Without lost races a pause takes at most 16 us. */
#include "base/relax.h"
#include "base/virtual.h"
#include "deque/thief.h"
#include "runtime/job/self.h"
#include "runtime/sched/idle.h"
#include "tests/test.h"

enum { USUAL_MAX = 16384 + UAT_YIELD_NS, LONGEST = 262144, ATTEMPT = 10000, QUICK = 3000, TRIALS = 300 };

static uint64_t clock_ns;
static struct uat_transport transport;

static uint64_t now(void)
{
    return clock_ns;
}

static void pause(uint64_t ns)
{
    clock_ns += ns;
}

static const struct uat_virtual table = {.now = now, .pause = pause};

/* The longest pause of TRIALS attempts. Each attempt takes this time and so many round trips, and all fail. */
static uint64_t longest_of(unsigned trips, uint64_t attempt, int result)
{
    struct uat_idle idle = {0};
    uint64_t most = 0;
    for (int i = 0; i < TRIALS; i++) {
        uint64_t before = clock_ns;
        uat_idle(&idle, result, trips, attempt);
        most = clock_ns - before > most ? clock_ns - before : most;
    }
    return most;
}

static uint64_t longest(uint64_t attempt, int result)
{
    return longest_of(1, attempt, result);
}

static void succeed(int times)
{
    while (times-- > 0)
        uat_idle(&(struct uat_idle){0}, UAT_STEAL_EMPTY, 1, 0); /* a new count of failures: a success came before */
}

static int setup(void **state)
{
    uat_virtual = &table;
    clock_ns = 0; /* after a second, an idle worker looks at its neighbour, and there is none */
    uat_self.transport = &transport;
    uat_idle_open();
    return 0;
}

TEST_WITH(pauses, setup, NULL)
{
    assert_true(longest(100 * ATTEMPT, UAT_STEAL_EMPTY) <= USUAL_MAX);
    longest(QUICK / 4, UAT_STEAL_EMPTY);                           /* a quick network */
    assert_true(longest(QUICK, UAT_STEAL_LOST_RACE) <= USUAL_MAX); /* no convoy: the attempt was quick */
    uint64_t slowest = longest(ATTEMPT, UAT_STEAL_LOST_RACE);
    assert_true(slowest > LONGEST / 2 && slowest <= LONGEST + UAT_YIELD_NS);
    assert_true(longest(100 * ATTEMPT, UAT_STEAL_EMPTY) <= USUAL_MAX); /* a victim without work is no lost race */
    assert_true(longest(100 * ATTEMPT, UAT_STEAL_BUSY) <= USUAL_MAX);
}

/* On a slow network, an attempt that lost is slow only if it took 2.5 times as long as the attempts that found nothing
 * in one round trip. Others do not count among these. */
TEST_WITH(networks_differ, setup, NULL)
{
    longest(ATTEMPT / 2, UAT_STEAL_EMPTY);
    longest_of(0, 0, UAT_STEAL_EMPTY); /* no attempt */
    longest_of(3, 100 * ATTEMPT, UAT_STEAL_EMPTY);
    assert_true(longest(ATTEMPT, UAT_STEAL_LOST_RACE) <= USUAL_MAX);
    assert_true(longest(2 * ATTEMPT, UAT_STEAL_LOST_RACE) > LONGEST / 2);
    succeed(8);
    longest(QUICK / 2, UAT_STEAL_EMPTY); /* the network becomes quick */
    assert_true(longest(ATTEMPT, UAT_STEAL_LOST_RACE) > LONGEST / 2);
}

/* After enough successes, a slow loss doubles the attempt's duration once. A loss that follows a success is not
 * counted. */
TEST_WITH(successes_shorten_the_pauses, setup, NULL)
{
    longest(QUICK / 2, UAT_STEAL_EMPTY);
    longest(ATTEMPT, UAT_STEAL_LOST_RACE);
    uint64_t most = 0;
    for (int i = 0; i < TRIALS; i++) {
        struct uat_idle idle = {0};
        succeed(8);
        uat_idle(&idle, UAT_STEAL_LOST_RACE, 2, ATTEMPT);
        uint64_t before = clock_ns;
        uat_idle(&idle, UAT_STEAL_LOST_RACE, 2, ATTEMPT);
        most = clock_ns - before > most ? clock_ns - before : most;
    }
    assert_true(most > ATTEMPT && most <= 2 * ATTEMPT + UAT_YIELD_NS);
}
