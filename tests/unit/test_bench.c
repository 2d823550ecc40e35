/* SPDX-License-Identifier: MIT */
/*
 * Description: the parts that all benchmarks share. The command line is parsed, and every kind of mistake prints one
 * line. Figures are computed from counters. The measured time does not contain pauses, in a job of one worker.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf/bench.h"
#include "perf/progress.h"
#include "perf/samples.h"
#include "tests/test.h"

#define ARGUMENTS_MAX 16

static int64_t number, depth;
static double share;
static const char *file;

static const char *refuse(void)
{
    return depth == 13 ? "not 13" : NULL;
}

static const struct uat_bench_option options[] = {
    {NULL, "N", "a number", &number, NULL, 0, 50},
    {"-d", "DEPTH", "a depth", &depth, NULL, -5, 20},
    {"-q", "Q", "a share", NULL, &share, 0, 1},
    {0},
};

static const struct uat_bench bench = {.program = "prog",
                                       .purpose = "",
                                       .options = options,
                                       .refuse = refuse,
                                       .text = {"--file", "FILE", "a file", &file}};

/* Parse a command line, given without the program's name and ended by NULL. */
static int parse(const char *const *arguments, struct uat_bench_settings *settings, char *error, size_t error_size)
{
    char *argv[ARGUMENTS_MAX] = {(char *)"prog"};
    int argc = 1;

    for (; arguments[argc - 1]; argc++) {
        assert_true(argc < ARGUMENTS_MAX - 1);
        argv[argc] = (char *)arguments[argc - 1];
    }
    number = depth = 7;
    share = 0.5;
    error[0] = '\0';
    return uat_bench_parse(&bench, argc, argv, settings, error, error_size);
}

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(values)
{
    struct uat_bench_settings settings;
    char error[256];

    assert_int_equal(
        parse(LINE("-q", "0.25", "42", "--seq", "--file", "-d", "-d", "-3", "--repeat", "9"), &settings, error, 256),
        0);
    assert_int_equal(number, 42);
    assert_int_equal(depth, -3);
    assert_string_equal(file, "-d");
    assert_true(share == 0.25);
    assert_true(settings.sequential);
    assert_false(settings.json);
    assert_int_equal(settings.repeat, 9);
    assert_string_equal(settings.args, "-q 0.25 42 -d -3");
}

TEST(defaults)
{
    struct uat_bench_settings settings;
    char error[256];

    assert_int_equal(parse(LINE("0", "--json"), &settings, error, sizeof(error)), 0);
    assert_int_equal(number, 0);
    assert_int_equal(depth, 7);
    assert_true(settings.json);
    assert_false(settings.sequential);
    assert_int_equal(settings.repeat, 1);
}

static void assert_refused(const char *const *arguments, const char *expected)
{
    struct uat_bench_settings settings;
    char error[256];

    assert_int_equal(parse(arguments, &settings, error, sizeof(error)), -EINVAL);
    assert_string_equal(error, expected);
}

TEST(mistakes)
{
    assert_refused(LINE("--seq"), "prog: N is missing; see prog --help");
    assert_refused(LINE("51"), "prog: N cannot be '51'; give an integer from 0 to 50");
    assert_refused(LINE("5x"), "prog: N cannot be '5x'; give an integer from 0 to 50");
    assert_refused(LINE(""), "prog: N cannot be ''; give an integer from 0 to 50");
    assert_refused(LINE("1e1"), "prog: N cannot be '1e1'; give an integer from 0 to 50");
    assert_refused(LINE("5", "6"), "prog: unknown argument '6'; see prog --help");
    assert_refused(LINE("5", "-x"), "prog: unknown argument '-x'; see prog --help");
    assert_refused(LINE("5", "-d"), "prog: -d needs a value; see prog --help");
    assert_refused(LINE("5", "--file"), "prog: --file needs a value; see prog --help");
    assert_refused(LINE("5", "-d", "-6"), "prog: -d cannot be '-6'; give an integer from -5 to 20");
    assert_refused(LINE("5", "-q", "nan"), "prog: -q cannot be 'nan'; give a number from 0 to 1");
    assert_refused(LINE("5", "-q", "1.01"), "prog: -q cannot be '1.01'; give a number from 0 to 1");
    assert_refused(LINE("5", "--repeat", "0"), "prog: --repeat cannot be '0'; give an integer from 1 to 1000");
    assert_refused(LINE("5", "-d", "13"), "prog: not 13");
}

TEST(help_wins)
{
    struct uat_bench_settings settings;
    char error[256];

    assert_int_equal(parse(LINE("-d", "99", "--help"), &settings, error, sizeof(error)), 0);
    assert_true(settings.help);
    assert_int_equal(depth, 7); /* --help shows it as the default */
}

TEST(trips)
{
    uat_stats_detail_t stats = {0};

    assert_int_equal(uat_bench_trips_median(&stats), 0);
    assert_true(uat_bench_trips_mean(&stats) == 0.0);
    stats.trips_histogram[2] = 3;
    stats.trips_histogram[3] = 1;
    stats.trips_histogram[4] = 4;
    stats.steals = 8;
    stats.steal_trips = 3 * 2 + 3 + 4 * 4;
    assert_int_equal(uat_bench_trips_median(&stats), 3);
    assert_true(uat_bench_trips_mean(&stats) == 25.0 / 8.0);
    stats.trips_histogram[2] = 4;
    stats.trips_histogram[4] = 3;
    assert_int_equal(uat_bench_trips_median(&stats), 2);
}

TEST(cycles)
{
    struct uat_bench_run run = {.cycles = 1000, .stats = {.tasks = 40}};
    struct uat_bench_report report = {.workers = 2, .run = &run};

    assert_true(uat_bench_cycles_per_task(&report) == 50.0);
    run.stats.tasks = 0;
    assert_true(uat_bench_cycles_per_task(&report) == 0.0);
}

