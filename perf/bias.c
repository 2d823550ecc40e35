/* SPDX-License-Identifier: MIT */
/*
 * Biased locks, after Dolan, Muralidharan and Gregg (TACO 9(4), 2013), section 6.3. The lock's worker is the last
 * worker. A critical section adds 1 to a word there. A task executes some sections in a row (a visit) and then returns
 * to its own worker. With an ordinary mutex the task stays on its own worker, and each section accesses the lock and
 * the word remotely. With a biased mutex the task migrates to the lock's worker. In rows with more than one task, each
 * worker except the last has a task.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf/bench.h"
#include "perf/report.h"
#include "uat/global.h"
#include "uat/lock.h"
#include "uat/object.h"
#include "uat/sync.h"

static int64_t sections = 4096, rounds = 5;

enum { ROWS_MAX = 40, RATES = 2 };

struct home {
    uat_mutex_t mutex[RATES]; /* an ordinary one and a biased one */
    uint64_t *word;
};

struct row {
    uint64_t tasks, visit;
    double ns[RATES]; /* per section: median of the rounds */
    bool near;        /* the tasks are on the lock's worker */
};

UAT_TASK(struct home, make_home)
{
    struct home home = {{uat_mutex_create(), uat_mutex_create_biased()}, uat_global_object_alloc(sizeof(*home.word))};
    uint64_t zero = 0;
    uat_global_put(home.word, &zero, sizeof(zero));
    return home;
}

UAT_TASK_VOID(visit, struct home, home, int, biased, uint64_t, visit_sections, uint64_t, times)
{
    int own = uat_rank();
    for (uint64_t done = 0; done < times; done += visit_sections) {
        for (uint64_t i = 0; i < visit_sections; i++) {
            uint64_t value;
            uat_mutex_lock(home.mutex[biased]);
            uat_global_get(&value, home.word, sizeof(value));
            value++;
            uat_global_put(home.word, &value, sizeof(value));
            uat_mutex_unlock(home.mutex[biased]);
        }
        uat_migrate(own);
    }
}

/* Nanoseconds per section; negative if the word is wrong in the end. */
UAT_TASK(double, measure_row, struct row, row, int, biased, uint64_t, times)
{
    int last = uat_size() - 1;
    make_home_task making;
    uat_group_t group;
    uint64_t count = 0;
    make_home_spawn_on(&making, last);
    struct home home = make_home_join(&making);
    uat_group_begin(&group);
    uint64_t begin = uat_time_ns();
    for (uint64_t i = 0; i < row.tasks; i++)
        visit_group_spawn_on(&group, row.near ? last : (int)i, home, biased, row.visit, times);
    uat_group_wait(&group);
    uint64_t end = uat_time_ns();
    uat_global_get(&count, home.word, sizeof(count));
    for (int i = 0; i < RATES; i++)
        uat_mutex_destroy(home.mutex[i]);
    uat_global_object_free(home.word);
    return count == row.tasks * times ? (double)(end - begin) / (double)count : -1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measure the ordinary and the biased mutex in turn. Collective. */
static int run_row(struct row *row)
{
    double ns[RATES][101];
    uint64_t times = (uint64_t)sections / row->visit * row->visit;
    for (int64_t round = 0; round < rounds; round++)
        for (int biased = 0; biased < RATES; biased++) {
            int rc = measure_row_run(&ns[biased][round], *row, biased, row->near ? 64 * times : times);
            if (rc)
                return rc;
            if (ns[biased][round] < 0) {
                fprintf(stderr, "uat-bias: rank %d: the word is wrong after the sections\n", uat_rank());
                return -EPROTO;
            }
        }
    for (int biased = 0; biased < RATES; biased++) {
        qsort(ns[biased], (size_t)rounds, sizeof(double), by_value);
        row->ns[biased] = ns[biased][rounds / 2];
    }
    return 0;
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings, const struct row *rows,
                   int count)
{
    static const struct uat_report_column columns[] = {{"place", "tasks are", -10, 0},
                                                       {"tasks", "tasks", 7, 0},
                                                       {"visit", "sections/visit", 15, 0},
                                                       {"ordinary_ns", "ordinary, ns", 14, 1},
                                                       {"biased_ns", "biased, ns", 12, 1},
                                                       {"ratio", "ratio", 8, 2},
                                                       {0}};
    uat_report_begin(bench, settings);
    uat_report_line("values", "are nanoseconds for a section; ratio: biased by ordinary");
    uat_report_heads(columns);
    uat_report_list("rows");
    for (int i = 0; i < count; i++) {
        const struct row *r = &rows[i];
        uat_report_row(columns, (struct uat_report_value[]){{r->near ? "at home" : "away", 0},
                                                            {NULL, (double)r->tasks},
                                                            {NULL, (double)r->visit},
                                                            {NULL, r->ns[0]},
                                                            {NULL, r->ns[1]},
                                                            {NULL, r->ns[1] / r->ns[0]}});
    }
    uat_report_close();
    uat_report_end();
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    struct row rows[ROWS_MAX] = {{.tasks = 1, .visit = (uint64_t)sections, .near = true}};
    uint64_t others = (uint64_t)uat_size() - 1;
    int count = 1, status = uat_global_open();
    for (uint64_t tasks = 1; tasks <= others && tasks != 0; tasks = tasks < others ? others : 0)
        for (uint64_t visit = 1; visit <= (uint64_t)sections && count < ROWS_MAX; visit *= 4)
            rows[count++] = (struct row){.tasks = tasks, .visit = visit};
    for (int i = 0; i < count && !status; i++)
        status = run_row(&rows[i]);
    if (!status && uat_rank() == 0)
        report(bench, settings, rows, count);
    return status;
}

static const struct uat_bench_option options[] = {
    {"--sections", "N", "critical sections of a task in a round", &sections, NULL, 1, 1 << 20},
    {"--rounds", "N", "rounds; the median is reported", &rounds, NULL, 1, 101},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-bias",
    .purpose = "Critical sections under an ordinary and under a biased mutex, at its home and away from it.",
    .options = options,
    .measure = measure,
};
