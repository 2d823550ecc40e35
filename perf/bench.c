/* SPDX-License-Identifier: MIT */
#include "perf/bench.h"
#include "perf/progress.h"
#include "perf/tsc.h"
#include "base/meeting.h"
#include "inspect/inspect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One execution of a benchmark. */
struct job {
    const struct uat_bench *bench;
    struct uat_bench_settings settings;
    struct uat_bench_run *runs;
    double *sequential_seconds;
    bool known;
    uint64_t expected[UAT_BENCH_RESULTS];
    bool correct;
    bool too_large; /* the memory is too small for the input; rank 0 has reported this, and all workers know it */
};

/* The current run. A pause moves the run's start to a later time by the length of the pause. What counters rise by
 * during a pause is left out. */
static struct {
    struct uat_moment start, paused_at;
    uat_stats_detail_t counted, counted_at; /* counted: the counters before the run; counted_at: before the pause */
    bool paused, alone;                     /* alone: no runtime, no counters */
    int status;                             /* the first error while reading the counters */
} present;

#define MINUS UINT64_MAX /* -1 in unsigned arithmetic */

/* Add (factor 1) or subtract (factor MINUS). uat_stats_detail_t consists of 64-bit words only. */
static void add_stats(uat_stats_detail_t *stats, const uat_stats_detail_t *more, uint64_t factor)
{
    uint64_t *words = (uint64_t *)stats;

    for (size_t i = 0; i < sizeof(*stats) / sizeof(*words); i++)
        words[i] += factor * ((const uint64_t *)more)[i];
}

/* If there is a runtime, read the counters, except that of the stack. Keeps the first error. */
static void count(uat_stats_detail_t *stats)
{
    int status = present.alone ? 0 : uat_inspect_counters_total(stats);

    if (!present.status)
        present.status = status;
}

static void start_clock(bool alone)
{
    memset(&present, 0, sizeof(present));
    present.alone = alone;
    count(&present.counted);
    if (!alone && !present.status)
        present.status = uat_barrier();
    present.start = uat_moment_now();
}

void uat_bench_pause(void)
{
    present.paused_at = uat_moment_now();
    present.paused = true;
    count(&present.counted_at);
}

void uat_bench_resume(void)
{
    uat_stats_detail_t now = {0};
    struct uat_moment end;

    count(&now);
    if (!present.alone && !present.status)
        present.status = uat_barrier();
    add_stats(&present.counted, &now, 1);
    add_stats(&present.counted, &present.counted_at, MINUS);
    end = uat_moment_now();
    present.start.seconds += end.seconds - present.paused_at.seconds;
    present.start.cycles += end.cycles - present.paused_at.cycles;
    present.paused = false;
}

static struct uat_moment now_or_paused(void)
{
    return present.paused ? present.paused_at : uat_moment_now();
}

double uat_bench_seconds(void)
{
    return now_or_paused().seconds - present.start.seconds;
}

/* Compare an answer with the expected one, and report what differs. */
static void check(struct job *job, const uint64_t *answer, const char *whose, int64_t number)
{
    const struct uat_bench *bench = job->bench;

    for (int i = 0; i < UAT_BENCH_RESULTS && bench->results[i]; i++) {
        if (answer[i] == job->expected[i])
            continue;
        job->correct = false;
        fprintf(stderr, "%s: wrong answer on rank %d: %s %lld of %lld: %s is %llu and should be %llu\n", bench->program,
                uat_rank(), whose, (long long)number + 1, (long long)job->settings.repeat, bench->results[i],
                (unsigned long long)answer[i], (unsigned long long)job->expected[i]);
    }
}

/* Compare an answer with the right one. If the right answer is unknown, take the first answer as right. */
static void check_or_learn(struct job *job, const uint64_t *answer, const char *whose, int64_t number, bool *have)
{
    if (*have)
        check(job, answer, whose, number);
    else
        memcpy(job->expected, answer, sizeof(job->expected));
    *have = true;
}

