/* SPDX-License-Identifier: MIT */
/* Ways to run a graph of Task Bench with uat. */
#ifndef UAT_PERF_TASKBENCH_MODELS_H
#define UAT_PERF_TASKBENCH_MODELS_H

#include <stdint.h>

#include "perf/taskbench_graph.h"

enum tb_model {
    TB_FLOW,    /* a data-flow task for each task; one task spawns them all */
    TB_LOOP,    /* uat_for_near() over the columns for each step */
    TB_FUTURES, /* a task for each column, which runs the column's tasks; futures hold their cells */
    TB_FLAGS,   /* the same tasks; atomic words say which cells are there, and the readers poll them */
    TB_MODELS
};

extern const char *const tb_model_names[TB_MODELS];

/* Make room for the cells of graphs with at most these columns for each worker and these steps. Collective. Returns 0
 * or UAT_BENCH_NO_ARRAY. */
int tb_open_models(int64_t columns, int64_t steps);
/* Run the graph, which is equal on all workers, in an enum tb_model: a tb_run_fn. Collective. *ns is the time from the
 * start of the root task to its end. */
int tb_run(int model, const struct tb_graph *graph, uint64_t *ns, struct tb_counts *counts);

#endif
