/* SPDX-License-Identifier: MIT */
/*
 * Many thieves on one victim: their total rate of steals, against that of one thief alone. Under a protocol that
 * livelocks the rate falls towards 0. The lock protocol avoids that: losers take their 1 back and back off randomly.
 * Rank 0 is the victim and keeps its ring full; the other ranks steal.
 */
#include <errno.h>
#include <json-c/json.h>
#include <sched.h>

#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/tsc.h"
#include "runtime/inspect.h"

enum { VICTIM = 0, NEST = 1000, STACK = 64 };

static int64_t milliseconds = 300;
static int64_t rounds = 5;

struct row {
    int thieves;
    uint64_t taken, lost, attempts; /* by all thieves, in all rounds */
    double per_second;
};

static bool always(void *context, uintptr_t sp)
{
    (void)context;
    (void)sp;
    return true; /* no task stands behind these entries */
}

static double now(void)
{
    return uat_moment_now().seconds;
}

/* Keep the ring full until the time is over: NEST entries, published as far as there is room, made anew when all are
 * gone. */
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
        int result = uat_inspect_steal(VICTIM, &stolen);
        if (result < 0)
            return result;
        row->attempts++;
        row->taken += result == UAT_STEAL_DONE;
        row->lost += result == UAT_STEAL_LOST_RACE;
        if (result == UAT_STEAL_DONE)
            idle = (struct uat_idle){0};
        else
            uat_idle(&idle, result == UAT_STEAL_LOST_RACE);
    }
    return 0;
}

/* One round with so many thieves. Collective. */
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

static int report_json(const struct uat_bench *bench, const struct uat_bench_settings *settings, const struct row *rows)
{
    json_object *object = json_object_new_object(), *list = json_object_new_array();
    int status = object && list ? 0 : -ENOMEM;
    for (int i = 0; i < 2 && !status; i++) {
        json_object *one = json_object_new_object();
        if (!one || json_object_array_add(list, one) < 0) {
            json_object_put(one);
            status = -ENOMEM;
            break;
        }
        uat_bench_add(one, "thieves", json_object_new_int(rows[i].thieves), &status);
        uat_bench_add(one, "attempts", json_object_new_int64((int64_t)rows[i].attempts), &status);
        uat_bench_add(one, "lost", json_object_new_int64((int64_t)rows[i].lost), &status);
        uat_bench_add(one, "taken", json_object_new_int64((int64_t)rows[i].taken), &status);
        uat_bench_add(one, "per_second", json_object_new_double(rows[i].per_second), &status);
    }
    if (!status) {
        uat_bench_add_settings(object, bench, settings, &status);
        uat_bench_add(object, "ratio", json_object_new_double(rows[1].per_second / rows[0].per_second), &status);
        uat_bench_add(object, "rows", list, &status);
        list = NULL;
    }
    json_object_put(list);
    return uat_bench_print_object(object, status, stdout);
}

static void report_table(const struct uat_bench *bench, const struct uat_bench_settings *settings,
                         const struct row *rows)
{
    uat_bench_print_settings(bench, settings, stdout);
    printf("  %-12s %12s %12s %12s %14s\n", "thieves", "attempts", "lost", "taken", "taken/s");
    for (int i = 0; i < 2; i++)
        printf("  %-12d %12llu %12llu %12llu %14.0f\n", rows[i].thieves, (unsigned long long)rows[i].attempts,
               (unsigned long long)rows[i].lost, (unsigned long long)rows[i].taken, rows[i].per_second);
    printf("  %-12s %.2f of what one thief takes\n", "ratio", rows[1].per_second / rows[0].per_second);
}

/* One thief and all of them, in turn, so that a change of the machine's speed meets both. */
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
    uat_deque_start(deque, false);
    int status = 0;
    for (int64_t i = 0; i < 2 * rounds && !status; i++)
        status = run_round(&rows[i % 2]);
    uat_deque_stop(deque);
    deque->user = user;
    for (int i = 0; i < 2; i++)
        rows[i].per_second = (double)rows[i].taken / ((double)(rounds * milliseconds) * 1e-3);
    if (!status && uat_rank() == 0) {
        if (settings->json)
            status = report_json(bench, settings, rows);
        else
            report_table(bench, settings, rows);
    }
    return status;
}

static const struct uat_bench_option options[] = {
    {"--milliseconds", "N", "length of one round", &milliseconds, NULL, 1, 60000},
    {"--rounds", "N", "rounds with one thief, and as many with all", &rounds, NULL, 1, 1000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-contend",
    .purpose = "How much many thieves take from one victim, against one thief.",
    .options = options,
    .measure = measure,
};
