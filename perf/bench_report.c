/* SPDX-License-Identifier: MIT */
#include "perf/bench.h"

#include <inttypes.h>
#include <string.h>

#include "perf/report.h"

/* Every field of uat_stats_detail_t except the histogram. */
/* clang-format off */
#define FIELDS(X) \
    X(tasks) X(steal_attempts) X(victims_peeked) X(steals) X(attempts_empty) X(attempts_lost) X(steal_bytes) \
    X(steal_trips) X(claims_aborted) X(second_looks) X(published) X(taken_back) X(publications_unacknowledged) \
    X(records_missing) X(owner_waits) X(entries_aborted) X(given) X(requests_refused) X(requests_withdrawn) \
    X(continued) X(joins_first) X(joins_second) X(joins_raced) X(ends_first) X(ends_second) X(resumes_away) \
    X(evacuations) X(evacuated_bytes) X(resumed_bytes) X(stack_bytes_max) X(ops_read) X(ops_write) X(ops_fetch_add) \
    X(ops_cmp_swap) X(round_trips) X(requests_read) X(requests_write) X(requests_fetch_add) X(requests_cmp_swap) \
    X(doorbells) X(steal_ops_read) X(steal_ops_write) X(steal_ops_fetch_add) X(steal_ops_cmp_swap) \
    X(steal_requests_read) X(steal_requests_write) X(steal_requests_fetch_add) X(steal_requests_cmp_swap) \
    X(steal_doorbells) X(global_hits) X(global_misses) X(global_bytes_fetched) X(global_bytes_written) \
    X(global_releases) X(global_releases_waited) X(publications_unreleased) X(pages_touched) X(first_touches) \
    X(minor_faults) X(page_table_bytes)
/* clang-format on */
#define NAME(field) [offsetof(uat_stats_detail_t, field) / sizeof(uint64_t)] = #field,
#define ONE(field)  +1

static const char *const names[sizeof(uat_stats_detail_t) / sizeof(uint64_t)] = {
    FIELDS(NAME)}; /* NULL in the histogram */
_Static_assert(sizeof(names) / sizeof(names[0]) == 0 FIELDS(ONE) + UAT_STATS_ROUND_TRIPS, "every field is in FIELDS()");

uint64_t uat_bench_trips_median(const uat_stats_detail_t *stats)
{
    uint64_t below = 0;

    for (uint64_t trips = 0; trips < UAT_STATS_ROUND_TRIPS; trips++) {
        below += stats->trips_histogram[trips];
        if (below > 0 && 2 * below >= stats->steals)
            return trips;
    }
    return 0;
}

double uat_bench_trips_mean(const uat_stats_detail_t *stats)
{
    return stats->steals ? (double)stats->steal_trips / (double)stats->steals : 0.0;
}

double uat_bench_cycles_per_task(const struct uat_bench_report *report)
{
    const struct uat_bench_run *run = report->run;

    return run->stats.tasks ? (double)run->cycles * report->workers / (double)run->stats.tasks : 0.0;
}

static double per_second(const struct uat_bench_run *run, uint64_t number)
{
    return run->seconds > 0 ? (double)number / run->seconds : 0.0;
}

static const char *verdict(const struct uat_bench_report *report)
{
    if (!report->checked)
        return "not checked: try --seq";
    return report->correct ? "correct" : "WRONG";
}

static void report_answer(const struct uat_bench_report *report)
{
    const struct uat_bench *bench = report->bench;
    const struct uat_bench_run *run = report->run;

    uat_report_count("result", run->answer[0]);
    for (int i = 0; i < UAT_BENCH_RESULTS && bench->results[i]; i++) {
        if (strcmp(bench->results[i], "result") != 0)
            uat_report_count(bench->results[i], run->answer[i]);
        uat_report_line(bench->results[i], "%" PRIu64 "%s%s%s", run->answer[i], i ? "" : " (", i ? "" : verdict(report),
                        i ? "" : ")");
    }
    uat_report_truth("correct", report->checked ? &report->correct : NULL);
}

