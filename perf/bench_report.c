/* SPDX-License-Identifier: MIT */
#include "perf/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>

#define COUNTER(field) #field, offsetof(uat_stats_t, field)

/* Every field of uat_stats_t but the histogram. */
static const struct counter {
    const char *name;
    size_t offset;
} counters[] = {
    {COUNTER(tasks)},
    {COUNTER(steal_attempts)},
    {COUNTER(victims_peeked)},
    {COUNTER(steals)},
    {COUNTER(steals_empty)},
    {COUNTER(steals_lost)},
    {COUNTER(steal_bytes)},
    {COUNTER(steal_trips)},
    {COUNTER(claims_aborted)},
    {COUNTER(second_looks)},
    {COUNTER(published)},
    {COUNTER(taken_back)},
    {COUNTER(withheld)},
    {COUNTER(records_missing)},
    {COUNTER(owner_waits)},
    {COUNTER(entries_aborted)},
    {COUNTER(given)},
    {COUNTER(requests_refused)},
    {COUNTER(requests_withdrawn)},
    {COUNTER(continued)},
    {COUNTER(joins_first)},
    {COUNTER(joins_second)},
    {COUNTER(joins_raced)},
    {COUNTER(ends_first)},
    {COUNTER(ends_second)},
    {COUNTER(resumes_away)},
    {COUNTER(evacuations)},
    {COUNTER(evacuated_bytes)},
    {COUNTER(resumed_bytes)},
    {COUNTER(stack_bytes_max)},
    {COUNTER(ops_read)},
    {COUNTER(ops_write)},
    {COUNTER(ops_fetch_add)},
    {COUNTER(ops_cmp_swap)},
    {COUNTER(round_trips)},
    {COUNTER(requests_read)},
    {COUNTER(requests_write)},
    {COUNTER(requests_fetch_add)},
    {COUNTER(requests_cmp_swap)},
    {COUNTER(doorbells)},
    {COUNTER(steal_ops_read)},
    {COUNTER(steal_ops_write)},
    {COUNTER(steal_ops_fetch_add)},
    {COUNTER(steal_ops_cmp_swap)},
    {COUNTER(steal_requests_read)},
    {COUNTER(steal_requests_write)},
    {COUNTER(steal_requests_fetch_add)},
    {COUNTER(steal_requests_cmp_swap)},
    {COUNTER(steal_doorbells)},
    {COUNTER(global_hits)},
    {COUNTER(global_misses)},
    {COUNTER(global_bytes_fetched)},
    {COUNTER(global_bytes_written)},
    {COUNTER(global_releases)},
    {COUNTER(global_releases_waited)},
    {COUNTER(publications_withheld)},
};

#define COUNTERS (sizeof(counters) / sizeof(counters[0]))
_Static_assert(sizeof(uat_stats_t) == (COUNTERS + UAT_STATS_ROUND_TRIPS) * sizeof(uint64_t),
               "every field of uat_stats_t has its line in counters[]");

uint64_t uat_bench_trips_median(const uat_stats_t *stats)
{
    uint64_t below = 0;

    for (uint64_t trips = 0; trips < UAT_STATS_ROUND_TRIPS; trips++) {
        below += stats->trips_histogram[trips];
        if (below > 0 && 2 * below >= stats->steals)
            return trips;
    }
    return 0;
}

double uat_bench_trips_mean(const uat_stats_t *stats)
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

static const char *setting(const char *name)
{
    const char *text = uat_setting(name);

    return text ? text : "";
}

static const char *verdict(const struct uat_bench_report *report)
{
    if (!report->checked)
        return "not checked: try --seq";
    return report->correct ? "correct" : "WRONG";
}

static void print_steals(const uat_stats_t *stats, FILE *out)
{
    fprintf(out, "  %-12s %" PRIu64 " of %" PRIu64 " attempts\n", "steals", stats->steals, stats->steal_attempts);
    if (stats->steals)
        fprintf(out, "  %-12s %" PRIu64 " in the median, %.2f in the mean, for each steal\n", "round trips",
                uat_bench_trips_median(stats), uat_bench_trips_mean(stats));
    fprintf(out, "  %-12s %" PRIu64 " bytes at most\n", "stack", stats->stack_bytes_max);
}

