/* SPDX-License-Identifier: MIT */
/*
 * METG(50 %) of Task Bench, the minimum effective task granularity: the shortest time of a task at which half of the
 * processors' time goes to the kernels. The time of a task, its granularity, is the time of the run times the
 * workers, divided by the tasks. uat-taskbench and its rivals measure it in the same way.
 */
#ifndef UAT_PERF_TASKBENCH_METG_H
#define UAT_PERF_TASKBENCH_METG_H

#include "perf/taskbench_graph.h"

/* Runs the graph once, in the model `model`. Sets *ns to the time of the run, and adds to *counts what all workers
 * count. In a job of several processes, all call it and get the same results. Returns 0 or a negative errno. */
typedef int tb_run_fn(int model, const struct tb_graph *graph, uint64_t *ns, struct tb_counts *counts);

struct tb_sweep {
    tb_run_fn *run;
    int model;
    const char *model_name;
    int workers;
    bool speaks;                    /* this process prints wrong answers */
    double iteration_ns;            /* of the kernel, in all processes; a run in which it is shorter lowers it */
    double longest_us, shortest_us; /* of the kernels */
    bool exact;                     /* no noise */
    int64_t trials;                 /* runs for each length, of which the shortest counts */
};

/* The result of a sweep. */
struct tb_metg {
    double metg_us;            /* NaN: no efficiency reaches a half. If the shortest kernels' efficiency does, this is
                                * their granularity, an upper bound */
    double longest_efficiency; /* with the longest kernels, 0 to 1 */
    double least_us;           /* the least granularity of the sweep */
};

/* Halve the longest kernels until they would be shorter than the shortest; if times are exact, until the efficiency is
 * below a half. Interpolate after the shortest kernels whose efficiency is a half or more. Checks all answers. Returns
 * 0, -EBADMSG after a wrong answer, -ENOMEM, or the error of the run. */
int tb_find_metg(struct tb_sweep *sweep, const struct tb_graph *shape, struct tb_metg *metg);

#endif
