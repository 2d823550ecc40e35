/* SPDX-License-Identifier: MIT */
/*
 * Description: the number of workers changes at random moments (uat_resize()) while tasks of all kinds run and wait.
 * Every task runs once, and all results are right. A worker that is out runs only what was sent to it. Argument: the
 * number of rounds.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sequence.h"
#include "uat.h"
#include "uat/channel.h"
#include "uat/dataflow.h"
#include "uat/limit.h"
#include "uat/object.h"
#include "uat/pattern.h"
#include "uat/reducer.h"
#include "uat/stats.h"
#include "uat/sync.h"

enum {
    WORKERS_MAX = 64,
    TASKS = 100,
    STAGES = 4,
    MESSAGES = 20,
    CELLS = 5,
    FLOW_TASKS = 40,
    READY = 50,
    DEPTH = 30,
    COUNT = 400,
    CHILD_NS = 200000,
    LATE = 50
};

/* Compute for this time: virtual time in a simulation. */
static void work(uint64_t ns)
{
    uint64_t end = uat_time_ns() + ns;
    uat_sim_work(ns);
    while (uat_time_ns() < end)
        continue;
}

static int is_wrong(const char *what, int64_t got, int64_t wanted)
{
    if (got != wanted)
        printf("%s: %lld instead of %lld\n", what, (long long)got, (long long)wanted);
    return got != wanted;
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

/* Change the number of workers and sleep, again and again, until somebody sets `stop`. Returns how often, or -1. */
struct changes {
    uat_future_t stop;
    unsigned seed;
};
UAT_TASK(int, change, struct changes, c)
{
    int changed = 0, leaves = 0, last = uat_size();
    uint64_t unused;
    for (; uat_future_try_get(c.stop, &unused) != 0; changed++) {
        int n = 1 + (int)(next_random(&c.seed) % (unsigned)uat_size());
        if (uat_resize(n) != 0)
            return -1;
        leaves += n < last ? last - n : 0;
        last = n;
        uat_sleep_for(10000 + next_random(&c.seed) % 100000);
    }
    printf("%d times a worker was asked to leave, and as often to return\n", leaves);
    return uat_resize(uat_size()) ? -1 : changed;
}

UAT_TASK(int64_t, fib, int, n)
{
    if (n < 2) {
        work(100);
        return n;
    }
    fib_task first;
    fib_spawn(&first, n - 1);
    int64_t second = fib(n - 2);
    return fib_join(&first) + second;
}

static int64_t fibonacci(int n)
{
    int64_t a = 0, b = 1;
    for (; n > 0; n--) {
        int64_t c = a + b;
        a = b;
        b = c;
    }
    return a;
}

/* Messages pass through a chain of stages, each of which begins on another worker. */
struct stage {
    uat_channel_t in, out;
};
UAT_TASK(int, pass, struct stage, s)
{
    int64_t value;
    for (int i = 0; i < MESSAGES; i++) {
        if (uat_channel_receive(s.in, &value) != 0)
            return 1;
        work(500);
        value++;
        if (uat_channel_send(s.out, &value) != 0)
            return 1;
    }
    return 0;
}

UAT_TASK(int, pipeline, int, unused)
{
    uat_channel_t channel[STAGES + 1];
    pass_task stage[STAGES];
    int errors = unused;
    int64_t value;
    for (int i = 0; i <= STAGES; i++)
        channel[i] = uat_channel_create(sizeof(value), MESSAGES);
    for (int i = 0; i < STAGES; i++)
        pass_spawn_on(&stage[i], i % uat_size(), (struct stage){channel[i], channel[i + 1]});
    for (value = 0; value < MESSAGES; value++)
        errors += uat_channel_send(channel[0], &value) != 0;
    for (int i = 0; i < MESSAGES; i++) {
        errors += uat_channel_receive(channel[STAGES], &value) != 0;
        errors += is_wrong("a message", value, i + STAGES);
    }
    for (int i = STAGES; i-- > 0;)
        errors += pass_join(&stage[i]);
    for (int i = 0; i <= STAGES; i++)
        uat_channel_destroy(channel[i]);
    return errors;
}

UAT_REDUCER(struct sequence, seen, SEQUENCE_NONE, sequence_join)

UAT_FOR(see, i, uint64_t, first)
{
    work(300);
    *seen_view() = sequence_join(*seen_view(), sequence_of(first + (uint64_t)i));
}

UAT_TASK(int, loop, int, unused)
{
    struct sequence expected = SEQUENCE_NONE;
    for (uint64_t i = 0; i < COUNT; i++)
        expected = sequence_join(expected, sequence_of(7 + i));
    see(0, COUNT, 7);
    struct sequence found = seen_take();
    return unused + is_wrong("a reducer of a loop", sequence_equal(found, expected), 1);
}

UAT_FLOW_TASK(add, in, int64_t, a, inout, int64_t, b)
{
    work(400);
    *b = 3 * *b + *a;
}

UAT_TASK(int, flow, int, unused)
{
    int64_t expected[CELLS], *cell[CELLS];
    int errors = unused;
    uat_flow_t f;
    for (int i = 0; i < CELLS; i++) {
        cell[i] = uat_global_object_alloc(sizeof(int64_t));
        expected[i] = i;
        uat_global_put(cell[i], &expected[i], sizeof(int64_t));
    }
    uat_flow_begin(&f);
    for (int i = 0; i < FLOW_TASKS; i++) {
        int a = i % CELLS, b = (i * i + 1) % CELLS;
        if (a == b)
            b = (b + 1) % CELLS;
        add_flow(&f, cell[a], cell[b]);
        expected[b] = 3 * expected[b] + expected[a];
    }
    uat_flow_end(&f);
    for (int i = 0; i < CELLS; i++) {
        int64_t value;
        uat_global_get(&value, cell[i], sizeof(value));
        errors += is_wrong("a datum of a flow", value, expected[i]);
        uat_global_object_free(cell[i]);
    }
    return errors;
}

UAT_TASK(int, where, int64_t, ns)
{
    work((uint64_t)ns);
    return uat_rank();
}

/* Let n workers take part, and wait until the others have left. No other worker may run a task then, unless the task is
 * sent to it. */
UAT_TASK(int, settle, int, n)
{
    where_task task[TASKS], sent;
    int errors = uat_resize(n) != 0;
    while (uat_workers() != n)
        uat_sleep_for(20000);
    for (int i = 0; i < TASKS; i++)
        where_spawn(&task[i], 3000);
    for (int i = TASKS; i-- > 0;) {
        int rank = where_join(&task[i]);
        if (rank >= n)
            errors += is_wrong("the number of tasks of a worker that is out", 1, 0);
    }
    where_spawn_on(&sent, uat_size() - 1, 3000);
    errors += is_wrong("the rank of a task that was sent", where_join(&sent), uat_size() - 1);
    return errors;
}

UAT_FLOW_TASK(linger, in_below, char, datum)
{
    (void)datum;
    work(4000);
}

/* Runs on a worker that leaves, below a chain of spawners. No task of the chain continues there. Returns the number of
 * those that do. */
struct level {
    int depth, home;
};
UAT_TASK(int, leave, struct level, l)
{
    leave_task deeper;
    where_task child;
    int stays = 0;
    if (l.depth > 0) {
        leave_spawn(&deeper, (struct level){l.depth - 1, l.home});
        stays = uat_rank() == l.home;
        stays += leave_join(&deeper);
    } else {
        stays = uat_resize(1) != 0;
        where_spawn(&child, 1000);
        stays += where_join(&child) != 0;
    }
    return stays + (uat_rank() == l.home);
}

/* Begins on a worker that leaves, with an open flow. */
UAT_TASK(int, declare, int, depth)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    for (uint64_t i = 0; i < READY; i++)
        linger_flow(&f, UAT_FLOW_NUMBER(i));
    uat_migrate(uat_size() - 1); /* thieves may have taken this task while it declared */
    int stays = leave((struct level){depth, uat_rank()});
    uat_flow_end(&f);
    return stays;
}

