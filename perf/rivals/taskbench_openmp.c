/* SPDX-License-Identifier: MIT */
/* A rival of uat-taskbench: GCC's OpenMP. A task with `depend` for each task, which one thread creates. A task with
 * many inputs would need a list of dependences of any length: all_to_all has a barrier of tasks between two steps. */
#include <omp.h>
#include <stdlib.h>

#include "perf/rivals/taskbench.h"

static int threads;
static int64_t columns;
static struct tb_cell *cells;     /* two for each column, for even and odd steps */
static struct tb_counts *counted; /* by each thread */

bool rival_begin(struct rival_job *job, int *argc, char ***argv, int workers)
{
    (void)argc;
    (void)argv;
    threads = workers;
    *job = (struct rival_job){workers, 0};
    return true;
}

bool rival_open(int64_t width)
{
    free(cells);
    free(counted);
    cells = NULL;
    counted = NULL;
    columns = width;
    if (width > 0) {
        cells = aligned_alloc(64, 2 * (size_t)width * sizeof(*cells));
        counted = aligned_alloc(64, (size_t)threads * sizeof(*counted));
    }
    return width == 0 || (cells && counted);
}

static struct tb_cell *cell_at(int64_t step, int64_t column)
{
    return &cells[step % 2 * columns + column];
}

static void run_place(const struct tb_graph *graph, int64_t step, int64_t column)
{
    struct tb_task task;
    tb_begin(&task, graph, step, column);
    for (int64_t k = 0; k < task.inputs.count; k++)
        tb_feed(&task, cell_at(step - 1, tb_input(&task.inputs, k)));
    tb_end(&task, cell_at(step, column), &counted[omp_get_thread_num()]);
}

/* The list of dependences has a fixed length, so the last input is repeated. */
static void create(const struct tb_graph *graph, int64_t step, int64_t column)
{
    struct tb_cell *own = cell_at(step, column), *in[5];
    struct tb_inputs inputs;
    tb_find_inputs(graph, step, column, &inputs);
    for (int64_t k = 0; k < 5 && inputs.count && !inputs.all; k++)
        in[k] = cell_at(step - 1, inputs.column[k < inputs.count ? k : inputs.count - 1]);
    (void)own; /* used in clauses only, as `in` is */
    (void)in;
    if (inputs.count == 0 || inputs.all) {
#pragma omp task depend(out : own[0]) firstprivate(graph, step, column)
        run_place(graph, step, column);
    } else if (inputs.count == 1) {
#pragma omp task depend(out : own[0]) depend(in : in[0][0]) firstprivate(graph, step, column)
        run_place(graph, step, column);
    } else if (inputs.count <= 3) {
#pragma omp task depend(out : own[0]) depend(in : in[0][0], in[1][0], in[2][0]) firstprivate(graph, step, column)
        run_place(graph, step, column);
    } else {
#pragma omp task depend(out                                                                                            \
                        : own[0]) depend(in                                                                            \
                                         : in[0][0], in[1][0], in[2][0], in[3][0], in[4][0])                           \
    firstprivate(graph, step, column)
        run_place(graph, step, column);
    }
}

static void create_all(const struct tb_graph *graph)
{
    for (int64_t step = 0; step < graph->steps; step++) {
        for (int64_t column = 0; column < tb_width(graph, step); column++)
            create(graph, step, column);
        if (graph->pattern == TB_ALL_TO_ALL) {
#pragma omp taskwait
        }
    }
}

int rival_run(int model, const struct tb_graph *graph, uint64_t *ns, struct tb_counts *counts)
{
    double begin = 0, end = 0;
    (void)model;
    for (int i = 0; i < threads; i++)
        counted[i] = (struct tb_counts){0};
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        {begin = omp_get_wtime();
    create_all(graph);
#pragma omp taskwait
    end = omp_get_wtime();
}
}
*ns = (uint64_t)(1e9 * (end - begin));
for (int i = 0; i < threads; i++)
    tb_add_counts(counts, &counted[i]);
return 0;
}

double rival_least(double number)
{
    return number;
}

void rival_end(void)
{
}