static int run_sequential(struct job *job, bool *have)
{
    int status = 0;

    for (int64_t i = 0; i < job->settings.repeat && !status; i++) {
        uint64_t answer[UAT_BENCH_RESULTS] = {0};

        start_clock(true);
        status = job->bench->sequential(answer);
        job->sequential_seconds[i] = uat_bench_seconds();
        if (!status)
            check_or_learn(job, answer, "sequential run", i, have);
    }
    if (status)
        fprintf(stderr, "%s: the sequential run failed: %s\n", job->bench->program, strerror(-status));
    return status;
}

static int run_once(const struct job *job, struct uat_bench_run *run)
{
    int status;

    start_clock(false);
    status = present.status ? present.status : job->bench->run(run->answer);
    if (!status) {
        if (!present.paused)
            uat_bench_pause();
        status = present.status;
    }
    if (status < 0)
        return status;
    run->seconds = present.paused_at.seconds - present.start.seconds;
    run->cycles = present.paused_at.cycles - present.start.cycles;
    run->stats = present.counted_at;
    add_stats(&run->stats, &present.counted, MINUS);
    return 0;
}

/* Measure how deep the stacks have been. Over verbs this measurement takes long, so the program does it only once,
 * after all runs. */
static int measure_stacks(struct job *job)
{
    uat_stats_t all;
    int status = uat_stats_total(&all);

    for (int64_t i = 0; i < job->settings.repeat && !status; i++)
        job->runs[i].stats.stack_bytes_max = all.stack_bytes_max;
    return status;
}

/* Run the application's own check of its result, and copy the application's figures. */
static int verify(struct job *job, struct uat_bench_run *run)
{
    const struct uat_bench *bench = job->bench;
    bool correct = true;
    int status = bench->verify ? bench->verify(&correct) : 0;

    job->correct &= correct;
    if (bench->figures)
        memcpy(run->figures, bench->figures, sizeof(run->figures));
    return status;
}

int uat_compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* struct uat_bench_run starts with its seconds, so one comparison sorts both arrays. */
_Static_assert(offsetof(struct uat_bench_run, seconds) == 0, "uat_compare_reals() reads the first field");

/* Half of the 95 % confidence interval of the mean of `count` values (Student 1908). */
static double confidence_of(const struct uat_bench_run *runs, size_t count, double mean)
{
    /* the two-sided quantiles for 1, 2, ... degrees of freedom; 1.96 is the normal distribution's */
    static const double quantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                       2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                       2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    const size_t known = sizeof(quantiles) / sizeof(quantiles[0]);
    double squares = 0;

    if (count < 2)
        return 0;
    for (size_t i = 0; i < count; i++)
        squares += (runs[i].seconds - mean) * (runs[i].seconds - mean);
    double quantile = count - 2 < known ? quantiles[count - 2] : 1.96;
    return quantile * sqrt(squares / (double)(count - 1) / (double)count);
}

static int flush_report(const struct uat_bench *bench)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "%s: cannot write the report: %s\n", bench->program, strerror(errno));
    return -EIO;
}

static int report(struct job *job, bool checked)
{
    size_t repeat = (size_t)job->settings.repeat, median = (repeat - 1) / 2;
    struct uat_bench_report report = {
        .bench = job->bench,
        .settings = &job->settings,
        .workers = uat_size(),
        .checked = checked,
        .correct = job->correct,
    };

    for (size_t i = 0; i < repeat; i++)
        report.steals_total += job->runs[i].stats.steals;
    for (size_t i = 0; i < repeat; i++)
        report.seconds_mean += job->runs[i].seconds / (double)repeat;
    report.seconds_half = confidence_of(job->runs, repeat, report.seconds_mean);
    qsort(job->runs, repeat, sizeof(job->runs[0]), uat_compare_reals);
    qsort(job->sequential_seconds, repeat, sizeof(double), uat_compare_reals);
    report.run = &job->runs[median];
    report.seconds_min = job->runs[0].seconds;
    report.seconds_max = job->runs[repeat - 1].seconds;
    report.sequential_seconds = job->sequential_seconds[median];
    uat_bench_print(&report);
    return flush_report(job->bench);
}