UAT_TASK(int, nap, int64_t, ns)
{
    uat_sleep_for((uint64_t)ns);
    return 0;
}

/* The last worker leaves with a flow, a chain of spawners and a task that sleeps, whose sleep ends when the worker is
 * away. */
UAT_TASK(int, leave_last, int, depth)
{
    declare_task task;
    nap_task late;
    nap_spawn_on(&late, uat_size() - 1, 5000000);
    declare_spawn_on(&task, uat_size() - 1, depth);
    int errors = is_wrong("the number of tasks that have stayed", declare_join(&task), 0);
    while (uat_workers() != 1)
        uat_sleep_for(20000);
    errors += nap_join(&late);
    return errors + (uat_resize(uat_size()) != 0);
}

/* A worker that spends nearly all of its time in children leaves at its next spawn, although the slow path at the end
 * of a child may take the poke of uat_resize(). `told` is set after uat_resize(). Returns the number of children that
 * began there later, at most LATE. */
UAT_TASK(int, stay, uat_future_t, told)
{
    int late = 0, home = uat_rank();
    uint64_t unused;
    for (bool is_told = false; late < LATE && uat_rank() == home;) {
        where_task child;
        where_spawn(&child, CHILD_NS);
        late += is_told && uat_rank() == home;
        where_join(&child);
        is_told = is_told || uat_future_try_get(told, &unused) == 0;
    }
    return late;
}

