/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of a data-flow task (uat/dataflow.h), with empty tasks of 0, 1 and 3 accesses. Each task accesses
 * its own data, or all access the same data. In place: all tasks of the flow run on one worker. Ledger: the flow's
 * first task waits, so all other tasks become entries of the ledger. The other tasks are spawned while the first task
 * waits, and run after the first task has ended. A row is the sum of the two times. `perf/measure flows` runs the same
 * sequences with OpenMP and StarPU (perf/rivals) in the same rounds.
 *
 * The rivals check out no data. So the tasks use modes with `_below`, which check nothing out. The row `checkout` uses
 * plain modes.
 */
#include <errno.h>

#include "base/virtual.h"
#include "perf/bench.h"
#include "perf/flow.h"
#include "perf/report.h"
#include "perf/samples.h"
#include "uat/dataflow.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

static int64_t rounds = 200;
static double quantile = 0.5;

UAT_TASK(long, plain, long, i)
{
    return i;
}

UAT_FLOW_TASK(none, value, long, i)
{
    (void)i;
}

UAT_FLOW_TASK(one, inout_below, long, a)
{
    (void)a;
}

UAT_FLOW_TASK(three, inout_below, long, a, inout_below, long, b, inout_below, long, c)
{
    (void)a;
    (void)b;
    (void)c;
}

UAT_FLOW_TASK(checked, inout, long, a, inout, long, b, inout, long, c)
{
    (void)a;
    (void)b;
    (void)c;
}

UAT_FLOW_TASK(holds, value, uat_latch_t, latch)
{
    uat_latch_wait(latch);
}

static void spawn_all(uat_flow_t *f, enum flow_kind kind, long *data)
{
    for (long i = 0; i < FLOW_TASKS; i++) {
        long *own = &data[3 * i];
        switch (kind) {
        case FLOW_NONE:
            none_flow(f, i);
            break;
        case FLOW_ONE_OWN:
            one_flow(f, own);
            break;
        case FLOW_ONE_CHAIN:
            one_flow(f, data);
            break;
        case FLOW_THREE_OWN:
            three_flow(f, own, own + 1, own + 2);
            break;
        case FLOW_THREE_CHAIN:
            three_flow(f, data, data + 1, data + 2);
            break;
        case FLOW_CHECKOUT:
            checked_flow(f, own, own + 1, own + 2);
            break;
        default:
            break;
        }
    }
}

static const char *const titles[FLOW_KINDS] = {"no access", "1, own",   "1, chain",
                                               "3, own",    "3, chain", "3, checked out"};
static const char *const names[FLOW_KINDS] = {"none", "one_own", "one_chain", "three_own", "three_chain", "checkout"};
enum { PLACE, LEDGER, WAYS };
static struct uat_samples spawn_join, samples[WAYS][FLOW_KINDS];

UAT_TASK(uint64_t, spawns, long, n)
{
    uint64_t begin = uat_counter(), sum = 0;
    for (long i = 0; i < n; i++) {
        plain_task child;
        plain_spawn(&child, i);
        sum += (uint64_t)plain_join(&child);
    }
    return uat_counter() - begin + (sum == 1);
}

UAT_TASK(uint64_t, in_place, int, kind, long *, data)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    uint64_t begin = uat_counter();
    spawn_all(&f, (enum flow_kind)kind, data);
    uat_flow_end(&f);
    return uat_counter() - begin;
}

UAT_TASK(uint64_t, ledger, int, kind, long *, data)
{
    uat_flow_t f;
    uat_latch_t latch = uat_latch_create(1);
    uat_flow_begin(&f);
    holds_flow(&f, latch);
    uint64_t begin = uat_counter();
    spawn_all(&f, (enum flow_kind)kind, data);
    uat_latch_count_down(latch, 1);
    uat_flow_end(&f);
    uint64_t taken = uat_counter() - begin;
    uat_latch_destroy(latch);
    return taken;
}

static void add(struct uat_samples *s, uint64_t cycles)
{
    if (uat_rank() == 0)
        uat_samples_add(s, cycles);
}

/* The tasks return their times, because they may end on a worker other than rank 0. */
static int one_round(long *data)
{
    uint64_t cycles;
    int rc = spawns_run(&cycles, FLOW_TASKS);
    add(&spawn_join, cycles);
    for (int kind = 0; kind < FLOW_KINDS && !rc; kind++) {
        rc = in_place_run(&cycles, kind, data);
        add(&samples[PLACE][kind], cycles);
        if (!rc)
            rc = ledger_run(&cycles, kind, data);
        add(&samples[LEDGER][kind], cycles);
    }
    return rc;
}

static const struct uat_report_column columns[] = {
    {"accesses", "accesses", -16, 0}, {"place", "in place", 10, 1}, {"place_of_spawn", "of spawn", 10, 2},
    {"ledger", "ledger", 10, 1},      {NULL, NULL, 0, 0},
};

static double cycles_of(struct uat_samples *s)
{
    uat_samples_sort(s);
    return uat_samples_quantile(s, quantile) / FLOW_TASKS;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    long *data = uat_global_alloc(3 * FLOW_TASKS * sizeof(*data), UAT_BLOCKED, 0);
    int rc = data ? uat_samples_open(&spawn_join, "spawn_join", (size_t)rounds) : -ENOMEM;
    for (int way = 0; way < WAYS && !rc; way++)
        for (int kind = 0; kind < FLOW_KINDS && !rc; kind++)
            rc = uat_samples_open(&samples[way][kind], names[kind], (size_t)rounds);
    for (int64_t i = 0; i < rounds && !rc; i++)
        rc = one_round(data);
    if (rc || uat_rank() != 0)
        return rc;
    double spawn = cycles_of(&spawn_join);
    uat_report_begin(bench, settings);
    uat_report_line("spawn and join", "%.1f cycles; quantile %g of %d rounds, cycles for a task", spawn, quantile,
                    (int)rounds);
    uat_report_real("spawn_join", spawn);
    uat_report_list("rows");
    uat_report_heads(columns);
    for (int kind = 0; kind < FLOW_KINDS; kind++) {
        double place = cycles_of(&samples[PLACE][kind]);
        const struct uat_report_value values[] = {
            {titles[kind], 0}, {NULL, place}, {NULL, place / spawn}, {NULL, cycles_of(&samples[LEDGER][kind])}};
        uat_report_row(columns, values);
    }
    uat_report_close();
    uat_report_end();
    return 0;
}

static const struct uat_bench_option options[] = {
    {"-r", "ROUNDS", "rounds of all rows in turn", &rounds, NULL, 1, 100000},
    {"-q", "QUANTILE", "the quantile of the rounds that is shown; 0: the least", NULL, &quantile, 0, 1},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-flow",
    .purpose = "Measure what a data-flow task costs.",
    .options = options,
    .measure = measure,
};