/* Do all runs and check each. Collective. Returns 0 or a negative errno. */
static int run_all(struct job *job)
{
    bool have = job->known, first = uat_rank() == 0;
    int status = job->bench->prepare ? job->bench->prepare() : 0;

    job->too_large = status == -ENOMEM;
    if (!status && first && job->settings.sequential)
        status = run_sequential(job, &have);
    for (int64_t i = 0; i < job->settings.repeat && !status; i++) {
        status = run_once(job, &job->runs[i]);
        if (!status) {
            check_or_learn(job, job->runs[i].answer, "run", i, &have);
            status = verify(job, &job->runs[i]);
        }
    }
    if (!status)
        status = measure_stacks(job);
    if (!status && job->bench->finish)
        status = job->bench->finish();
    return status;
}

/* Between uat_init() and uat_finalize(): run, check, report. Collective. Returns 0 or a negative errno. */
static int measure(struct job *job)
{
    bool comparable = job->known || job->bench->verify || job->settings.sequential || job->settings.repeat > 1;
    bool terminal = !job->settings.json && !job->settings.quiet; /* the same on all ranks */
    int status;

    if (terminal)
        uat_progress_begin(job->bench->program);
    status = run_all(job);
    if (terminal)
        uat_progress_end();
    if (!status && uat_rank() == 0)
        status = report(job, comparable);
    return status;
}

/* Print and exit. In a job, only rank 0 prints. A process without a launcher prints without starting the runtime. */
static int speak_and_exit(const struct job *job, const char *error)
{
    bool launched = getenv(UAT_MEETING_VARIABLE) || getenv("PMIX_NAMESPACE");

    if (launched && uat_init() < 0)
        return 1;
    if (uat_rank() == 0) {
        if (error[0])
            fprintf(stderr, "%s\n", error);
        else
            uat_bench_help(job->bench, stdout);
    }
    if (launched && uat_finalize() < 0)
        return 1;
    return error[0] ? 2 : 0;
}

static int run_job(struct job *job)
{
    int status = uat_init();

    if (!status)
        status = measure(job);
    if (job->too_large && uat_barrier() == 0) /* all workers finalize, so that no abort is reported */
        uat_finalize();
    else if (!status)
        status = uat_finalize();
    return !status && job->correct ? 0 : 1;
}

static int run_micro(const struct job *job)
{
    int status = uat_init();

    if (status < 0)
        return 1;
    status = job->bench->measure(job->bench, &job->settings);
    if (!status && uat_rank() == 0)
        status = flush_report(job->bench);
    if (!status)
        status = uat_finalize();
    else if ((status == -EINVAL || status == UAT_BENCH_NO_ARRAY) && uat_barrier() == 0) /* all workers finalize */
        return uat_finalize() == 0 && status == -EINVAL ? 2 : 1;
    return !status ? 0 : 1;
}

int uat_bench_main(const struct uat_bench *bench, int argc, char **argv)
{
    struct job job = {.bench = bench, .correct = true};
    char error[256] = "";
    int status = 1;

    if (uat_bench_parse(bench, argc, argv, &job.settings, error, sizeof(error)) < 0 || job.settings.help)
        return speak_and_exit(&job, error);
    if (bench->measure)
        return run_micro(&job);
    job.known = bench->known && bench->known(job.expected);
    job.runs = calloc((size_t)job.settings.repeat, sizeof(*job.runs));
    job.sequential_seconds = calloc((size_t)job.settings.repeat, sizeof(double));
    if (job.runs && job.sequential_seconds)
        status = run_job(&job);
    else
        fprintf(stderr, "%s: no memory for %lld runs; give a smaller --repeat\n", bench->program,
                (long long)job.settings.repeat);
    free(job.sequential_seconds);
    free(job.runs);
    return status;
}
