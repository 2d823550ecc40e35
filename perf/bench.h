/* SPDX-License-Identifier: MIT */
/*
 * What the benchmarks have in common: command line, timing, checking of the answer, table and JSON.
 * A program describes itself in one struct uat_bench and hands over to uat_bench_main().
 */
#ifndef UAT_BENCH_H
#define UAT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "uat.h"

#ifdef __cplusplus
extern "C" {
#endif

#define UAT_BENCH_RESULTS    3 /* numbers an answer has at most */
#define UAT_BENCH_FIGURES    6 /* further numbers of a run, at most */
#define UAT_BENCH_REPEAT_MAX 1000
#define UAT_BENCH_NO_ARRAY   1 /* what measure() returns when an array has been refused */

/* One number of the command line: an integer or a real one, in a range. */
struct uat_bench_option {
    const char *flag; /* "-d"; NULL: the argument that has no flag and must be given */
    const char *name; /* "DEPTH" */
    const char *meaning;
    int64_t *integer; /* where the value goes; its value before is the default */
    double *real;     /* ... if it is a real number: exactly one of the two is set */
    double least;
    double most;
};

struct uat_bench_settings;
struct uat_plot;

/* A real number of a run, for the report: its name there, and the unit behind it. */
struct uat_bench_figure {
    const char *name;
    const char *unit;
};

struct uat_bench {
    const char *program;
    const char *purpose;
    const struct uat_bench_option *options; /* ends with one whose meaning is NULL */
    const char *results[UAT_BENCH_RESULTS]; /* names of the answer's numbers; NULL after the last */
    bool rate;                              /* report the first number per second, too */

    /* Look at all values together: NULL, or what is wrong with them. May itself be NULL. */
    const char *(*refuse)(void);
    /* The answer, if it is known without running anything. */
    bool (*known)(uint64_t *answer); /* may be NULL */
    /* Collective: find the answer with the runtime. Returns 0 or a negative errno. */
    int (*run)(uint64_t *answer);
    /* The same algorithm without the runtime, on rank 0. Returns 0 or a negative errno, which is reported for it. */
    int (*sequential)(uint64_t *answer);
    /*
     * What an application has besides; each may be NULL. All are collective, their time does not count, and they return
     * 0 or a negative errno, reported.
     */
    int (*prepare)(void);         /* once, before the first run: make the input */
    int (*verify)(bool *correct); /* after a run: is its result right? If not, say why on rank 0. */
    int (*finish)(void);          /* once, after the last run */
    double *figures;              /* UAT_BENCH_FIGURES numbers, which run() and verify() set on rank 0 */
    struct uat_bench_figure names[UAT_BENCH_FIGURES]; /* of these; the first without a name ends them */
    /*
     * A microbenchmark has this instead of results and the three above, and no --seq and no --repeat. Collective,
     * between uat_init() and uat_finalize(): measure, and report on rank 0. Returns 0 or a negative errno, reported;
     * on all workers alike -EINVAL if it cannot be measured in this job, which is an error of the command line, and
     * UAT_BENCH_NO_ARRAY if uat_global_alloc() has refused.
     */
    int (*measure)(const struct uat_bench *bench, const struct uat_bench_settings *settings);
    const struct uat_plot *plot; /* what its --plot draws; may be NULL */
};

/* The benchmark of this program, if it leaves main() to perf/main.c. */
extern const struct uat_bench uat_bench;

/* What main() of a benchmark does: returns the exit status, 0; 1 for a wrong answer or a failure; 2 for a bad command
 * line. */
int uat_bench_main(const struct uat_bench *bench, int argc, char **argv);

/*
 * Keeps the compiler from merging equal calls: the sequential versions are pure functions, and a merged call
 * would change the algorithm that is measured.
 */
static inline void uat_bench_opaque(void)
{
    __asm__ volatile("");
}

/*
 * In run() or sequential(), around what is not part of the measurement, such as a check of the answer: the seconds, the
 * cycles and the counters of a pause are left out. A pause that is not ended lasts to the end. In run() both are
 * collective, outside of uat_run(); an error of theirs becomes the run's.
 */
void uat_bench_pause(void);
void uat_bench_resume(void);

/* In run() or sequential(): its seconds so far on this worker, without pauses. */
double uat_bench_seconds(void);

/* The rest is for the files bench*.c alone. */

struct uat_bench_settings {
    bool help;
    bool json;
    bool sequential;
    bool quiet; /* no progress on the terminal */
    int64_t repeat;
    char args[256]; /* the program's own arguments, as they were given */
};

struct uat_bench_run {
    double seconds;
    uint64_t cycles;
    uint64_t answer[UAT_BENCH_RESULTS];
    double figures[UAT_BENCH_FIGURES];
    uat_stats_t stats; /* of this run, over all workers; stack_bytes_max since the start */
};

/* All there is to report. Of several runs, `run` is the one that took the median time, and the figures are its own. */
struct uat_bench_report {
    const struct uat_bench *bench;
    const struct uat_bench_settings *settings;
    int workers;
    bool checked; /* the answer was compared with something */
    bool correct;
    const struct uat_bench_run *run;
    double seconds_min;
    double seconds_max;
    uint64_t steals_total;     /* of all runs */
    double sequential_seconds; /* median; with --seq */
};

/* Read the command line. Returns 0, or -EINVAL with one line in error. */
int uat_bench_parse(const struct uat_bench *bench, int argc, char **argv, struct uat_bench_settings *settings,
                    char *error, size_t error_size);
void uat_bench_help(const struct uat_bench *bench, FILE *out);

/* Round trips of the median steal; 0 without steals. The mean, too. */
uint64_t uat_bench_trips_median(const uat_stats_t *stats);
double uat_bench_trips_mean(const uat_stats_t *stats);
double uat_bench_cycles_per_task(const struct uat_bench_report *report);

void uat_bench_print_table(const struct uat_bench_report *report, FILE *out);

/* Returns 0 or -ENOMEM, reported. */
int uat_bench_print_json(const struct uat_bench_report *report, FILE *out);

struct json_object;

/* Program, arguments and the settings in force, as every report begins. */
void uat_bench_print_settings(const struct uat_bench *bench, const struct uat_bench_settings *settings, FILE *out);
void uat_bench_add_settings(struct json_object *object, const struct uat_bench *bench,
                            const struct uat_bench_settings *settings, int *status);

/* Print the object on one line and free it. If it is NULL or status an error: -ENOMEM, reported. Else 0. */
int uat_bench_print_object(struct json_object *object, int status, FILE *out);

/* Add a value to a JSON object, which takes it over, also when it fails; then *status becomes -ENOMEM. */
void uat_bench_add(struct json_object *object, const char *key, struct json_object *value, int *status);

#ifdef __cplusplus
}
#endif

#endif
