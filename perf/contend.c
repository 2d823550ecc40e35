/* SPDX-License-Identifier: MIT */
/*
 * Compares two rates of steals from one victim: the total rate of many thieves, and the rate of a single thief. Under a
 * protocol that livelocks, the first rate falls towards 0. The lock protocol avoids this livelock, because a loser
 * undoes its FETCH_ADD of 1 and backs off for a random time. Rank 0 is the victim and keeps its ring full. The other
 * ranks steal.
 */
#include <errno.h>
#include <sched.h>

#include "base/clock.h"
#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/report.h"
#include "perf/tsc.h"
#include "inspect/inspect.h"

enum { VICTIM = 0, NEST = 1000, STACK = 64 };

static int64_t milliseconds = 300;
static int64_t rounds = 5;

struct row {
    int thieves;
    uint64_t taken, lost, attempts; /* sums over all thieves and all rounds */
    double per_second;
};

static bool always(void *context, uintptr_t sp)
{
    return true; /* these entries need no join record, because no task belongs to them */
}

static double now(void)
{
    return uat_moment_now().seconds;
}

/* Keep the ring full until time `end`. Push NEST entries, and publish them as the ring has room. When all have been
 * published, pop those that no thief has stolen, and push new entries. */
static void be_victim(double end)
{
    struct uat_deque *deque = uat_inspect_deque();
    uintptr_t base = uat_inspect_region_base(), sp;
    while (now() < end) {
        uat_deque_push_gone(deque, base);
        for (int i = 0; i < NEST; i++)
            uat_deque_push(deque, uat_deque_base(deque) - STACK);
        while (now() < end && deque->last < uat_deque_size(deque)) {
            uat_deque_refill(deque);
            sched_yield();
            uat_sim_work(400); /* in virtual time, a yield takes no time */
        }
        while (uat_deque_size(deque) > 0)
            uat_deque_pop(deque, &sp);
    }
}

static int be_thief(double end, struct row *row)
{
    struct uat_idle idle = {0};
    while (now() < end) {
        struct uat_stolen stolen;
        uint64_t start = uat_clock_ns();
        int result = uat_inspect_steal(VICTIM, &stolen);
        if (result < 0)
            return result;
        row->attempts++;
        row->taken += result == UAT_STEAL_DONE;
        row->lost += result == UAT_STEAL_LOST_RACE || result == UAT_STEAL_BUSY;
        if (result == UAT_STEAL_DONE)
            idle = (struct uat_idle){0};
        else
            uat_idle(&idle, result, stolen.trips, uat_clock_ns() - start);
    }
    return 0;
}

/* One round with the row's number of thieves. Collective. */
static int run_round(struct row *row)
{
    struct row own = {0};
    int status = uat_barrier();
    double end = now() + (double)milliseconds * 1e-3;
    if (!status && uat_rank() == VICTIM)
        be_victim(end);
    else if (!status && uat_rank() <= row->thieves)
        status = be_thief(end, &own);
    struct uat_gathered taken, lost, attempts;
    if (!status)
        status = uat_gather(own.taken, &taken);
    if (!status)
        status = uat_gather(own.lost, &lost);
    if (!status)
        status = uat_gather(own.attempts, &attempts);
    if (status < 0)
        return status;
    row->taken += taken.sum;
    row->lost += lost.sum;
    row->attempts += attempts.sum;
    return 0;
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings, const struct row *rows)
{
    static const struct uat_report_column columns[] = {
        {"thieves", "thieves", -12, 0}, {"attempts", "attempts", 12, 0},  {"lost", "lost", 12, 0},
        {"taken", "taken", 12, 0},      {"per_second", "taken/s", 14, 0}, {0}};
    double ratio = rows[1].per_second / rows[0].per_second;

    uat_report_begin(bench, settings);
    uat_report_heads(columns);
    uat_report_list("rows");
    for (const struct row *r = rows; r < rows + 2; r++)
        uat_report_row(columns, (struct uat_report_value[]){{NULL, r->thieves},
                                                            {NULL, (double)r->attempts},
                                                            {NULL, (double)r->lost},
                                                            {NULL, (double)r->taken},
                                                            {NULL, r->per_second}});
    uat_report_close();
    uat_report_real("ratio", ratio);
    uat_report_line("ratio", "%.2f of what one thief takes", ratio);
    uat_report_end();
}

/* Alternate between one thief and all thieves, so that a change in the machine's speed affects both rates. */
static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    if (uat_size() < 3) {
        if (uat_rank() == 0)
            fprintf(
                stderr,
                "uat-contend: needs 3 workers or more, the victim and at least 2 thieves: uatrun -n 9 uat-contend\n");
        return -EINVAL;
    }
    struct row rows[2] = {{.thieves = 1}, {.thieves = uat_size() - 1}};
    struct uat_deque *deque = uat_inspect_deque();
    struct uat_deque_user user = deque->user;
    deque->user.part = always;
    uat_deque_start(deque);
    int status = 0;
    for (int64_t i = 0; i < 2 * rounds && !status; i++)
        status = run_round(&rows[i % 2]);
    uat_deque_stop(deque);
    deque->user = user;
    for (int i = 0; i < 2; i++)
        rows[i].per_second = (double)rows[i].taken / ((double)(rounds * milliseconds) * 1e-3);
    if (!status && uat_rank() == 0)
        report(bench, settings, rows);
    return status;
}

static const struct uat_bench_option options[] = {
    {"--milliseconds", "N", "length of one round", &milliseconds, NULL, 1, 60000},
    {"--rounds", "N", "rounds with one thief, and as many with all", &rounds, NULL, 1, 1000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-contend",
    .purpose = "The rate of steals from one victim by many thieves, compared with that by one thief.",
    .options = options,
    .measure = measure,
};
