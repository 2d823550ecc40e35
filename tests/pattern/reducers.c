/* SPDX-License-Identifier: MIT */
/* Description: reducers give the serial program's result for an operation that does not commute. This is tested in
 * trees, loops, groups and parallel calls, across waits, with local reducers, and with views of many sizes.
 * Usage: reducers [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>

#include <uat.h>
#include <uat/pattern.h>
#include <uat/reducer.h>
#include <uat/sync.h>

#include "tests/sequence.h"

static const struct sequence none = SEQUENCE_NONE;

UAT_REDUCER(struct sequence, all, SEQUENCE_NONE, sequence_join)
UAT_REDUCER(long, count, 0, UAT_PLUS)

static void add(uint64_t x)
{
    *all_view() = sequence_join(*all_view(), sequence_of(x));
    ++*count_view();
}

static void expect(const char *what, struct sequence got, struct sequence want)
{
    if (sequence_equal(got, want))
        return;
    fprintf(stderr, "reducers: %s: the values are not combined in serial order\n", what);
    exit(1);
}

static void expect_count(const char *what, long want)
{
    long got = count_take();
    if (got != want) {
        fprintf(stderr, "reducers: %s: %ld values, not %ld\n", what, got, want);
        exit(1);
    }
}

/* A tree. A task adds a number first, after each spawn, and last. Some tasks wait or migrate before they join. */
enum { WAYS = 3 };

static struct sequence serial_tree(uint64_t name, int depth)
{
    struct sequence s = sequence_of(name);
    for (int i = 0; depth > 0 && i < WAYS; i++)
        s = sequence_join(sequence_join(s, serial_tree(name * WAYS + (uint64_t)i + 1, depth - 1)),
                          sequence_of(name ^ 77));
    return sequence_join(s, sequence_of(name + 5));
}

UAT_TASK_VOID(tree, uint64_t, name, int, depth, uat_mutex_t, mutex)
{
    tree_task child[WAYS];
    add(name);
    for (int i = 0; depth > 0 && i < WAYS; i++) {
        tree_spawn(&child[i], name * WAYS + (uint64_t)i + 1, depth - 1, mutex);
        add(name ^ 77);
    }
    if (name % 4 == 1) {
        uat_mutex_lock(mutex); /* may wait */
        uat_yield();
        uat_mutex_unlock(mutex);
    } else if (name % 16 == 3) {
        uat_migrate((int)(name % (uint64_t)uat_size()));
    }
    for (int i = WAYS; depth > 0 && i > 0; i--)
        tree_join(&child[i - 1]);
    add(name + 5);
}

static void try_tree(int depth)
{
    uat_mutex_t mutex = uat_mutex_create();
    tree(1, depth, mutex);
    uat_mutex_destroy(mutex);
    expect("a tree", all_take(), serial_tree(1, depth));
    long nodes = 1, leaves = 1;
    for (int i = 0; i < depth; i++)
        nodes += leaves *= WAYS;
    expect_count("a tree", 2 * nodes + WAYS * (nodes - leaves));
}

UAT_FOR(add_range, i, uint64_t, salt)
{
    add((uint64_t)i + salt);
}

/* In later passes a worker gets the iterations that it ran before. So some splits spawn the second half. */
static void try_loop(int64_t n)
{
    struct sequence want = none;
    add(3);
    for (int pass = 0; pass < 3; pass++)
        add_range(pass * (n / 2), n + pass * (n / 2), 9);
    add(4);
    want = sequence_join(want, sequence_of(3));
    for (int pass = 0; pass < 3; pass++)
        for (int64_t i = pass * (n / 2); i < n + pass * (n / 2); i++)
            want = sequence_join(want, sequence_of((uint64_t)i + 9));
    expect("loops", all_take(), sequence_join(want, sequence_of(4)));
    expect_count("loops", 3 * n + 2);
}

UAT_TASK_VOID(leaf, uint64_t, x, int, yields)
{
    add(x);
    if (yields)
        uat_yield();
    add(x + 1);
}

/* Children of a group end in any order. */
static void try_group(int n)
{
    struct sequence want = none;
    uat_group_t group;
    uat_group_begin(&group);
    for (int i = 0; i < n; i++) {
        leaf_group_spawn(&group, (uint64_t)i * 10, i % 3 == 0);
        add((uint64_t)i);
        want = sequence_join(
            sequence_join(sequence_join(want, sequence_of((uint64_t)i * 10)), sequence_of((uint64_t)i * 10 + 1)),
            sequence_of((uint64_t)i));
    }
    uat_group_wait(&group);
    expect("a group", all_take(), want);
    expect_count("a group", 3 * n);
}

