/* SPDX-License-Identifier: MIT */
/*
 * What a switch of control costs inside one task: uat's generators beside other ways to do the same, in one run. The
 * exercises are those of Dolan, Muralidharan, Gregg (TACO 9(4), 2013), section 7. The rivals take turns, batch by
 * batch, so that what else the machine does meets them alike.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "base/cpu.h"
#include "perf/bench.h"
#include "perf/samples.h"
#include "perf/switch_rivals.h"

enum { BATCHES = 200, BATCH = 10000, RIVALS_MAX = 6, EXERCISES = UAT_SWITCH_EXERCISES };

static const struct uat_rival *const rivals[] = {
    &uat_rival_generator,
#ifdef HAVE_BOOST_CONTEXT
    &uat_rival_boost,
#endif
#ifdef HAVE_COROUTINES
    &uat_rival_coroutine,
#endif
#ifdef HAVE_LIBACO
    &uat_rival_aco,
#endif
#ifdef HAVE_LIBCO
    &uat_rival_co,
#endif
    &uat_rival_ucontext,
};
enum { RIVALS = sizeof(rivals) / sizeof(rivals[0]) };

static int64_t members = 503;

const char *const uat_switch_exercises[EXERCISES] = {[UAT_SWITCH_BARE] = "one switch, nothing live",
                                                     [UAT_SWITCH_GENERATOR] = "one value of a generator",
                                                     [UAT_SWITCH_RING] = "one pass in a ring"};
const char *const uat_switch_keys[EXERCISES] = {
    [UAT_SWITCH_BARE] = "switch", [UAT_SWITCH_GENERATOR] = "generator", [UAT_SWITCH_RING] = "ring"};
static struct uat_samples samples[EXERCISES][RIVALS_MAX];
_Static_assert((int)RIVALS <= (int)RIVALS_MAX, "a series for each");

/* One batch, timed. 0, or -EPROTO if the answer is wrong; 1: the rival has no such thing. */
static int run_batch(int e, int r)
{
    const struct uat_rival *rival = rivals[r];
    uint64_t answer = 0, right = 0, begin = uat_cpu_counter();
    if (e == UAT_SWITCH_BARE && rival->bare)
        rival->bare(BATCH);
    else if (e == UAT_SWITCH_GENERATOR && rival->generator) {
        answer = rival->generator(BATCH);
        right = (uint64_t)BATCH * (BATCH - 1) / 2;
    } else if (e == UAT_SWITCH_RING && rival->ring) {
        right = BATCH * 10;
        answer = rival->ring(members, BATCH * 10);
    } else
        return 1;
    uat_samples_add(&samples[e][r], uat_cpu_counter() - begin);
    if (answer == right)
        return 0;
    fprintf(stderr, "uat-switch: %s, %s: a wrong answer\n", rival->name, uat_switch_exercises[e]);
    return -EPROTO;
}

static void report_table(const struct uat_bench *bench, const struct uat_bench_settings *settings, double hz)
{
    uat_bench_print_settings(bench, settings, stdout);
    for (int e = 0; e < EXERCISES; e++) {
        uat_samples_print_head(uat_switch_exercises[e], stdout);
        for (int r = 0; r < RIVALS; r++)
            if (samples[e][r].count > 0)
                uat_samples_print(&samples[e][r], hz, stdout);
    }
    printf("  samples are means over batches of %d\n", BATCH);
}

static int report_json(const struct uat_bench *bench, const struct uat_bench_settings *settings, double hz)
{
    json_object *object = json_object_new_object();
    int status = 0;
    if (!object)
        return uat_bench_print_object(NULL, -ENOMEM, stdout);
    uat_bench_add_settings(object, bench, settings, &status);
    uat_bench_add(object, "tsc_hz", json_object_new_double(hz), &status);
    for (int e = 0; e < EXERCISES; e++) {
        json_object *one = json_object_new_object();
        for (int r = 0; r < RIVALS && one; r++)
            if (samples[e][r].count > 0)
                uat_samples_json(&samples[e][r], hz, one, &status);
        uat_bench_add(object, uat_switch_keys[e], one, &status);
    }
    return uat_bench_print_object(object, status, stdout);
}

static int open_samples(void)
{
    int status = 0;
    for (int e = 0; e < EXERCISES; e++)
        for (int r = 0; r < RIVALS && status == 0; r++) {
            status = uat_samples_open(&samples[e][r], rivals[r]->name, BATCHES);
            /* A round trip is two switches; the ring's batches are ten times as long, for it is built in each. */
            samples[e][r].divisor = e == UAT_SWITCH_BARE ? 2 * BATCH : e == UAT_SWITCH_RING ? 10 * BATCH : BATCH;
        }
    if (status)
        fprintf(stderr, "uat-switch: no memory for the samples\n");
    return status;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    if (uat_size() > 1) {
        if (uat_rank() == 0)
            fprintf(stderr, "uat-switch: measures one worker; start it without uatrun\n");
        return -EINVAL;
    }
    int status = open_samples();
    for (int batch = 0; batch < BATCHES && status >= 0; batch++)
        for (int e = 0; e < EXERCISES && status >= 0; e++)
            for (int r = 0; r < RIVALS && status >= 0; r++)
                status = run_batch(e, r);
    if (status >= 0) {
        double hz = uat_samples_tsc_hz();
        for (int e = 0; e < EXERCISES; e++)
            for (int r = 0; r < RIVALS; r++)
                uat_samples_sort(&samples[e][r]);
        status = 0;
        if (settings->json)
            status = report_json(bench, settings, hz);
        else
            report_table(bench, settings, hz);
    }
    for (int e = 0; e < EXERCISES; e++)
        for (int r = 0; r < RIVALS; r++)
            uat_samples_close(&samples[e][r]);
    return status;
}

static const struct uat_bench_option options[] = {
    {"--members", "N", "members of the ring", &members, NULL, 1, 100000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-switch",
    .purpose = "Generators inside a task: a bare switch, a value, a pass in a ring; other ways to switch beside them.",
    .options = options,
    .measure = measure,
    .plot = &uat_switch_plot,
};
