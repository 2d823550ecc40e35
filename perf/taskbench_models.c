/* SPDX-License-Identifier: MIT */
#include "perf/taskbench_models.h"

#include "perf/bench.h"
#include "perf/gather.h"
#include "uat/dataflow.h"
#include "uat/pattern.h"
#include "uat/sync.h"
#include "uat/transfer.h"

const char *const tb_model_names[TB_MODELS] = {"data flow", "loops", "futures", "flags"};

enum { AT_ONCE = 8 /* transfers in flight */ };

/*
 * Each worker keeps its columns in a chunk of its own of three arrays. A column has two cells, one for even and one for
 * odd steps, a future for each step, and a kept cell for each step with a flag after the last. All but `counted` are
 * equal on all workers.
 */
static struct tb_graph run_graph;
static char *cells, *handles, *kept;
static int64_t cells_stride, handles_stride, kept_stride, columns_of_worker; /* strides: bytes of a column */
static uint64_t flags_before; /* what the flags were when this run began */

static struct tb_counts counted; /* by the tasks that ran on this worker */

static struct tb_cell *cell_at(int64_t step, int64_t column)
{
    return (struct tb_cell *)(void *)(cells + column * cells_stride) + step % 2;
}

/* The columns' share of a worker's chunk. The chunk is a multiple of UAT_GLOBAL_BLOCK. */
static char *open_columns(size_t bytes, int64_t *stride)
{
    size_t chunk = ((size_t)columns_of_worker * bytes + UAT_GLOBAL_BLOCK - 1) / UAT_GLOBAL_BLOCK * UAT_GLOBAL_BLOCK;
    *stride = (int64_t)(chunk / (size_t)columns_of_worker / 64 * 64);
    return uat_global_alloc(chunk * (size_t)uat_size(), UAT_BLOCKED, 0);
}

int tb_open_models(int64_t columns, int64_t steps)
{
    columns_of_worker = columns;
    cells = open_columns(2 * sizeof(struct tb_cell), &cells_stride);
    handles = cells ? open_columns((size_t)steps * sizeof(uat_future_t), &handles_stride) : NULL;
    kept = handles ? open_columns((size_t)(steps + 1) * sizeof(struct tb_cell), &kept_stride) : NULL;
    return kept ? 0 : UAT_BENCH_NO_ARRAY;
}

/* Feed a task with the cells of its inputs, without a checkout. Up to AT_ONCE far cells are fetched at a time. */
static void feed_from_memory(struct tb_task *task, struct tb_cell *(*at)(int64_t step, int64_t column))
{
    uat_global_transfer_t transfer[AT_ONCE];
    struct tb_cell cell[AT_ONCE];
    for (int64_t k = 0; k < task->inputs.count; k += AT_ONCE) {
        int64_t n = task->inputs.count - k < AT_ONCE ? task->inputs.count - k : AT_ONCE;
        for (int64_t i = 0; i < n; i++)
            uat_global_get_begin(&transfer[i], &cell[i], at(task->step - 1, tb_input(&task->inputs, k + i)),
                                 sizeof(cell[i]));
        for (int64_t i = 0; i < n; i++) {
            uat_global_transfer_wait(&transfer[i]);
            tb_feed(task, &cell[i]);
        }
    }
}

/* ---- data flow ---- */

struct place {
    int64_t step, column;
};

/* The datum that orders the steps of all_to_all. */
#define STEPS UAT_FLOW_NUMBER(1)

static void run_place(void *arg, const uat_flow_place_t *data)
{
    const struct place *place = arg;
    struct tb_task task;
    tb_begin(&task, &run_graph, place->step, place->column);
    if (task.inputs.all)
        feed_from_memory(&task, cell_at);
    else
        for (int64_t k = 0; k < task.inputs.count; k++)
            tb_feed(&task, data[1 + k].at);
    tb_end(&task, data[0].at, &counted);
}

static void run_nothing(void *arg, const uat_flow_place_t *data)
{
    (void)arg;
    (void)data;
}

/* A task has at most UAT_FLOW_ACCESSES accesses. With all_to_all it has more inputs. There it reads the datum STEPS,
 * which a task between two steps writes. */
