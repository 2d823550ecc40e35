/* SPDX-License-Identifier: MIT */
/*
 * The cost of a switch of control inside one task: uat's generators and rival libraries, in one run. The exercises are
 * from Dolan, Muralidharan and Gregg (TACO 9(4), 2013), section 7. The rivals take turns, batch by batch, so that other
 * activity of the machine affects all rivals equally.
 */
#include <errno.h>
#include <stdio.h>

#include "base/virtual.h"
#include "perf/bench.h"
#include "perf/report.h"
#include "perf/samples.h"
#include "perf/switch.h"

enum { BATCH = 10000, RIVALS_MAX = 6 };

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

static int64_t members = 503, batches = 200;

enum { BARE, GENERATOR, RING, EXERCISES };
static const struct {
    const char *key, *title;
} exercises[EXERCISES] = {
    {"switch", "one switch, nothing live"}, {"generator", "one value of a generator"}, {"ring", "one pass in a ring"}};
static struct uat_samples samples[EXERCISES][RIVALS_MAX];
_Static_assert((int)RIVALS <= (int)RIVALS_MAX, "a series for each");

/* Time one batch. Returns 0; -EPROTO if the answer is wrong; 1 if the rival does not have the exercise. */
static int run_batch(int e, int r)
{
    const struct uat_rival *rival = rivals[r];
    uint64_t answer = 0, right = 0, begin = uat_counter();
    if (e == BARE && rival->bare)
        rival->bare(BATCH);
    else if (e == GENERATOR && rival->generator) {
        answer = rival->generator(BATCH);
        right = (uint64_t)BATCH * (BATCH - 1) / 2;
    } else if (e == RING && rival->ring) {
        right = BATCH * 10;
        answer = rival->ring(members, BATCH * 10);
    } else
        return 1;
    uat_samples_add(&samples[e][r], uat_counter() - begin);
    if (answer == right)
        return 0;
    fprintf(stderr, "uat-switch: %s, %s: a wrong answer\n", rival->name, exercises[e].title);
    return -EPROTO;
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    double hz = uat_samples_tsc_hz();

    uat_report_begin(bench, settings);
    uat_report_real("tsc_hz", hz);
    for (int e = 0; e < EXERCISES; e++) {
        uat_samples_head(exercises[e].title);
        uat_report_object(exercises[e].key);
        for (int r = 0; r < RIVALS; r++) {
            uat_samples_sort(&samples[e][r]);
            if (samples[e][r].count > 0)
                uat_samples_report(&samples[e][r], hz);
        }
        uat_report_close();
    }
    uat_report_object("bytes_saved");
    for (int r = 0; r < RIVALS; r++)
        if (rivals[r]->saved) {
            uat_report_count(rivals[r]->name, rivals[r]->saved());
            uat_report_line("bytes saved", "%zu by a switch of %s", rivals[r]->saved(), rivals[r]->name);
        }
    uat_report_close();
    uat_report_line("samples", "are means over batches of %d", BATCH);
    uat_report_end();
}

static int open_samples(void)
{
    int status = 0;
    for (int e = 0; e < EXERCISES; e++)
        for (int r = 0; r < RIVALS && status == 0; r++) {
            status = uat_samples_open(&samples[e][r], rivals[r]->name, (size_t)batches);
            /* A round trip is two switches. The ring's batches are ten times as long, because each batch builds the
             * ring. */
            samples[e][r].divisor = e == BARE ? 2 * BATCH : e == RING ? 10 * BATCH : BATCH;
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
    for (int64_t batch = 0; batch < batches && status >= 0; batch++)
        for (int e = 0; e < EXERCISES && status >= 0; e++)
            for (int r = 0; r < RIVALS && status >= 0; r++)
                status = run_batch(e, r);
    if (status >= 0) {
        report(bench, settings);
        status = 0;
    }
    for (int e = 0; e < EXERCISES; e++)
        for (int r = 0; r < RIVALS; r++)
            uat_samples_close(&samples[e][r]);
    return status;
}

static const struct uat_bench_option options[] = {
    {"--members", "N", "members of the ring", &members, NULL, 1, 100000},
    {"--batches", "N", "samples of each exercise", &batches, NULL, 1, 1000000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-switch",
    .purpose = "Generators inside a task: a bare switch, a value, a pass in a ring; other ways to switch beside them.",
    .options = options,
    .measure = measure,
};
