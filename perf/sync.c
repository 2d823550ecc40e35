/* SPDX-License-Identifier: MIT */
/* What it costs tasks to wait: for each other, for locks, for messages. The exercises take turns, batch by batch. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/bench.h"
#include "perf/plot.h"
#include "perf/samples.h"
#include "perf/sync.h"
#include "runtime/inspect.h"
#include "uat/sync.h"

static int64_t members = 503, passes = 5030, fibers = 1000, depth = 9, batches = 21, only = 0;
static struct uat_samples cycles[SYNC_EXERCISES];
static struct {
    uint64_t sum, operations;
} trips[SYNC_EXERCISES]; /* on rank 0 */
static uat_mutex_t own_mutex;
static uat_channel_t own_channel;
static uat_future_t own_future[SYNC_FUTURES];

static int no_memory(void)
{
    fprintf(stderr, "uat-sync: no memory on rank %d; give fewer --batches\n", uat_rank());
    return -ENOMEM;
}

/* What the last worker shows. Collective. */
static int show_last(uint64_t own, uint64_t *shown)
{
    uint64_t *words = malloc((size_t)uat_size() * sizeof(*words));
    int rc = words ? uat_inspect_gather(own, words) : no_memory();
    if (!rc)
        *shown = words[uat_size() - 1];
    free(words);
    return rc;
}

/* Objects that the far exercises use are those of the last worker. Collective. */
static int make_plan(struct sync_plan *plan)
{
    *plan = (struct sync_plan){
        .members = (uint64_t)members, .passes = (uint64_t)passes, .fibers = (uint64_t)fibers, .depth = (uint64_t)depth};
    own_mutex = uat_mutex_create();
    own_channel = uat_channel_create(sizeof(uint64_t), 1);
    int rc = show_last(own_mutex.object, &plan->mutex);
    return rc ? rc : show_last(own_channel.object, &plan->channel);
}

/* Futures are set once: new ones for each batch that needs some. Collective. */
static int make_futures(struct sync_plan *plan)
{
    int rc = 0;
    for (int i = 0; i < SYNC_FUTURES && !rc; i++) {
        own_future[i] = uat_future_create(sizeof(uint64_t));
        rc = show_last(own_future[i].object, &plan->future[i]);
    }
    return rc;
}

static void destroy_futures(void)
{
    for (int i = 0; i < SYNC_FUTURES; i++)
        uat_future_destroy(own_future[i]);
}

/* One batch, timed. 0 or a negative errno; -EPROTO if the answer is wrong. */
static int run_batch(struct sync_plan *plan, int e)
{
    const struct sync_exercise *exercise = &sync_exercises[e];
    struct sync_taken taken = {0};
    if (exercise->far && uat_size() == 1)
        return 0;
    int rc = exercise->far ? make_futures(plan) : 0;
    if (!rc)
        rc = exercise->run(plan, &taken);
    if (exercise->far)
        destroy_futures();
    if (rc)
        return rc;
    uint64_t right = exercise->right(plan);
    if (taken.answer != right) {
        fprintf(stderr, "uat-sync: %s: a wrong answer on rank %d: %llu, not %llu\n", exercise->text, uat_rank(),
                (unsigned long long)taken.answer, (unsigned long long)right);
        return -EPROTO;
    }
    uat_samples_add(&cycles[e], taken.cycles);
    trips[e].sum += taken.trips;
    trips[e].operations += taken.counted;
    return 0;
}

static double mean_trips(int e)
{
    return (double)trips[e].sum / (double)trips[e].operations;
}

static void report_table(const struct uat_bench *bench, const struct uat_bench_settings *settings, double hz)
{
    uat_bench_print_settings(bench, settings, stdout);
    uat_samples_print_head("each", stdout);
    for (int e = 0; e < SYNC_EXERCISES; e++)
        if (cycles[e].count > 0)
            uat_samples_print(&cycles[e], hz, stdout);
    printf("  samples are means over a batch; a fiber is spawned, waits and is joined\n");
    for (int e = 0; e < SYNC_EXERCISES; e++)
        if (sync_exercises[e].far && trips[e].operations > 0)
            printf("  %-18s %10.2f round trips, of %llu\n", sync_exercises[e].text, mean_trips(e),
                   (unsigned long long)trips[e].operations);
}

static int report_json(const struct uat_bench *bench, const struct uat_bench_settings *settings, double hz)
{
    json_object *object = json_object_new_object();
    int status = 0;
    if (!object)
        return uat_bench_print_object(NULL, -ENOMEM, stdout);
    uat_bench_add_settings(object, bench, settings, &status);
    uat_bench_add(object, "tsc_hz", json_object_new_double(hz), &status);
    uat_bench_add(object, "members", json_object_new_int64(members), &status);
    for (int e = 0; e < SYNC_EXERCISES; e++) {
        cycles[e].name = sync_exercises[e].key;
        if (cycles[e].count > 0)
            uat_samples_json(&cycles[e], hz, object, &status);
    }
    json_object *counted = json_object_new_object();
    for (int e = 0; e < SYNC_EXERCISES && counted; e++)
        if (sync_exercises[e].far && trips[e].operations > 0)
            uat_bench_add(counted, sync_exercises[e].key, json_object_new_double(mean_trips(e)), &status);
    uat_bench_add(object, "round_trips", counted, &status);
    return uat_bench_print_object(object, status, stdout);
}

static int open_samples(const struct sync_plan *plan)
{
    int status = 0;
    for (int e = 0; e < SYNC_EXERCISES && !status; e++) {
        status = uat_samples_open(&cycles[e], sync_exercises[e].text, (size_t)batches);
        cycles[e].divisor = sync_exercises[e].operations(plan);
    }
    return status ? no_memory() : 0;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    struct sync_plan plan;
    int status = make_plan(&plan);
    if (!status)
        status = open_samples(&plan);
    for (int64_t batch = 0; batch < batches && !status; batch++)
        for (int e = 0; e < SYNC_EXERCISES && !status; e++)
            if (!only || e == only - 1)
                status = run_batch(&plan, e);
    double hz = uat_samples_tsc_hz();
    for (int e = 0; e < SYNC_EXERCISES; e++)
        uat_samples_sort(&cycles[e]);
    if (!status && uat_rank() == 0) {
        if (settings->json)
            status = report_json(bench, settings, hz);
        else
            report_table(bench, settings, hz);
    }
    for (int e = 0; e < SYNC_EXERCISES; e++)
        uat_samples_close(&cycles[e]);
    uat_mutex_destroy(own_mutex);
    uat_channel_destroy(own_channel);
    return status;
}

static const struct uat_bench_option options[] = {
    {"--members", "N", "tasks in a ring", &members, NULL, 2, SYNC_MEMBERS_MAX},
    {"--passes", "N", "passes in a batch", &passes, NULL, 2, 100000000},
    {"--fibers", "N", "fibers that wait at once", &fibers, NULL, 1, SYNC_FIBERS_MAX},
    {"--depth", "N", "of the tree of fibers", &depth, NULL, 0, 16},
    {"--only", "N", "the N-th exercise of the table alone; 0: all", &only, NULL, 0, SYNC_EXERCISES},
    {"--batches", "N", "batches of each exercise", &batches, NULL, 1, 100000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-sync",
    .purpose = "Tasks that wait: rings, ping-pong over channels and under a mutex, futures, many fibers.",
    .options = options,
    .measure = measure,
    .plot = &sync_plot,
};
