/* SPDX-License-Identifier: MIT */
/*
 * The benchmarks' common parts: command line, timing, check of the answer, table and JSON.
 * A program describes itself in one struct uat_bench and calls uat_bench_main().
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

#define UAT_BENCH_RESULTS    3 /* maximum numbers in an answer */
#define UAT_BENCH_FIGURES    6 /* maximum further figures of a run */
#define UAT_BENCH_REPEAT_MAX 1000
#define UAT_BENCH_NO_ARRAY   1 /* measure() returns this if an array was refused */

/* A number on the command line: an integer or a real number, in a range. */
struct uat_bench_option {
    const char *flag; /* such as "-d"; NULL: the required argument without a flag */
    const char *name; /* "DEPTH" */
    const char *meaning;
    int64_t *integer; /* where the value goes; the initial value is the default */
    double *real;     /* where a real value goes; exactly one of the two pointers is set */
    double least;
    double most;
};

/* A text on the command line, such as the name of a file. */
struct uat_bench_text {
    const char *flag; /* NULL: the program has no such option */
    const char *name;
    const char *meaning;
    const char **value; /* where the text goes, which belongs to the command line */
};

struct uat_bench_settings;

/* A real number of a run, for the report: its name and its unit. */
struct uat_bench_figure {
    const char *name;
    const char *unit;
};

struct uat_bench {
    const char *program;
    const char *purpose;
    const struct uat_bench_option *options; /* ended by an entry whose meaning is NULL */
    struct uat_bench_text text;             /* the report does not name it; may be left out */
    const char *results[UAT_BENCH_RESULTS]; /* names of the answer's numbers; NULL after the last */
    bool rate;                              /* also report the first number per second */

    /* Checks that the values fit together. Returns NULL, or a text that says what is wrong. This pointer may be
     * NULL. */
    const char *(*refuse)(void);
    /* Computes the answer if a formula or a table gives it. Returns whether it does. */
    bool (*known)(uint64_t *answer); /* may be NULL */
    /* Collective: find the answer with the runtime. Returns 0 or a negative errno. */
    int (*run)(uint64_t *answer);
    /* Runs the same algorithm without the runtime, on rank 0. Returns 0 or a negative errno, which the caller
     * reports. */
    int (*sequential)(uint64_t *answer);
    /*
     * Further functions of an application; each may be NULL. All are collective, and their time does not count. They
     * return 0 or a negative errno after reporting the error.
     */
    int (*prepare)(void);         /* makes the input; called once, before the first run */
    int (*verify)(bool *correct); /* checks the result of a run; rank 0 prints what is wrong */
    int (*finish)(void);          /* called once, after the last run */
    double *figures;              /* UAT_BENCH_FIGURES numbers, which run() and verify() set on rank 0 */
    struct uat_bench_figure names[UAT_BENCH_FIGURES]; /* names of the figures; an entry without a name ends them */
    /*
     * Measures, and reports on rank 0. A microbenchmark sets this function, and leaves out `results`, known(), run()
     * and sequential(). It has no --seq and no --repeat. Collective, between uat_init() and uat_finalize(). Returns 0
     * or a negative errno after reporting the error. Two errors must be returned on all workers:
     * - -EINVAL, if this job cannot be measured (the command line is wrong)
     * - UAT_BENCH_NO_ARRAY, if uat_global_alloc() refused
     */
    int (*measure)(const struct uat_bench *bench, const struct uat_bench_settings *settings);
};

/* The benchmark of a program whose main() is perf/main.c. */
extern const struct uat_bench uat_bench;

/* The body of a benchmark's main(). Returns the exit status: 0; 1 for a wrong answer or a failure; 2 for a bad command
 * line. */
int uat_bench_main(const struct uat_bench *bench, int argc, char **argv);

/*
 * Keeps the compiler from merging equal calls. The sequential versions are pure functions, so the compiler might merge
 * their calls. This would change the measured algorithm.
 */
static inline void uat_bench_opaque(void)
{
    __asm__ volatile("");
}

/*
 * Call these two functions in run() or sequential(), around code that is not part of the measurement, such as a check
 * of the answer. The seconds, cycles and counters of a pause are left out. A pause that is not ended lasts to the end
 * of the run. In run() both functions are collective and must be called outside uat_run(). If one of them fails, the
 * run fails with that error.
 */
void uat_bench_pause(void);
void uat_bench_resume(void);

/* The seconds since the start of the current run() or sequential() on this worker, without pauses. */
double uat_bench_seconds(void);

/* Compares two doubles, for qsort(). */
int uat_compare_reals(const void *a, const void *b);

/* The rest is only for the files bench*.c. */

struct uat_bench_settings {
    bool help;
    bool json;
    bool sequential;
    bool quiet; /* show no progress on the terminal */
    int64_t repeat;
    char args[256]; /* the program's own arguments, as given */
};

struct uat_bench_run {
    double seconds;
    uint64_t cycles;
    uint64_t answer[UAT_BENCH_RESULTS];
    double figures[UAT_BENCH_FIGURES];
    uat_stats_detail_t
        stats; /* counters of this run, over all workers; but stack_bytes_max counts since the job's start */
};

/* The content of the report. `run` is the run with the median time, and the figures are those of that run. */
struct uat_bench_report {
    const struct uat_bench *bench;
    const struct uat_bench_settings *settings;
    int workers;
    bool checked; /* the answer was compared with another one */
    bool correct;
    const struct uat_bench_run *run;
    double seconds_min;
    double seconds_max;
    double seconds_mean;
    double seconds_half;   /* half of the mean's 95 % confidence interval, by Student's distribution; 0 for one run */
    uint64_t steals_total; /* steals in all runs */
    double sequential_seconds; /* median of the sequential runs, with --seq */
};

/* Read the command line. Returns 0, or -EINVAL with one line in error. */
int uat_bench_parse(const struct uat_bench *bench, int argc, char **argv, struct uat_bench_settings *settings,
                    char *error, size_t error_size);
void uat_bench_help(const struct uat_bench *bench, FILE *out);

/* Round trips per steal: the median and the mean. Without steals, both are 0. */
uint64_t uat_bench_trips_median(const uat_stats_detail_t *stats);
double uat_bench_trips_mean(const uat_stats_detail_t *stats);
double uat_bench_cycles_per_task(const struct uat_bench_report *report);

void uat_bench_print(const struct uat_bench_report *report);

#ifdef __cplusplus
}
#endif

#endif
