/* SPDX-License-Identifier: MIT */
/* A rival of uat-taskbench runs the same graphs with another system. */
#ifndef RIVALS_TASKBENCH_H
#define RIVALS_TASKBENCH_H

#include "perf/taskbench_metg.h"

struct rival_job {
    int workers, rank; /* rank 0 prints */
};

/* Start the system. `workers` is the number on the command line; a system whose launcher starts the workers sets it.
 * Returns whether it could start. */
bool rival_begin(struct rival_job *job, int *argc, char ***argv, int workers);
/* Make room for the cells of graphs of this width, or free it (0). Returns whether there is memory. */
bool rival_open(int64_t width);
/* A tb_run_fn. */
int rival_run(int model, const struct tb_graph *graph, uint64_t *ns, struct tb_counts *counts);
/* The least of all processes' numbers, in all processes. */
double rival_least(double number);
void rival_end(void);

#endif