static void spawn_place(uat_flow_t *flow, struct place place)
{
    uat_flow_access_t access[UAT_FLOW_ACCESSES] = {
        {.p = cell_at(place.step, place.column), .mode = UAT_FLOW_OUT, .bytes = sizeof(struct tb_cell)}};
    struct tb_inputs inputs;
    size_t n = 1;
    tb_find_inputs(&run_graph, place.step, place.column, &inputs);
    if (run_graph.pattern == TB_ALL_TO_ALL)
        access[n++] = (uat_flow_access_t){.p = STEPS, .mode = UAT_FLOW_IN};
    for (int64_t k = 0; k < inputs.count && !inputs.all; k++)
        access[n++] = (uat_flow_access_t){
            .p = cell_at(place.step - 1, inputs.column[k]), .mode = UAT_FLOW_IN, .bytes = sizeof(struct tb_cell)};
    uat_flow_spawn(flow, run_place, &place, sizeof(place), access, n);
}

UAT_TASK(uint64_t, run_flow, int, unused)
{
    const uat_flow_access_t between = {.p = STEPS, .mode = UAT_FLOW_INOUT};
    uint64_t begin = uat_time_ns();
    uat_flow_t flow;
    uat_flow_begin(&flow);
    for (int64_t step = 0; step < run_graph.steps; step++) {
        if (run_graph.pattern == TB_ALL_TO_ALL)
            uat_flow_spawn(&flow, run_nothing, NULL, 0, &between, 1);
        for (int64_t column = 0; column < tb_width(&run_graph, step); column++) {
            uat_sim_work((uint64_t)run_graph.overhead_ns);
            spawn_place(&flow, (struct place){step, column});
        }
    }
    uat_flow_end(&flow);
    return uat_time_ns() - begin;
}

/* ---- loops ---- */

UAT_FOR(run_column, column, int64_t, step)
{
    struct tb_task task;
    struct tb_cell cell = {0};
    tb_begin(&task, &run_graph, step, column);
    feed_from_memory(&task, cell_at);
    tb_end(&task, &cell, &counted);
    UAT_GLOBAL_PUT(cell_at(step, column), cell);
}

UAT_TASK(uint64_t, run_loops, int, unused)
{
    uint64_t begin = uat_time_ns();
    for (int64_t step = 0; step < run_graph.steps; step++)
        run_column_near(0, tb_width(&run_graph, step), cells, (size_t)cells_stride, step);
    return uat_time_ns() - begin;
}

/* ---- futures ---- */

static uat_future_t *future_at(int64_t step, int64_t column)
{
    return (uat_future_t *)(void *)(handles + column * handles_stride) + step;
}

UAT_FOR(create_futures, column)
{
    for (int64_t step = 0; step < run_graph.steps; step++)
        UAT_GLOBAL_PUT(future_at(step, column), uat_future_create(sizeof(struct tb_cell)));
}

UAT_FOR(destroy_futures, column)
{
    for (int64_t step = 0; step < run_graph.steps; step++)
        uat_future_destroy(UAT_GLOBAL_GET(future_at(step, column)));
}

/* Up to AT_ONCE handles are fetched at a time. */
static void feed_from_futures(struct tb_task *task)
{
    uat_global_transfer_t transfer[AT_ONCE];
    uat_future_t future[AT_ONCE];
    struct tb_cell cell;
    for (int64_t k = 0; k < task->inputs.count; k += AT_ONCE) {
        int64_t n = task->inputs.count - k < AT_ONCE ? task->inputs.count - k : AT_ONCE;
        for (int64_t i = 0; i < n; i++)
            uat_global_get_begin(&transfer[i], &future[i], future_at(task->step - 1, tb_input(&task->inputs, k + i)),
                                 sizeof(future[i]));
        for (int64_t i = 0; i < n; i++)
            uat_global_transfer_wait(&transfer[i]);
        for (int64_t i = 0; i < n; i++) {
            uat_future_get(future[i], &cell);
            tb_feed(task, &cell);
        }
    }
}