TEST(progress)
{
    struct uat_progress_sum
        first = {.workers = 4, .heard = 1, .seconds = 0.25},
        now = {.workers = 4, .heard = 4, .seconds = 2.25, .tasks = 2460000, .steals = 1, .looks = 400, .idle = 100},
        later = now;
    char line[200];

    uat_progress_line("prog", &first, NULL, line, sizeof(line));
    assert_string_equal(line, "prog: 0.2 s, 4 workers (1 heard from), 0 tasks (0/s), 0 steals");
    uat_progress_line("prog", &now, &first, line, sizeof(line));
    assert_string_equal(line, "prog: 2.2 s, 4 workers, 2.46 M tasks (1.23 M/s), 1 steal, idle 25 %");
    later.seconds += 1;
    later.tasks += 999;
    later.looks += 100;
    later.idle += 100;
    uat_progress_line("prog", &later, &now, line, sizeof(line));
    assert_string_equal(line, "prog: 3.2 s, 4 workers, 2.46 M tasks (999/s), 1 steal, idle 100 %");
}

enum { PAUSE_MS = 200, RUN_MS = 50, TASKS = 10, PAUSED_TASKS = 1000 };

static void nap(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};

    nanosleep(&time, NULL);
}

UAT_TASK(uint64_t, leaf, uint64_t, i)
{
    return i;
}

UAT_TASK(uint64_t, many, uint64_t, tasks)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < tasks; i++) {
        leaf_task task;
        leaf_spawn(&task, i);
        sum += leaf_join(&task);
    }
    return sum;
}

/* A run with two pauses: one in the middle, and one that is still open when the run ends. Tasks run during both. */
static int paused_run(uint64_t *answer)
{
    uint64_t other;

    assert_int_equal(many_run(answer, TASKS), 0);
    double before = uat_bench_seconds();
    uat_bench_pause();
    double paused = uat_bench_seconds();
    nap(PAUSE_MS);
    assert_int_equal(many_run(&other, PAUSED_TASKS), 0);
    assert_true(uat_bench_seconds() == paused && paused >= before);
    uat_bench_resume();
    nap(RUN_MS);
    assert_true(uat_bench_seconds() >= paused + 1e-3 * RUN_MS);
    uat_bench_pause();
    nap(PAUSE_MS);
    assert_int_equal(many_run(&other, PAUSED_TASKS), 0);
    return 0;
}

static int paused_sequential(uint64_t *answer)
{
    uat_bench_pause();
    nap(PAUSE_MS);
    uat_bench_resume();
    nap(RUN_MS);
    *answer = TASKS * (TASKS - 1) / 2;
    return 0;
}

/* Call uat_bench_main(). Returns the report that it prints. *seconds gets the duration of the call. */
static json_object *report_of(const struct uat_bench *paused, double *seconds)
{
    char text[16384] = "";
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);
    uint64_t begin;

    assert_non_null(file);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    begin = uat_time_ns();
    assert_int_equal(uat_bench_main(paused, 3, (char *[]){(char *)"prog", (char *)"--json", (char *)"--seq", NULL}), 0);
    *seconds = 1e-9 * (double)(uat_time_ns() - begin);
    dup2(out, STDOUT_FILENO);
    close(out);
    rewind(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    return json_tokener_parse(text);
}

static double figure(json_object *report, const char *key)
{
    json_object *value;

    assert_true(json_object_object_get_ex(report, key, &value));
    return json_object_get_double(value);
}

/* These bounds also hold on a busy machine: the measured time plus the pauses must not exceed the total time. */
TEST(pauses)
{
    static const struct uat_bench_option none = {0};
    const struct uat_bench paused = {
        .program = "prog", .options = &none, .results = {"sum"}, .run = paused_run, .sequential = paused_sequential};
    double whole, seconds;

    json_object *report = report_of(&paused, &seconds);
    whole = figure(report, "seconds") + figure(report, "seq_seconds");
    assert_true(figure(report, "seconds") >= 1e-3 * RUN_MS && figure(report, "seq_seconds") >= 1e-3 * RUN_MS);
    assert_true(whole <= seconds - 3e-3 * PAUSE_MS);
    assert_int_equal(figure(report, "tasks"), TASKS + 1); /* the root counts as a task */
    double hz = uat_samples_tsc_hz(), found = figure(report, "tsc_hz");
    assert_true(found > hz / 2 && found < 2 * hz); /* with the pauses it would be nine times as much */
    json_object_put(report);
}

static int failing_sequential(uint64_t *answer)
{
    return -ENOMEM;
}

/* Runs as a separate program, because a process can take part in only one job. */
static int run_failing(void)
{
    static const struct uat_bench_option none = {0};
    const struct uat_bench failing = {
        .program = "prog", .options = &none, .results = {"sum"}, .run = paused_run, .sequential = failing_sequential};

    return uat_bench_main(&failing, 2, (char *[]){(char *)"prog", (char *)"--seq", NULL});
}

/* If a sequential run fails, the message must say so, and must not call the answer wrong. */
TEST(sequential_failure)
{
    char own[256] = "", command[300], line[256] = "", more[256];

    assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
    snprintf(command, sizeof(command), "'%s' failing 2>&1", own);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    assert_non_null(fgets(line, sizeof(line), out));
    assert_null(fgets(more, sizeof(more), out));
    assert_int_equal(pclose(out), 1 << 8);
    assert_string_equal(line, "prog: the sequential run failed: Cannot allocate memory\n");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "failing") == 0)
        return run_failing();
    return tests_run();
}
