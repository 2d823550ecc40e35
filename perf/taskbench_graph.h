/* SPDX-License-Identifier: MIT */
/*
 * The task graphs of Task Bench (Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel
 * Runtime Performance", SC'20), written anew from the description. uat-taskbench and its rivals run them.
 *
 * A graph is a grid of steps and columns, with one task for each place. A task gets a cell from each of its inputs,
 * which are tasks of the step before. It checks that each cell comes from the right task, runs a kernel, and leaves a
 * cell. The pattern says which columns the inputs of the task (step, column) have:
 *
 *     trivial         none
 *     no_comm         column
 *     stencil_1d      column - 1, column, column + 1
 *     fft             column - 2^k, column, column + 2^k; k = step - 1 modulo the rounded binary logarithm of the width
 *     tree            column / 2; the width doubles at each step, from 1 to the graph's
 *     random_nearest  column, and each of the four nearest with the probability 1/2
 *     all_to_all      all
 *
 * Columns outside of the graph are left out. The first step has no inputs. A cell also has a digest of all cells on
 * which it depends. So the sum of the digests of all tasks is right only if each task has run once with its inputs.
 */
#ifndef UAT_PERF_TASKBENCH_GRAPH_H
#define UAT_PERF_TASKBENCH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum tb_pattern {
    TB_TRIVIAL,
    TB_NO_COMM,
    TB_STENCIL_1D,
    TB_FFT,
    TB_TREE,
    TB_RANDOM_NEAREST,
    TB_ALL_TO_ALL,
    TB_PATTERNS
};

enum tb_kernel {
    TB_COMPUTE,   /* multiplies and adds numbers that stay in the first-level cache */
    TB_MEMORY,    /* adds along an array that does not fit into a second-level cache */
    TB_IMBALANCE, /* TB_COMPUTE, but each task takes 0 to 2 times as long, by a uniform random number */
    TB_KERNELS
};

extern const char *const tb_pattern_names[TB_PATTERNS];
extern const char *const tb_kernel_names[TB_KERNELS];

struct tb_graph {
    enum tb_pattern pattern;
    enum tb_kernel kernel;
    int64_t steps, width; /* width: columns */
    int64_t iterations;   /* of the kernel; in virtual time, nanoseconds */
    /* Lets virtual time pass instead of running the kernel. NULL: the kernel runs. */
    void (*pass)(uint64_t ns);
    int64_t overhead_ns; /* virtual time of a task besides its kernel */
};

/* What a task leaves. It fills a cache line, so that tasks on two cores do not write the same line. */
struct tb_cell {
    _Alignas(64) int64_t step;
    int64_t column;
    uint64_t digest;
};

/* The columns of a task's inputs. */
struct tb_inputs {
    int64_t count;
    bool all; /* the columns 0 to count - 1; `column` is not set */
    int64_t column[5];
};

/* What the tasks of a worker or a thread have counted. */
struct tb_counts {
    _Alignas(64) uint64_t tasks;
    uint64_t inputs;
    uint64_t wrong;   /* inputs that came from another task than expected */
    uint64_t digests; /* sum modulo 2^64 */
};

/* A task that runs. */
struct tb_task {
    const struct tb_graph *graph;
    int64_t step, column, fed;
    struct tb_inputs inputs;
    uint64_t digest, wrong;
};

/* The number of columns of this step. */
int64_t tb_width(const struct tb_graph *graph, int64_t step);
void tb_find_inputs(const struct tb_graph *graph, int64_t step, int64_t column, struct tb_inputs *inputs);

static inline int64_t tb_input(const struct tb_inputs *inputs, int64_t k)
{
    return inputs->all ? k : inputs->column[k];
}

/* Run a task: begin it, feed the cells of task->inputs in their order, and end it. The end runs the kernel, fills
 * `cell` and adds to `counts`. Only the kernel's time is work. */
void tb_begin(struct tb_task *task, const struct tb_graph *graph, int64_t step, int64_t column);
void tb_feed(struct tb_task *task, const struct tb_cell *cell);
void tb_end(struct tb_task *task, struct tb_cell *cell, struct tb_counts *counts);

/* Find by a plain loop what all tasks together must count. Takes memory for two steps. Returns 0 or -ENOMEM. */
int tb_expect(const struct tb_graph *graph, struct tb_counts *expected);
void tb_add_counts(struct tb_counts *sum, const struct tb_counts *more);
/* Print what is wrong, with the name of the model; NULL: print nothing. Returns whether nothing is wrong. */
bool tb_check(const struct tb_graph *graph, const char *model, const struct tb_counts *counts,
              const struct tb_counts *expected);

/* The iterations of all kernels of the graph. */
double tb_work(const struct tb_graph *graph);
/* Run the kernel in this thread, and measure the nanoseconds of an iteration: the least of several trials. */
double tb_iteration_ns(enum tb_kernel kernel);

#endif