static void print_seconds(const struct uat_bench_report *report, FILE *out)
{
    const struct uat_bench_settings *settings = report->settings;
    const struct uat_bench_run *run = report->run;

    fprintf(out, "  %-12s %.6f%s", "seconds", run->seconds, setting("time")[0] == 'v' ? " of virtual time" : "");
    if (settings->repeat > 1)
        fprintf(out, " (median of %" PRId64 ": %.6f to %.6f)", settings->repeat, report->seconds_min,
                report->seconds_max);
    fprintf(out, "\n");
    if (settings->sequential)
        fprintf(out, "  %-12s %.6f without the runtime: speed-up %.2f\n", "sequential", report->sequential_seconds,
                run->seconds > 0 ? report->sequential_seconds / run->seconds : 0.0);
}

void uat_bench_print_settings(const struct uat_bench *bench, const struct uat_bench_settings *settings, FILE *out)
{
    fprintf(out, "%s %s\n", bench->program, settings->args);
    fprintf(out, "  %-12s %d\n", "workers", uat_size());
    fprintf(out, "  %-12s %s (%s)\n", "transport", setting("transport"), setting("transport_reason"));
    fprintf(out, "  %-12s %s\n", "deque", setting("deque"));
}

void uat_bench_print_table(const struct uat_bench_report *report, FILE *out)
{
    const struct uat_bench *bench = report->bench;
    const struct uat_bench_run *run = report->run;
    char label[24];

    uat_bench_print_settings(bench, report->settings, out);
    for (int i = 0; i < UAT_BENCH_RESULTS && bench->results[i]; i++)
        fprintf(out, "  %-12s %" PRIu64 "%s%s%s\n", bench->results[i], run->answer[i], i ? "" : " (",
                i ? "" : verdict(report), i ? "" : ")");
    print_seconds(report, out);
    if (bench->rate) {
        snprintf(label, sizeof(label), "%s/s", bench->results[0]);
        fprintf(out, "  %-12s %.0f\n", label, per_second(run, run->answer[0]));
    }
    for (int i = 0; i < UAT_BENCH_FIGURES && bench->names[i].name; i++)
        fprintf(out, "  %-12s %.6g %s\n", bench->names[i].name, run->figures[i], bench->names[i].unit);
    fprintf(out, "  %-12s %" PRIu64 "\n", "tasks", run->stats.tasks);
    fprintf(out, "  %-12s %.0f\n", "tasks/s", per_second(run, run->stats.tasks));
    fprintf(out, "  %-12s %.1f\n", "cycles/task", uat_bench_cycles_per_task(report));
    print_steals(&run->stats, out);
}

/* json-c takes over the value, also when it has no memory for the key; a value it could not make is NULL. */
void uat_bench_add(json_object *object, const char *key, json_object *value, int *status)
{
    if (!value || json_object_object_add(object, key, value) < 0)
        *status = -ENOMEM;
}

static void add_uint(json_object *object, const char *key, uint64_t value, int *status)
{
    uat_bench_add(object, key, json_object_new_uint64(value), status);
}

static void add_real(json_object *object, const char *key, double value, int *status)
{
    uat_bench_add(object, key, json_object_new_double(value), status);
}

static void add_text(json_object *object, const char *key, const char *value, int *status)
{
    uat_bench_add(object, key, json_object_new_string(value), status);
}

static void add_counters(json_object *object, const uat_stats_t *stats, int *status)
{
    json_object *all = json_object_new_object(), *histogram = json_object_new_array();

    uat_bench_add(object, "counters", all, status);
    if (!all || !histogram) {
        *status = -ENOMEM;
        json_object_put(histogram);
        return;
    }
    for (size_t i = 0; i < COUNTERS; i++)
        add_uint(all, counters[i].name, *(const uint64_t *)((const char *)stats + counters[i].offset), status);
    for (int i = 0; i < UAT_STATS_ROUND_TRIPS; i++)
        if (json_object_array_add(histogram, json_object_new_uint64(stats->trips_histogram[i])) < 0)
            *status = -ENOMEM;
    uat_bench_add(all, "trips_histogram", histogram, status);
}