static void call_leaf(void *arg, void *result)
{
    (void)result;
    leaf(*(uint64_t *)arg, 1);
}

static void try_invoke(void)
{
    uint64_t x[3] = {10, 20, 30};
    const uat_call_t calls[3] = {
        {call_leaf, &x[0], 8, NULL, 0}, {call_leaf, &x[1], 8, NULL, 0}, {call_leaf, &x[2], 8, NULL, 0}};
    uat_invoke(calls, 3);
    struct sequence want = none;
    for (int i = 0; i < 3; i++)
        want = sequence_join(sequence_join(want, sequence_of(x[i])), sequence_of(x[i] + 1));
    expect("calls in parallel", all_take(), want);
    expect_count("calls in parallel", 6);
}

/* A future whose value is one word has its own kind of wait. */
UAT_TASK_VOID(get, uat_future_t, future)
{
    uint64_t x;
    add(30);
    uat_future_get(future, &x);
    add(x);
}

static void try_future(void)
{
    uat_future_t future = uat_future_create(sizeof(uint64_t));
    uint64_t x = 31;
    get_task child;
    get_spawn(&child, future);
    add(32);
    uat_future_set(future, &x);
    get_join(&child);
    uat_future_destroy(future);
    expect("a future", all_take(), sequence_join(sequence_join(sequence_of(30), sequence_of(31)), sequence_of(32)));
    expect_count("a future", 3);
}

/* Many tasks at a time begin local reducers at one address. Their values are larger than those above. */
struct histogram {
    uint64_t count[200];
};

static void add_histogram(void *left, const void *right, const void *arg)
{
    (void)arg;
    for (int i = 0; i < 200; i++)
        ((struct histogram *)left)->count[i] += ((const struct histogram *)right)->count[i];
}

static const struct histogram empty;
static const uat_reduction_t histograms = {NULL, add_histogram, &empty, sizeof(empty)};

UAT_FOR(count_values, i, uat_reducer_t, h)
{
    ((struct histogram *)uat_reducer_view(&h))->count[mix((uint64_t)i) % 200]++;
}

UAT_TASK(uint64_t, local, int, depth)
{
    uat_reducer_t h;
    struct histogram value;
    local_task left;
    uint64_t below = 0;
    uat_reducer_begin(&h, &histograms);
    if (depth > 0) {
        local_spawn(&left, depth - 1);
        count_values(0, 100 * depth, h);
        below = local(depth - 1);
        below += local_join(&left);
    }
    count_values(0, 50, h);
    uat_reducer_take(&h, &value);
    uint64_t sum = 0;
    for (int i = 0; i < 200; i++)
        sum += value.count[i];
    if (sum != 50 + 100 * (uint64_t)depth) {
        fprintf(stderr, "reducers: a local histogram has %llu values\n", (unsigned long long)sum);
        exit(1);
    }
    return below + sum;
}

/* A task may end without taking a local reducer's value. The next reducer at that address must start empty. */
UAT_TASK_VOID(forget, int, large)
{
    static const long zero;
    static const uat_reduction_t sums = {NULL, add_histogram, &zero, sizeof(zero)};
    uat_reducer_t r;
    uat_reducer_begin(&r, large ? &histograms : &sums);
    if ((*(uint64_t *)uat_reducer_view(&r))++ != 0) {
        fprintf(stderr, "reducers: a local reducer begins with another's value\n");
        exit(1);
    }
}

static uint64_t serial_local(int depth)
{
    return 50 + 100 * (uint64_t)depth + (depth > 0 ? 2 * serial_local(depth - 1) : 0);
}

UAT_TASK(int, root, int, rounds)
{
    for (int i = 0; i < rounds; i++) {
        try_tree(5);
        try_loop(3000);
        try_group(60);
        try_invoke();
        try_future();
        add(1);
        for (int large = 0; large < 2; large++) {
            forget_task task;
            forget_spawn(&task, large);
            forget_join(&task);
        }
        if (local(6) != serial_local(6)) {
            fprintf(stderr, "reducers: local reducers lose values\n");
            exit(1);
        }
        expect("what is not taken", all_take(), sequence_of(1));
        expect_count("what is not taken", 1);
        if (all_take().factor != 1) {
            fprintf(stderr, "reducers: a taken reducer is not empty\n");
            exit(1);
        }
    }
    add(2); /* dropped when the root ends */
    return rounds;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3, done;
    if (uat_init())
        return 1;
    for (int run = 0; run < 2; run++)
        if (root_run(&done, rounds) || done != rounds)
            return 1;
    return uat_finalize() ? 1 : 0;
}