static void report_seconds(const struct uat_bench_report *report)
{
    const struct uat_bench_run *run = report->run;
    double speedup = run->seconds > 0 ? report->sequential_seconds / run->seconds : 0.0;
    const char *time = strcmp(uat_setting("time"), "virtual") == 0 ? " of virtual time" : "";

    uat_report_real("seconds", run->seconds);
    uat_report_real("seconds_min", report->seconds_min);
    uat_report_real("seconds_max", report->seconds_max);
    uat_report_real("seconds_mean", report->seconds_mean);
    uat_report_real("seconds_ci95", report->seconds_half);
    uat_report_count("repeat", (uint64_t)report->settings->repeat);
    if (report->settings->repeat > 1)
        uat_report_line("mean", "%.6f +- %.6f (95 %% confidence)", report->seconds_mean, report->seconds_half);
    if (report->settings->repeat > 1)
        uat_report_line("seconds", "%.6f%s (median of %" PRId64 ": %.6f to %.6f)", run->seconds, time,
                        report->settings->repeat, report->seconds_min, report->seconds_max);
    else
        uat_report_line("seconds", "%.6f%s", run->seconds, time);
    if (report->settings->sequential) {
        uat_report_real("seq_seconds", report->sequential_seconds);
        uat_report_real("speedup", speedup);
        uat_report_line("sequential", "%.6f without the runtime: speed-up %.2f", report->sequential_seconds, speedup);
    }
}

/* Report the results per second if the benchmark wants this rate, and the benchmark's own figures. */
static void report_figures(const struct uat_bench_report *report)
{
    const struct uat_bench *bench = report->bench;
    const struct uat_bench_run *run = report->run;
    char name[32];

    if (bench->rate) {
        snprintf(name, sizeof(name), "%s_per_second", bench->results[0]);
        uat_report_real(name, per_second(run, run->answer[0]));
        snprintf(name, sizeof(name), "%s/s", bench->results[0]);
        uat_report_line(name, "%.0f", per_second(run, run->answer[0]));
    }
    for (int i = 0; i < UAT_BENCH_FIGURES && bench->names[i].name; i++) {
        uat_report_real(bench->names[i].name, run->figures[i]);
        uat_report_line(bench->names[i].name, "%.6g %s", run->figures[i], bench->names[i].unit);
    }
}

static void report_tasks(const struct uat_bench_report *report)
{
    const struct uat_bench_run *run = report->run;

    uat_report_real("tsc_hz", per_second(run, run->cycles));
    uat_report_count("tasks", run->stats.tasks);
    uat_report_real("tasks_per_second", per_second(run, run->stats.tasks));
    uat_report_real("cycles_per_task", uat_bench_cycles_per_task(report));
    uat_report_line("tasks", "%" PRIu64, run->stats.tasks);
    uat_report_line("tasks/s", "%.0f", per_second(run, run->stats.tasks));
    uat_report_line("cycles/task", "%.1f", uat_bench_cycles_per_task(report));
}

static void report_steals(const uat_stats_detail_t *stats, uint64_t total)
{
    uat_report_count("steals", stats->steals);
    uat_report_count("steals_total", total);
    uat_report_count("steal_attempts", stats->steal_attempts);
    uat_report_count("round_trips_per_steal", uat_bench_trips_median(stats));
    uat_report_real("round_trips_per_steal_mean", uat_bench_trips_mean(stats));
    uat_report_count("stack_bytes_max", stats->stack_bytes_max);
    uat_report_line("steals", "%" PRIu64 " of %" PRIu64 " attempts", stats->steals, stats->steal_attempts);
    if (stats->steals)
        uat_report_line("round trips", "%" PRIu64 " in the median, %.2f in the mean, for each steal",
                        uat_bench_trips_median(stats), uat_bench_trips_mean(stats));
    uat_report_line("stack", "%" PRIu64 " bytes at most", stats->stack_bytes_max);
}

static void report_counters(const uat_stats_detail_t *stats)
{
    uat_report_object("counters");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i])
            uat_report_count(names[i], ((const uint64_t *)stats)[i]);
    uat_report_list("trips_histogram");
    for (int i = 0; i < UAT_STATS_ROUND_TRIPS; i++)
        uat_report_count(NULL, stats->trips_histogram[i]);
    uat_report_close();
    uat_report_close();
}

void uat_bench_print(const struct uat_bench_report *report)
{
    uat_report_begin(report->bench, report->settings);
    report_answer(report);
    report_seconds(report);
    report_figures(report);
    report_tasks(report);
    report_steals(&report->run->stats, report->steals_total);
    report_counters(&report->run->stats);
    uat_report_end();
}
