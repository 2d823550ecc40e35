/* SPDX-License-Identifier: MIT */
/*
 * The cells of the matrix, and its report. perf/measure atomics makes a table of it, and the parts of UAT_SIM_NETWORK
 * that describe this network.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf/atomics.h"
#include "perf/bench.h"
#include "perf/machine.h"
#include "perf/report.h"

const char *const matrix_operations[] = {
    [MATRIX_READ_8] = "read_8",
    [MATRIX_READ_64] = "read_64",
    [MATRIX_WRITE_8] = "write_8",
    [MATRIX_WRITE_64] = "write_64",
    [MATRIX_FETCH_ADD] = "fetch_add",
    [MATRIX_CMP_SWAP_WON] = "cmp_swap_won",
    [MATRIX_CMP_SWAP_LOST] = "cmp_swap_lost",
    [MATRIX_CMP_SWAP_READ] = "cmp_swap+read",
    [MATRIX_WRITE_FETCH_ADD] = "write+fetch_add",
    [MATRIX_READ_BULK] = "read_64k",
};
const char *const matrix_places[] = {
    [MATRIX_WORD] = "word",   [MATRIX_LINE] = "line",           [MATRIX_LINES] = "+64",
    [MATRIX_PAGES] = "+4096", [MATRIX_PAGES_SHIFTED] = "+4160", [MATRIX_RANDOM] = "random",
};
const char *const matrix_paths[] = {[MATRIX_OWN] = "own", [MATRIX_NEAR] = "near", [MATRIX_FAR] = "far"};

enum { SHORT = 1, USUAL, FULL, BATCH = 8 };

/* The cells that have been measured. */
struct matrix {
    struct matrix_job job;
    struct matrix_cell *cells;
    int count, room, status;
    enum matrix_path main; /* that of most cells: the farthest one that this job has */
    int window;
};

static void add(struct matrix *m, struct matrix_cell cell)
{
    if (m->status || m->job.members[cell.path] == 0)
        return;
    if (m->count == m->room) {
        struct matrix_cell *more = realloc(m->cells, (size_t)(m->room = 2 * m->room + 64) * sizeof(*more));

        if (!more) {
            fprintf(stderr, "uat-atomics: no memory\n");
            m->status = -ENOMEM;
            return;
        }
        m->cells = more;
    }
    m->cells[m->count] = cell;
    m->status = matrix_run(&m->job, &m->cells[m->count++]);
}

static void add_cell(struct matrix *m, enum matrix_operation operation, enum matrix_place place, enum matrix_path path,
                     int initiators, int window)
{
    add(m, (struct matrix_cell){.operation = operation,
                                .place = place,
                                .path = path,
                                .initiators = initiators,
                                .window = window,
                                .batch = 1});
}

/* The rate of half of the initiators shows whether the adapter or the initiators limit the rate of all. */
static void add_rates(struct matrix *m, enum matrix_operation operation, enum matrix_place place, int batch)
{
    int all = m->job.members[m->main], least = place == MATRIX_WORD ? 4 : (m->window + batch - 1) / batch;

    for (int initiators = all / 2 > 0 ? all / 2 : all; initiators > 0; initiators = initiators == all ? 0 : all)
        add(m, (struct matrix_cell){.operation = operation,
                                    .place = place,
                                    .path = m->main,
                                    .initiators = initiators,
                                    .window = least < m->window ? least : m->window,
                                    .batch = batch});
}

/* The next number: powers of two, and at last `most`. 0: there is none. */
static int next(int number, int most)
{
    return number == most ? 0 : 2 * number < most ? 2 * number : most;
}

/* The cells from which perf/measure atomics finds the parts of UAT_SIM_NETWORK: single operations of one initiator, the
 * largest rates, and READs over more and more queue pairs. */