static void add_answer(json_object *object, const struct uat_bench_report *report, int *status)
{
    const struct uat_bench *bench = report->bench;
    const struct uat_bench_run *run = report->run;
    char key[32];

    add_uint(object, "result", run->answer[0], status);
    for (int i = 0; i < UAT_BENCH_RESULTS && bench->results[i]; i++)
        add_uint(object, bench->results[i], run->answer[i], status);
    if (report->checked)
        uat_bench_add(object, "correct", json_object_new_boolean(report->correct), status);
    else if (json_object_object_add(object, "correct", NULL) < 0)
        *status = -ENOMEM;
    for (int i = 0; i < UAT_BENCH_FIGURES && bench->names[i].name; i++)
        add_real(object, bench->names[i].name, run->figures[i], status);
    if (bench->rate) {
        snprintf(key, sizeof(key), "%s_per_second", bench->results[0]);
        add_real(object, key, per_second(run, run->answer[0]), status);
    }
}

static void add_time(json_object *object, const struct uat_bench_report *report, int *status)
{
    const struct uat_bench_run *run = report->run;

    add_real(object, "seconds", run->seconds, status);
    add_real(object, "seconds_min", report->seconds_min, status);
    add_real(object, "seconds_max", report->seconds_max, status);
    uat_bench_add(object, "repeat", json_object_new_int64(report->settings->repeat), status);
    add_real(object, "tsc_hz", per_second(run, run->cycles), status);
    add_uint(object, "tasks", run->stats.tasks, status);
    add_real(object, "tasks_per_second", per_second(run, run->stats.tasks), status);
    add_real(object, "cycles_per_task", uat_bench_cycles_per_task(report), status);
    if (report->settings->sequential) {
        add_real(object, "seq_seconds", report->sequential_seconds, status);
        add_real(object, "speedup", run->seconds > 0 ? report->sequential_seconds / run->seconds : 0.0, status);
    }
}

void uat_bench_add_settings(json_object *object, const struct uat_bench *bench,
                            const struct uat_bench_settings *settings, int *status)
{
    static const char *const names[] = {"transport", "transport_reason", "deque", "torture", "time", "launcher"};

    add_text(object, "program", bench->program, status);
    add_text(object, "args", settings->args, status);
    uat_bench_add(object, "workers", json_object_new_int(uat_size()), status);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add_text(object, names[i], setting(names[i]), status);
}

int uat_bench_print_object(json_object *object, int status, FILE *out)
{
    const char *text = object && !status ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN) : NULL;

    if (text)
        fprintf(out, "%s\n", text);
    else
        fprintf(stderr, "%s: no memory for the report\n", program_invocation_short_name);
    json_object_put(object);
    return text ? 0 : -ENOMEM;
}

int uat_bench_print_json(const struct uat_bench_report *report, FILE *out)
{
    const uat_stats_t *stats = &report->run->stats;
    json_object *object = json_object_new_object();
    int status = 0;

    if (!object)
        return uat_bench_print_object(NULL, -ENOMEM, out);
    uat_bench_add_settings(object, report->bench, report->settings, &status);
    add_answer(object, report, &status);
    add_time(object, report, &status);
    add_uint(object, "steals", stats->steals, &status);
    add_uint(object, "steals_total", report->steals_total, &status);
    add_uint(object, "steal_attempts", stats->steal_attempts, &status);
    add_uint(object, "round_trips_per_steal", uat_bench_trips_median(stats), &status);
    add_real(object, "round_trips_per_steal_mean", uat_bench_trips_mean(stats), &status);
    add_uint(object, "stack_bytes_max", stats->stack_bytes_max, &status);
    add_counters(object, stats, &status);
    return uat_bench_print_object(object, status, out);
}
