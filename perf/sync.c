/* SPDX-License-Identifier: MIT */
/* The cost of tasks that wait for each other, for locks or for messages. The exercises take turns batch by batch. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf/bench.h"
#include "perf/report.h"
#include "perf/samples.h"
#include "perf/sync.h"
#include "inspect/inspect.h"
#include "uat/channel.h"
#include "uat/sync.h"

static int64_t members = 503, passes = 5030, fibers = 1000, depth = 9, frame = 0, batches = 21, only = 0;
static struct uat_samples cycles[SYNC_EXERCISES];
static struct {
    uint64_t sum, operations;
} trips[SYNC_EXERCISES]; /* filled in on rank 0 */
static uat_mutex_t own_mutex;
static uat_channel_t own_channel;
static uat_future_t own_future[SYNC_FUTURES];

static int no_memory(void)
{
    fprintf(stderr, "uat-sync: no memory on rank %d; give fewer --batches\n", uat_rank());
    return -ENOMEM;
}

/* Give the last worker's number to all workers. Collective. */
static int show_last(uint64_t own, uint64_t *shown)
{
    uint64_t *words = malloc((size_t)uat_size() * sizeof(*words));
    int rc = words ? uat_inspect_gather(own, words) : no_memory();
    if (!rc)
        *shown = words[uat_size() - 1];
    free(words);
    return rc;
}

/* Create the objects that the exercises use. The last worker owns the objects of the far exercises. Collective. */
static int make_plan(struct sync_plan *plan)
{
    *plan = (struct sync_plan){.members = (uint64_t)members,
                               .passes = (uint64_t)passes,
                               .fibers = (uint64_t)fibers,
                               .depth = (uint64_t)depth,
                               .frame = (uint64_t)frame};
    own_mutex = uat_mutex_create();
    own_channel = uat_channel_create(sizeof(uint64_t), 1);
    int rc = show_last(own_mutex.object, &plan->mutex);
    return rc ? rc : show_last(own_channel.object, &plan->channel);
}

/* Make new futures for a batch that needs futures: a future can be set only once. Collective. */
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

/* Time one batch. Returns 0 or a negative errno; -EPROTO if the answer is wrong. */
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

static void report_trips(int e)
{
    double mean = (double)trips[e].sum / (double)trips[e].operations;

    uat_report_real(sync_exercises[e].key, mean);
    uat_report_line(sync_exercises[e].text, "%10.2f round trips, of %llu", mean,
                    (unsigned long long)trips[e].operations);
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    double hz = uat_samples_tsc_hz();

    uat_report_begin(bench, settings);
    uat_report_real("tsc_hz", hz);
    uat_report_count("members", (uint64_t)members);
    uat_samples_head("each");
    for (int e = 0; e < SYNC_EXERCISES; e++) {
        uat_samples_sort(&cycles[e]);
        if (cycles[e].count > 0)
            uat_samples_report(&cycles[e], hz);
    }
    uat_report_line("samples", "are means over a batch; a fiber is spawned, waits and is joined");
    uat_report_object("round_trips");
    for (int e = 0; e < SYNC_EXERCISES; e++)
        if (sync_exercises[e].far && trips[e].operations > 0)
            report_trips(e);
    uat_report_close();
    uat_report_end();
}

static int open_samples(const struct sync_plan *plan)
{
    int status = 0;
    for (int e = 0; e < SYNC_EXERCISES && !status; e++) {
        status = uat_samples_open(&cycles[e], sync_exercises[e].key, (size_t)batches);
        cycles[e].title = sync_exercises[e].text;
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
    if (!status && uat_rank() == 0)
        report(bench, settings);
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
    {"--frame", "BYTES", "in the frame of each task of a ring or of the channel ping-pong", &frame, NULL, 0, 1 << 20},
    {"--only", "N", "the N-th exercise of the table alone; 0: all", &only, NULL, 0, SYNC_EXERCISES},
    {"--batches", "N", "batches of each exercise", &batches, NULL, 1, 100000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-sync",
    .purpose = "Tasks that wait: rings, ping-pong over channels and under a mutex, futures, many fibers.",
    .options = options,
    .measure = measure,
};
