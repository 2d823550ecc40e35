/* SPDX-License-Identifier: MIT */
/*
 * Description: task groups. Every child runs once and has ended when the wait returns. This holds for any number of
 * children that run apart from their spawner. Groups are used in loops, along lists, nested, side by side, and with
 * children that wait for each other. Every join record is given back.
 * Usage: groups [ROUNDS [CASE]]
 */
#include <string.h>
#include <uat/generator.h>
#include <uat/global.h>
#include <uat/object.h>
#include <uat/semaphore.h>
#include <uat/sync.h>

#include "tests/programs/pools.h"
#include "tests/programs/rounds.h"

enum { CHILDREN = 300, LIST = 40, DEPTH = 6, ARMS = 3, WAITERS = 60, REUSES = 30 };

static void work(void)
{
    for (volatile int i = 0; i < 2000; i++)
        ;
}

/* A group in a loop. Each child adds its number to one word and 1 to another. */
UAT_TASK(long, add, uat_atomic_t *, sums, uint64_t, value)
{
    work();
    uat_atomic_add(&sums[0], value);
    uat_atomic_add(&sums[1], 1);
    return -1; /* the result is discarded */
}

static int sums_are(uat_atomic_t *sums, uint64_t sum, uint64_t count)
{
    return WRONG(uat_atomic_load(&sums[0]) == sum) + WRONG(uat_atomic_load(&sums[1]) == count);
}

static uat_atomic_t *new_sums(void)
{
    uat_atomic_t *sums = uat_global_object_alloc(2 * sizeof(*sums));
    uat_atomic_store(&sums[0], 0);
    uat_atomic_store(&sums[1], 0);
    return sums;
}

UAT_TASK(int, loop, int, unused)
{
    uat_atomic_t *sums = new_sums();
    uat_group_t group;
    int errors = unused;
    uat_group_begin(&group);
    for (uint64_t i = 0; i < CHILDREN; i++)
        add_group_spawn(&group, sums, i);
    uat_group_wait(&group);
    errors += sums_are(sums, (uint64_t)CHILDREN * (CHILDREN - 1) / 2, CHILDREN);
    uat_group_wait(&group); /* the group is empty, so this returns at once */
    for (uint64_t i = 0; i < REUSES; i++) {
        if (i % 3)
            add_group_spawn(&group, sums, 0);
        add_group_spawn(&group, sums, 0);
        uat_group_wait(&group);
    }
    errors += WRONG(uat_atomic_load(&sums[1]) == CHILDREN + 2 * REUSES - REUSES / 3);
    uat_global_object_free(sums);
    return errors;
}

/* A group along a list whose length the spawner does not know. It uses the untyped call, with arguments of an odd
 * size. */
struct node {
    struct node *next;
    unsigned char text[13];
};

static void add_text(void *arg, void *result)
{
    uat_atomic_t *sums;
    unsigned char text[13];
    memcpy(&sums, arg, sizeof(sums));
    memcpy(text, (char *)arg + sizeof(sums), sizeof(text));
    work();
    for (size_t i = 0; i < sizeof(text); i++)
        uat_atomic_add(&sums[0], text[i]);
    uat_atomic_add(&sums[1], 1);
}

UAT_TASK(int, list, int, unused)
{
    uat_atomic_t *sums = new_sums();
    struct node nodes[LIST], *first = NULL;
    uint64_t expected = 0;
    uat_group_t group;
    for (int i = 0; i < LIST; i++) {
        nodes[i].next = first;
        memset(nodes[i].text, i, sizeof(nodes[i].text));
        expected += (uint64_t)i * sizeof(nodes[i].text);
        first = &nodes[i];
    }
    uat_group_begin(&group);
    for (struct node *n = first; n; n = n->next) {
        char arg[sizeof(sums) + sizeof(n->text)];
        memcpy(arg, &sums, sizeof(sums));
        memcpy(arg + sizeof(sums), n->text, sizeof(n->text));
        uat_group_spawn(&group, add_text, arg, sizeof(arg));
    }
    uat_group_wait(&group);
    int errors = unused + sums_are(sums, expected, LIST);
    uat_global_object_free(sums);
    return errors;
}

/* A tree of groups, each in the frame of a child of another group. */
UAT_TASK_VOID(tree, uat_atomic_t *, sums, int, depth)
{
    uat_group_t group;
    uat_atomic_add(&sums[1], 1);
    if (depth == 0)
        return;
    uat_group_begin(&group);
    for (int i = 0; i < ARMS; i++)
        tree_group_spawn(&group, sums, depth - 1);
    if (depth % 2)
        work();
    uat_group_wait(&group);
}