static void add_network(struct matrix *m)
{
    add_cell(m, MATRIX_READ_8, MATRIX_WORD, m->main, 1, 1);
    add_cell(m, MATRIX_WRITE_8, MATRIX_WORD, m->main, 1, 1);
    add_cell(m, MATRIX_FETCH_ADD, MATRIX_WORD, m->main, 1, 1);
    if (m->main != MATRIX_OWN)
        add_cell(m, MATRIX_FETCH_ADD, MATRIX_WORD, MATRIX_OWN, 1, 1);
    add_rates(m, MATRIX_FETCH_ADD, MATRIX_WORD, 1);
    add_rates(m, MATRIX_FETCH_ADD, MATRIX_RANDOM, 1);
    add_rates(m, MATRIX_READ_8, MATRIX_RANDOM, BATCH);
    add_rates(m, MATRIX_WRITE_8, MATRIX_RANDOM, BATCH);
    add_rates(m, MATRIX_READ_BULK, MATRIX_WORD, 1);
    int most = m->job.others < MATRIX_TARGETS_MAX ? m->job.others : MATRIX_TARGETS_MAX;
    for (int targets = most > 1; targets > 0; targets = next(targets, most))
        add(m, (struct matrix_cell){.operation = MATRIX_READ_8,
                                    .path = MATRIX_FAR,
                                    .initiators = 1,
                                    .window = 1,
                                    .batch = 1,
                                    .targets = targets});
}

static void add_usual(struct matrix *m)
{
    for (int operation = 0; operation < MATRIX_OPERATIONS; operation++)
        for (int place = 0; place < MATRIX_PLACES; place++)
            for (int initiators = 1; initiators > 0;
                 initiators = initiators == m->job.members[m->main] ? 0 : m->job.members[m->main])
                add_cell(m, operation, place, m->main, initiators, m->window);
    for (int path = 0; path < (int)m->main; path++)
        for (int operation = 0; operation < MATRIX_OPERATIONS; operation++)
            add_cell(m, operation, MATRIX_WORD, path, m->job.members[path], m->window);
}

static void add_full(struct matrix *m)
{
    static const int windows[] = {1, 4, 16};

    for (int path = 0; path <= (int)m->main; path++)
        for (int operation = 0; operation <= MATRIX_OPERATIONS; operation++)
            for (int place = 0; place < (operation == MATRIX_READ_BULK ? 1 : MATRIX_PLACES); place++)
                for (int initiators = m->job.members[path] > 0; initiators > 0;
                     initiators = next(initiators, m->job.members[path]))
                    for (int i = 0; i < 3; i++)
                        add_cell(m, operation, place, path, initiators, windows[i]);
}

static void report(const struct matrix *m, const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    static const struct uat_report_column columns[] = {
        {"operation", "operation", -16, 0},  {"place", "place", -7, 0},           {"path", "path", -5, 0},
        {"initiators", "initiators", 10, 0}, {"window", "window", 6, 0},          {"batch", "batch", 5, 0},
        {"targets", "targets", 8, 0},        {"per_second", "per second", 12, 0}, {"p50_ns", "p50 ns", 9, 0},
        {"p99_ns", "p99 ns", 9, 0},          {"success", "success", 9, 3},        {0}};

    uat_report_begin(bench, settings);
    uat_machine_report("host");
    uat_report_count("workers_of_host", (uint64_t)(m->job.members[MATRIX_OWN] + m->job.members[MATRIX_NEAR]));
    uat_report_heads(columns);
    uat_report_list("cells");
    for (const struct matrix_cell *c = m->cells; c < m->cells + m->count; c++)
        uat_report_row(columns, (struct uat_report_value[]){{matrix_operations[c->operation], 0},
                                                            {matrix_places[c->place], 0},
                                                            {matrix_paths[c->path], 0},
                                                            {NULL, c->initiators},
                                                            {NULL, c->window},
                                                            {NULL, c->batch},
                                                            {NULL, c->targets},
                                                            {NULL, c->per_second},
                                                            {NULL, c->p50},
                                                            {NULL, c->p99},
                                                            {NULL, c->success}});
    uat_report_close();
    uat_report_end();
}

int matrix_measure(const struct uat_bench *bench, const struct uat_bench_settings *settings, int size, int window,
                   uint64_t nanoseconds)
{
    struct matrix m = {.job.nanoseconds = nanoseconds, .window = window};

    m.status = matrix_open(&m.job);
    if (m.status < 0)
        return m.status;
    m.main = m.job.members[MATRIX_FAR] > 0 ? MATRIX_FAR : m.job.members[MATRIX_NEAR] > 0 ? MATRIX_NEAR : MATRIX_OWN;
    add_network(&m);
    if (size == USUAL)
        add_usual(&m);
    if (size == FULL)
        add_full(&m);
    if (!m.status && uat_rank() == 0)
        report(&m, bench, settings);
    free(m.cells);
    matrix_close(&m.job);
    return m.status;
}
