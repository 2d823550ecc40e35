/* SPDX-License-Identifier: MIT */
/*
 * Description: a worker takes the right core, and badly placed workers are reported. The machines are simulated. On the
 * real machine, this process is bound to one of the cores that it had before.
 */
#include "runtime/job/binding.h"
#include "tests/test.h"

enum { HERE = 1, ELSEWHERE = 2, WORKERS_MAX = 8 };

static cpu_set_t set_of(uint64_t bits)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int c = 0; c < 64; c++)
        if (bits >> c & 1)
            CPU_SET(c, &set);
    return set;
}

/* Two threads per core: 0 and 4 share a core, 1 and 5 the next one, and so on. */
static int siblings[CPU_SETSIZE];

static void choose(uint64_t allowed_bits, int size, const int *expected)
{
    cpu_set_t allowed = set_of(allowed_bits);
    for (int i = 0; i < size; i++)
        assert_int_equal(uat_binding_choose(&allowed, siblings, i, size), expected[i]);
}

TEST(choose)
{
    for (int c = 0; c < CPU_SETSIZE; c++)
        siblings[c] = c < 8 ? c % 4 : c;
    choose(0xff, 4, (int[]){0, 1, 2, 3});
    choose(0xff, 8, (int[]){0, 1, 2, 3, 4, 5, 6, 7});
    choose(0xee, 4, (int[]){1, 2, 3, 5}); /* not the core of CPUs 0 and 4 */
    choose(0x33, 3, (int[]){0, 1, 4});
    choose(0xf0, 2, (int[]){4, 5});       /* only second threads are left */
    choose(0x03, 3, (int[]){-1, -1, -1}); /* three workers, two cores: no worker is bound */
    choose(1ull << 40, 1, (int[]){40});
}

TEST(cores)
{
    for (int c = 0; c < CPU_SETSIZE; c++)
        siblings[c] = c < 8 ? c % 4 : c;
    cpu_set_t threads = set_of(0xff), some = set_of(0x133);
    assert_int_equal(uat_binding_cores(&threads, siblings), 4);
    assert_int_equal(uat_binding_cores(&some, siblings), 3);
}

/* Check n workers with these sets of cores. The first `elsewhere` workers run on another machine, and the others on
 * this one. */
static struct uat_crowding judge(const uint64_t *bits, int n, int elsewhere, uint64_t allowed_bits)
{
    static struct uat_binding place[WORKERS_MAX];
    const struct uat_binding *places[WORKERS_MAX];
    cpu_set_t allowed = set_of(allowed_bits);
    for (int i = 0; i < n; i++) {
        place[i] = (struct uat_binding){.machine = i < elsewhere ? ELSEWHERE : HERE, .cores = set_of(bits[i])};
        places[i] = &place[i];
    }
    return uat_binding_judge(places, n, n - 1, &allowed);
}

TEST(own_cores)
{
    struct uat_crowding c = judge((uint64_t[]){1, 2, 4, 8}, 4, 0, 0xf);
    assert_false(c.oversubscribed);
    assert_int_equal(c.first, -1);
}

TEST(shared_while_free)
{
    struct uat_crowding c = judge((uint64_t[]){2, 1, 2}, 3, 0, 0xf);
    assert_true(c.oversubscribed);
    assert_int_equal(c.first, 0);
    assert_int_equal(c.second, 2);
    assert_int_equal(c.shared, 1);
    assert_int_equal(c.unused, 2);
}

/* Three workers restricted to two of four cores. */
TEST(set_too_small)
{
    struct uat_crowding c = judge((uint64_t[]){3, 3, 3}, 3, 0, 0xf);
    assert_true(c.oversubscribed);
    assert_int_not_equal(c.first, -1);
    c = judge((uint64_t[]){3, 3}, 2, 0, 0xf);
    assert_false(c.oversubscribed);
    assert_int_equal(c.first, -1);
}

/* Nothing is reported if no core is free, but the workers must yield to each other. */
TEST(more_than_cores)
{
    struct uat_crowding c = judge((uint64_t[]){3, 3, 3}, 3, 0, 3);
    assert_true(c.oversubscribed);
    assert_int_equal(c.first, -1);
    c = judge((uint64_t[]){1, 2, 1, 2}, 4, 0, 3);
    assert_true(c.oversubscribed);
    assert_int_equal(c.first, -1);
}

TEST(other_machine)
{
    struct uat_crowding c = judge((uint64_t[]){1, 1, 1, 2}, 4, 2, 0xf);
    assert_false(c.oversubscribed);
    assert_int_equal(c.first, -1);
}

TEST(unknown_cores)
{
    struct uat_crowding c = judge((uint64_t[]){0, 0, 1}, 3, 0, 3);
    assert_false(c.oversubscribed);
    assert_int_equal(c.first, -1);
}

TEST(take)
{
    cpu_set_t before, now, both;
    struct uat_binding place;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    uat_binding_take(&place, UAT_BIND_NONE, 0, 1);
    assert_true(CPU_EQUAL(&place.cores, &before));
    assert_true(place.machine != 0);
    uat_binding_take(&place, UAT_BIND_AUTO, 0, 1); /* one worker leaves the other cores to other jobs */
    assert_true(CPU_EQUAL(&place.cores, &before));
    uat_binding_take(&place, UAT_BIND_CORE, 0, 1);
    assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
    assert_int_equal(CPU_COUNT(&now), 1);
    assert_true(CPU_EQUAL(&place.cores, &now));
    CPU_AND(&both, &now, &before);
    assert_true(CPU_EQUAL(&both, &now));
    /* A process that is already bound stays on its cores. */
    uat_binding_take(&place, UAT_BIND_AUTO, 1, 2);
    assert_true(CPU_EQUAL(&place.cores, &now));
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}