/* The tasks of the column, one after the other. With the tree, a column starts at the first step that has it. */
UAT_TASK_VOID(run_whole_column, int64_t, column)
{
    for (int64_t step = 0; step < run_graph.steps; step++) {
        struct tb_task task;
        struct tb_cell cell = {0};
        if (column >= tb_width(&run_graph, step))
            continue;
        tb_begin(&task, &run_graph, step, column);
        feed_from_futures(&task);
        tb_end(&task, &cell, &counted);
        uat_future_set(UAT_GLOBAL_GET(future_at(step, column)), &cell);
    }
}

UAT_TASK(uint64_t, run_futures, int, unused)
{
    uint64_t begin = uat_time_ns();
    uat_group_t group;
    create_futures_near(0, run_graph.width, handles, (size_t)handles_stride);
    uat_group_begin(&group);
    for (int64_t column = 0; column < run_graph.width; column++)
        run_whole_column_group_spawn_on(&group, uat_global_home(cell_at(0, column)), column);
    uat_group_wait(&group);
    destroy_futures_near(0, run_graph.width, handles, (size_t)handles_stride);
    return uat_time_ns() - begin;
}

/* ---- flags ---- */

static struct tb_cell *kept_at(int64_t step, int64_t column)
{
    return (struct tb_cell *)(void *)(kept + column * kept_stride) + step;
}

/* The number of the column's finished steps, of all runs. */
static uat_atomic_t *flag_at(int64_t column)
{
    return (uat_atomic_t *)(void *)kept_at(run_graph.steps, column);
}

/* The column's own cell of the step before is there. */
static void await_inputs(const struct tb_task *task)
{
    for (int64_t k = 0; k < task->inputs.count; k++) {
        int64_t column = tb_input(&task->inputs, k);
        while (column != task->column && uat_atomic_load(flag_at(column)) < flags_before + (uint64_t)task->step)
            uat_yield();
    }
}

/* As run_whole_column(), but a reader polls the flags of its inputs, and nobody wakes it. Each step has a cell of its
 * own, because nothing keeps a column from running ahead of its readers. */
UAT_TASK_VOID(run_flagged_column, int64_t, column)
{
    for (int64_t step = 0; step < run_graph.steps; step++) {
        struct tb_task task;
        struct tb_cell cell = {0};
        if (column < tb_width(&run_graph, step)) {
            tb_begin(&task, &run_graph, step, column);
            await_inputs(&task);
            feed_from_memory(&task, kept_at);
            tb_end(&task, &cell, &counted);
            UAT_GLOBAL_PUT(kept_at(step, column), cell);
        }
        uat_global_release();
        uat_atomic_add(flag_at(column), 1);
    }
}

UAT_FOR(run_flagged_columns, worker)
{
    uat_group_t group;
    uat_group_begin(&group);
    for (int64_t column = worker * columns_of_worker; column < (worker + 1) * columns_of_worker; column++)
        run_flagged_column_group_spawn_on(&group, uat_global_home(cell_at(0, column)), column);
    uat_group_wait(&group);
}

UAT_TASK(uint64_t, run_flags, int, unused)
{
    uint64_t begin = uat_time_ns();
    run_flagged_columns_near(0, uat_size(), cells, (size_t)(cells_stride * columns_of_worker));
    return uat_time_ns() - begin;
}

static int gather_counts(struct tb_counts *counts)
{
    uint64_t own[] = {counted.tasks, counted.inputs, counted.wrong, counted.digests};
    uint64_t *all[] = {&counts->tasks, &counts->inputs, &counts->wrong, &counts->digests};
    int rc = 0;
    for (int i = 0; i < 4 && !rc; i++) {
        struct uat_gathered gathered = {0};
        rc = uat_gather(own[i], &gathered);
        *all[i] = gathered.sum;
    }
    return rc;
}

int tb_run(int model, const struct tb_graph *graph, uint64_t *ns, struct tb_counts *counts)
{
    static int (*const runs[TB_MODELS])(uint64_t *, int) = {run_flow_run, run_loops_run, run_futures_run,
                                                            run_flags_run};
    run_graph = *graph;
    counted = (struct tb_counts){0};
    int rc = uat_barrier();
    if (!rc)
        rc = runs[model](ns, 0);
    if (model == TB_FLAGS)
        flags_before += (uint64_t)run_graph.steps;
    return rc ? rc : gather_counts(counts);
}