UAT_TASK(int, notice, int, unused)
{
    uat_future_t told = uat_future_create(sizeof(uint64_t));
    const uint64_t now = 1;
    stay_task task;
    stay_spawn_on(&task, uat_size() - 1, told);
    work(10 * CHILD_NS); /* in no scheduler, so that this worker steals nothing */
    int errors = unused + (uat_resize(1) != 0);
    uat_future_set(told, &now);
    work(10 * CHILD_NS);
    errors += is_wrong("the number of children on a worker that is out", stay_join(&task), 0);
    uat_future_destroy(told);
    return errors + (uat_resize(uat_size()) != 0);
}

/* One round: all kinds of tasks while the number of workers changes, then a check of each number of workers. */
struct round {
    int n;
    unsigned seed;
};
UAT_TASK(int, round_of, struct round, r)
{
    uat_future_t stop = uat_future_create(sizeof(uint64_t));
    const uint64_t now = 1;
    change_task changes;
    pipeline_task messages;
    flow_task data;
    fib_task tree;
    int errors = 0;
    change_spawn(&changes, (struct changes){stop, r.seed});
    pipeline_spawn(&messages, 0);
    flow_spawn(&data, 0);
    fib_spawn(&tree, r.n);
    errors += loop(0);
    errors += is_wrong("fib", fib_join(&tree), fibonacci(r.n));
    errors += flow_join(&data);
    errors += pipeline_join(&messages);
    uat_future_set(stop, &now);
    errors += change_join(&changes) < 1;
    uat_future_destroy(stop);
    return errors;
}

/* The same tree, and nothing else, so that the number of tasks is known. */
UAT_TASK(int, tree_of, struct round, r)
{
    uat_future_t stop = uat_future_create(sizeof(uint64_t));
    const uint64_t now = 1;
    change_task changes;
    change_spawn(&changes, (struct changes){stop, r.seed});
    int errors = is_wrong("fib", fib(r.n), fibonacci(r.n));
    uat_future_set(stop, &now);
    errors += change_join(&changes) < 1;
    uat_future_destroy(stop);
    return errors;
}

/* Collective. Returns the number of errors of this worker. */
static int run_round(int n, unsigned seed)
{
    int errors = 0, wrong = 0;
    uat_stats_t before, after;
    struct round r = {n, seed};
    errors += uat_stats_total(&before) < 0 || tree_of_run(&wrong, r) < 0 || uat_stats_total(&after) < 0;
    errors += wrong + is_wrong("tasks", (int64_t)(after.tasks - before.tasks), fibonacci(n + 1) + 1);
    errors += round_of_run(&wrong, r) < 0 || wrong;
    for (int workers = uat_size(); workers > 0; workers = workers > 2 ? workers / 2 : workers - 1)
        errors += settle_run(&wrong, workers) < 0 || wrong;
    errors += settle_run(&wrong, uat_size()) < 0 || wrong;
    if (uat_size() > 1)
        errors += leave_last_run(&wrong, DEPTH) < 0 || wrong || notice_run(&wrong, 0) < 0 || wrong;
    return errors;
}

int main(int argc, char **argv)
{
    int errors = 0, rounds = argc > 1 ? atoi(argv[1]) : 1, n = argc > 2 ? atoi(argv[2]) : 14;
    if (uat_init() < 0 || uat_size() > WORKERS_MAX || uat_global_open() < 0)
        return 2;
    for (int i = 0; i < rounds; i++)
        errors += run_round(n, (unsigned)i * 7919u + 1u);
    if (errors && uat_rank() == 0)
        printf("%d errors\n", errors);
    return uat_finalize() < 0 || errors;
}
