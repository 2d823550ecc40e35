/* SPDX-License-Identifier: MIT */
/* A rival of uat-taskbench: MPI. A rank runs its columns, step after step. It gets the cells of other ranks by
 * nonblocking messages of one cell each, as Task Bench's form for MPI is described to do. */
#include <mpi.h>
#include <stdlib.h>

#include "perf/rivals/taskbench.h"

static int rank, ranks;
static int64_t columns;       /* of a rank */
static struct tb_cell *cells; /* two for each column of the graph, for even and odd steps; other ranks' are copies */
static MPI_Request *requests;
static int pending;

bool rival_begin(struct rival_job *job, int *argc, char ***argv, int workers)
{
    (void)workers;
    if (MPI_Init(argc, argv) != MPI_SUCCESS)
        return false;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *job = (struct rival_job){ranks, rank};
    return true;
}

bool rival_open(int64_t width)
{
    free(cells);
    free(requests);
    cells = NULL;
    requests = NULL;
    columns = width / ranks;
    if (width > 0) {
        cells = aligned_alloc(64, 2 * (size_t)width * sizeof(*cells));
        requests = malloc(2 * (size_t)(width * columns) * sizeof(*requests));
    }
    return width == 0 || (cells && requests);
}

static struct tb_cell *cell_at(int64_t step, int64_t column)
{
    return &cells[step % 2 * columns * ranks + column];
}

static bool is_own(int64_t column)
{
    return column / columns == rank;
}

/* The rank needs a cell of another rank only once, however many of its columns read it. */
static bool needs(const struct tb_graph *graph, int64_t step, int64_t owner, int64_t from)
{
    for (int64_t column = owner * columns; column < (owner + 1) * columns; column++) {
        struct tb_inputs inputs;
        if (column >= tb_width(graph, step))
            return false;
        tb_find_inputs(graph, step, column, &inputs);
        for (int64_t k = 0; k < inputs.count; k++)
            if (tb_input(&inputs, k) == from)
                return true;
    }
    return false;
}

/* Begin to exchange the cells of the step before `step`. */
static void exchange(const struct tb_graph *graph, int64_t step)
{
    for (int64_t from = 0; from < tb_width(graph, step - 1); from++) {
        struct tb_cell *cell = cell_at(step - 1, from);
        if (!is_own(from)) {
            if (needs(graph, step, rank, from))
                MPI_Irecv(cell, (int)sizeof(*cell), MPI_BYTE, (int)(from / columns), (int)from, MPI_COMM_WORLD,
                          &requests[pending++]);
            continue;
        }
        for (int to = 0; to < ranks; to++)
            if (to != rank && needs(graph, step, to, from))
                MPI_Isend(cell, (int)sizeof(*cell), MPI_BYTE, to, (int)from, MPI_COMM_WORLD, &requests[pending++]);
    }
}

static void run_step(const struct tb_graph *graph, int64_t step, struct tb_counts *counts)
{
    if (step > 0) {
        exchange(graph, step);
        MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
        pending = 0;
    }
    for (int64_t column = rank * columns; column < (rank + 1) * columns; column++) {
        struct tb_task task;
        if (column >= tb_width(graph, step))
            return;
        tb_begin(&task, graph, step, column);
        for (int64_t k = 0; k < task.inputs.count; k++)
            tb_feed(&task, cell_at(step - 1, tb_input(&task.inputs, k)));
        tb_end(&task, cell_at(step, column), counts);
    }
}

int rival_run(int model, const struct tb_graph *graph, uint64_t *ns, struct tb_counts *counts)
{
    struct tb_counts own = {0};
    (void)model;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int64_t step = 0; step < graph->steps; step++)
        run_step(graph, step, &own);
    MPI_Barrier(MPI_COMM_WORLD);
    *ns = (uint64_t)(1e9 * (MPI_Wtime() - begin));
    MPI_Bcast(ns, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    uint64_t sent[] = {own.tasks, own.inputs, own.wrong, own.digests}, sum[4];
    MPI_Allreduce(sent, sum, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    tb_add_counts(counts, &(struct tb_counts){.tasks = sum[0], .inputs = sum[1], .wrong = sum[2], .digests = sum[3]});
    return 0;
}

double rival_least(double number)
{
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return number;
}

void rival_end(void)
{
    MPI_Finalize();
}