UAT_TASK(int, nested, int, unused)
{
    uat_atomic_t *sums = new_sums();
    uint64_t nodes = 0;
    for (int i = 0, level = 1; i <= DEPTH; i++, level *= ARMS)
        nodes += (uint64_t)level;
    tree(sums, DEPTH);
    int errors = unused + sums_are(sums, 0, nodes);
    uat_global_object_free(sums);
    return errors;
}

/* Two groups and handles in one frame at the same time, with a generator. The task does not wait for the groups in the
 * order in which it began them. */
UAT_GENERATOR(uint64_t, count, uint64_t, to)
{
    for (uint64_t i = 0; i < to; i++)
        uat_generator_yield(i);
}

UAT_TASK(int, beside, int, unused)
{
    uat_atomic_t *a = new_sums(), *b = new_sums();
    uat_group_t first, second;
    add_task handles[LIST];
    count_generator numbers;
    uint64_t i;
    int errors = unused;
    uat_group_begin(&first);
    uat_group_begin(&second);
    count_begin(&numbers, LIST);
    while (uat_generator_next(&numbers, &i)) {
        add_group_spawn(&first, a, i);
        add_spawn(&handles[i], b, 0);
        add_group_spawn(&second, b, 2 * i);
    }
    uat_group_wait(&first);
    errors += sums_are(a, LIST * (LIST - 1) / 2, LIST);
    for (i = 0; i < LIST; i++)
        errors += WRONG(add_join(&handles[i]) == -1);
    uat_group_wait(&second);
    errors += sums_are(b, LIST * (LIST - 1), 2 * LIST);
    uat_global_object_free(a);
    uat_global_object_free(b);
    return errors;
}

/* Children that all wait for each other, so all must be spawned before the first can end. Some runs have fewer join
 * records than children that wait. */
UAT_TASK_VOID(meet, uat_latch_t, latch, uat_atomic_t *, sums, uint64_t, value)
{
    if (value % 4 == 0)
        uat_yield();
    uat_latch_count_down(latch, 1);
    uat_latch_wait(latch);
    uat_atomic_add(&sums[0], value);
    uat_atomic_add(&sums[1], 1);
}

UAT_TASK(int, waiting, int, unused)
{
    uat_atomic_t *sums = new_sums();
    uat_latch_t latch = uat_latch_create(WAITERS);
    uat_group_t group;
    uat_group_begin(&group);
    for (uint64_t i = 0; i < WAITERS; i++)
        meet_group_spawn(&group, latch, sums, i);
    uat_group_wait(&group);
    int errors = unused + sums_are(sums, WAITERS * (WAITERS - 1) / 2, WAITERS);
    uat_latch_destroy(latch);
    uat_global_object_free(sums);
    return errors;
}

/* After the wait, the spawner must see everything that a child wrote to plain global memory. */
UAT_TASK_VOID(write_cell, uint64_t *, cells, uint64_t, i)
{
    uint64_t value = i * i + 1;
    work();
    uat_global_put(&cells[i], &value, sizeof(value));
}

UAT_TASK(int, writes, int, unused)
{
    uint64_t *cells = uat_global_object_alloc(LIST * sizeof(*cells)), got[LIST];
    uat_group_t group;
    int errors = unused;
    for (int round = 0; round < 3; round++) {
        memset(got, 0, sizeof(got));
        uat_global_put(cells, got, sizeof(got));
        uat_group_begin(&group);
        for (uint64_t i = 0; i < LIST; i++)
            write_cell_group_spawn(&group, cells, i);
        uat_group_wait(&group);
        uat_global_get(got, cells, sizeof(got));
        for (uint64_t i = 0; i < LIST; i++)
            errors += WRONG(got[i] == i * i + 1);
    }
    uat_global_object_free(cells);
    return errors;
}

CASE_WITH_POOLS(loop)
CASE_WITH_POOLS(list)
CASE_WITH_POOLS(nested)
CASE_WITH_POOLS(beside)
CASE_WITH_POOLS(waiting)
CASE_WITH_POOLS(writes)

int main(int argc, char **argv)
{
    static const struct round_case cases[] = {{"loop", loop_checked},       {"list", list_checked},
                                              {"nested", nested_checked},   {"beside", beside_checked},
                                              {"waiting", waiting_checked}, {"writes", writes_checked}};
    return run_rounds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
