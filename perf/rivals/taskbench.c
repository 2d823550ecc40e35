/* SPDX-License-Identifier: MIT */
/* The main program of uat-taskbench's rivals. perf/measure published runs them.
 * usage: rival-taskbench-NAME WORKERS STEPS COLUMNS KERNEL LONGEST SHORTEST TRIALS, as the options of uat-taskbench */
#include "perf/rivals/taskbench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_row(int pattern, const struct tb_metg *metg)
{
    printf("%s{\"pattern\": \"%s\", \"metg_us\": ", pattern ? ", " : "", tb_pattern_names[pattern]);
    isnan(metg->metg_us) ? printf("null") : printf("%.6g", metg->metg_us);
    printf(", \"longest_efficiency\": %.6g, \"least_us\": %.6g}", metg->longest_efficiency, metg->least_us);
}

static int measure(const struct rival_job *job, struct tb_graph *graph, struct tb_sweep *sweep)
{
    if (!rival_open(graph->width)) {
        fputs("no memory for the cells\n", stderr);
        return 1;
    }
    sweep->iteration_ns = rival_least(tb_iteration_ns(graph->kernel));
    if (job->rank == 0)
        printf("{\"workers\": %d, \"rows\": [", job->workers);
    for (int pattern = 0; pattern < TB_PATTERNS; pattern++) {
        struct tb_metg metg;
        graph->pattern = (enum tb_pattern)pattern;
        if (tb_find_metg(sweep, graph, &metg) < 0)
            return 1;
        if (job->rank == 0)
            print_row(pattern, &metg);
    }
    if (job->rank == 0)
        puts("]}");
    rival_open(0);
    return 0;
}

int main(int argc, char **argv)
{
    double number[7] = {0};
    struct rival_job job;
    for (int i = 0; i < 7 && i + 1 < argc; i++)
        number[i] = atof(argv[i + 1]);
    if (argc != 8 || !(number[0] >= 1 && number[1] >= 1 && number[2] >= 1 && number[6] >= 1) ||
        !(number[3] >= 0 && number[3] < TB_KERNELS) || number[0] > 1024 || !(number[5] > 0 && number[5] <= number[4])) {
        fprintf(stderr, "usage: %s WORKERS STEPS COLUMNS KERNEL LONGEST SHORTEST TRIALS\n", argv[0]);
        return 2;
    }
    if (!rival_begin(&job, &argc, &argv, (int)number[0]))
        return 1;
    struct tb_graph graph = {
        .kernel = (enum tb_kernel)number[3], .steps = (int64_t)number[1], .width = (int64_t)number[2] * job.workers};
    struct tb_sweep sweep = {.run = rival_run,
                             .model_name = argv[0],
                             .workers = job.workers,
                             .speaks = job.rank == 0,
                             .longest_us = number[4],
                             .shortest_us = number[5],
                             .trials = (int64_t)number[6]};
    int status = measure(&job, &graph, &sweep);
    if (!status) /* else other ranks may wait for this one, and mpiexec must end them */
        rival_end();
    return status;
}
