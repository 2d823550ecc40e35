/* SPDX-License-Identifier: MIT */
/*
 * Task Bench with uat: how short may tasks be? The program measures METG(50 %) of each pattern in each model, and
 * checks all answers. docs/published.md has figures, and perf/measure published makes them.
 *
 * The kernels' own time is the number of iterations times the time of an iteration, which each worker measures alone
 * before. The least counts. If a run is faster, its time counts. In virtual time no kernel runs, but its time passes.
 * Because a simulation does not count the runtime's instructions, each task then also takes --overhead, and so does
 * each spawn into the flow.
 */
#include <errno.h>
#include <stdio.h>

#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/report.h"
#include "perf/taskbench_metg.h"
#include "perf/taskbench_models.h"
#include "perf/tsc.h"

static int64_t pattern = -1, model = -1, kernel, steps = 100, columns = 1, overhead = 300, trials = 3;
static double longest = 1000, shortest = 0.01; /* us */

static const struct uat_report_column heads[] = {
    {"pattern", "pattern", -16, 0},   {"model", "model", -10, 0},
    {"metg_us", "METG, us", 10, 2},   {"longest_efficiency", "with longest", 13, 3},
    {"least_us", "least, us", 10, 3}, {0}};

/* The least time of an iteration over all workers: nanoseconds. In virtual time an iteration takes one. */
static int find_iteration_ns(double *ns)
{
    const double unit = 1e-6; /* uat_gather() takes integers */
    struct uat_gathered gathered;
    *ns = 1;
    if (uat_time_is_virtual())
        return 0;
    int rc = uat_gather((uint64_t)(tb_iteration_ns((enum tb_kernel)kernel) / unit), &gathered);
    if (!rc)
        *ns = (double)gathered.least * unit;
    return rc;
}

static int measure_row(struct tb_sweep *sweep, const struct tb_graph *graph)
{
    struct tb_metg metg;
    int rc = tb_find_metg(sweep, graph, &metg);
    if (rc || uat_rank() != 0)
        return rc;
    const struct uat_report_value values[] = {{tb_pattern_names[graph->pattern], 0},
                                              {sweep->model_name, 0},
                                              {NULL, metg.metg_us},
                                              {NULL, metg.longest_efficiency},
                                              {NULL, metg.least_us}};
    uat_report_row(heads, values);
    return 0;
}

static void begin_report(const struct uat_bench *bench, const struct uat_bench_settings *settings, double iteration_ns)
{
    uat_report_begin(bench, settings);
    uat_report_line("graph", "%d steps of %d columns; kernel %s, %.3g ns for an iteration", (int)steps,
                    (int)columns * uat_size(), tb_kernel_names[kernel], iteration_ns);
    uat_report_text("kernel", tb_kernel_names[kernel]);
    uat_report_real("iteration_ns", iteration_ns);
    uat_report_list("rows");
    uat_report_heads(heads);
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    struct tb_graph graph = {.kernel = (enum tb_kernel)kernel, .steps = steps, .width = columns * uat_size()};
    struct tb_sweep sweep = {.run = tb_run,
                             .workers = uat_size(),
                             .speaks = uat_rank() == 0,
                             .longest_us = longest,
                             .shortest_us = shortest,
                             .exact = uat_time_is_virtual(),
                             .trials = trials};
    int rc = tb_open_models(columns, steps);
    if (uat_time_is_virtual()) {
        graph.pass = uat_sim_work;
        graph.overhead_ns = overhead;
    }
    if (!rc)
        rc = find_iteration_ns(&sweep.iteration_ns);
    if (!rc && uat_rank() == 0)
        begin_report(bench, settings, sweep.iteration_ns);
    for (int p = 0; p < TB_PATTERNS && !rc; p++)
        for (int m = 0; m < TB_MODELS && !rc; m++) {
            graph.pattern = (enum tb_pattern)p;
            sweep.model = m;
            sweep.model_name = tb_model_names[m];
            if ((pattern < 0 || pattern == p) && (model < 0 || model == m))
                rc = measure_row(&sweep, &graph);
        }
    if (!rc && uat_rank() == 0) {
        uat_report_close();
        uat_report_end();
    }
    return rc;
}

static const char *refuse(void)
{
    if (columns & (columns - 1))
        return "--columns must be a power of 2";
    return shortest > longest ? "--shortest must be at most --longest" : NULL;
}

static const struct uat_bench_option options[] = {
    {"--pattern", "N", "0 trivial, 1 no_comm, 2 stencil_1d, 3 fft, 4 tree, 5 random_nearest, 6 all_to_all; -1: all",
     &pattern, NULL, -1, TB_PATTERNS - 1},
    {"--model", "N", "0 data flow, 1 loops, 2 futures, 3 flags; -1: all", &model, NULL, -1, TB_MODELS - 1},
    {"--kernel", "N", "0 compute, 1 memory, 2 imbalance", &kernel, NULL, 0, TB_KERNELS - 1},
    {"--steps", "N", "steps of the graph", &steps, NULL, 1, 100000},
    {"--columns", "N", "columns of the graph for each worker, a power of 2", &columns, NULL, 1, 512},
    {"--longest", "US", "the longest kernels, with which the search starts", NULL, &longest, 1e-3, 1e6},
    {"--shortest", "US", "the shortest kernels", NULL, &shortest, 1e-3, 1e6},
    {"--trials", "N", "runs with each length of the kernels, of which the shortest counts", &trials, NULL, 1, 1000},
    {"--overhead", "NS", "in virtual time: what a task takes besides its kernel", &overhead, NULL, 0, 1e6},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-taskbench",
    .purpose = "Task Bench: find the least granularity of tasks at which half of the time is work, METG(50 %).",
    .options = options,
    .refuse = refuse,
    .measure = measure,
};
