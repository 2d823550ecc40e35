/* SPDX-License-Identifier: MIT */
#include "perf/taskbench_graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char *const tb_pattern_names[TB_PATTERNS] = {"trivial", "no_comm",        "stencil_1d", "fft",
                                                   "tree",    "random_nearest", "all_to_all"};
const char *const tb_kernel_names[TB_KERNELS] = {"compute", "memory", "imbalance"};

enum { NUMBERS = 64 /* of the compute kernel */, MEMORY = 1 << 19 /* numbers of the memory kernel: 4 MiB */ };

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A random number for a place of the graph. */
static uint64_t random_at(int64_t step, int64_t column, uint64_t which)
{
    return mix(mix(mix(which + 0x9e3779b97f4a7c15u) ^ (uint64_t)step) + (uint64_t)column);
}

int64_t tb_width(const struct tb_graph *graph, int64_t step)
{
    bool grows = graph->pattern == TB_TREE && step < 62 && (INT64_C(1) << step) < graph->width;
    return grows ? INT64_C(1) << step : graph->width;
}

static void add_input(const struct tb_graph *graph, struct tb_inputs *inputs, int64_t column)
{
    if (column >= 0 && column < graph->width)
        inputs->column[inputs->count++] = column;
}

/* The distance of the FFT's inputs at this step. */
static int64_t fft_distance(int64_t width, int64_t step)
{
    int64_t levels = 1;
    while ((INT64_C(1) << levels) < width)
        levels++;
    return INT64_C(1) << (step - 1) % levels;
}

static void find_around(const struct tb_graph *graph, int64_t distance, int64_t column, struct tb_inputs *inputs)
{
    add_input(graph, inputs, column - distance);
    add_input(graph, inputs, column);
    add_input(graph, inputs, column + distance);
}

void tb_find_inputs(const struct tb_graph *graph, int64_t step, int64_t column, struct tb_inputs *inputs)
{
    inputs->count = 0;
    inputs->all = false;
    if (step == 0)
        return;
    switch (graph->pattern) {
    case TB_NO_COMM:
        add_input(graph, inputs, column);
        break;
    case TB_STENCIL_1D:
        find_around(graph, 1, column, inputs);
        break;
    case TB_FFT:
        find_around(graph, fft_distance(graph->width, step), column, inputs);
        break;
    case TB_TREE:
        add_input(graph, inputs, column / 2);
        break;
    case TB_RANDOM_NEAREST:
        for (int64_t near = column - 2; near <= column + 2; near++)
            if (near == column || random_at(step, column, (uint64_t)(near - column + 2)) % 2)
                add_input(graph, inputs, near);
        break;
    case TB_ALL_TO_ALL:
        inputs->count = graph->width;
        inputs->all = true;
        break;
    default:
        break;
    }
}

static int64_t iterations_of(const struct tb_graph *graph, int64_t step, int64_t column)
{
    if (graph->kernel != TB_IMBALANCE)
        return graph->iterations;
    return (int64_t)(2.0 * (double)graph->iterations * (double)(random_at(step, column, 9) >> 11) * 0x1p-53);
}

static volatile double sink; /* keeps the compiler from leaving out a kernel */

static __attribute__((noinline)) void compute(int64_t iterations)
{
    double number[NUMBERS];
    for (int k = 0; k < NUMBERS; k++)
        number[k] = 1e-3 * k;
    for (int64_t i = 0; i < iterations; i++)
        for (int k = 0; k < NUMBERS; k++)
            number[k] = number[k] * 0.999 + 1e-3;
    sink = number[iterations % NUMBERS];
}

/* Each iteration reads and writes NUMBERS numbers, and the next one continues after them. The array belongs to the
 * thread; a task does not move while the kernel runs. It is not thread-local itself, because it would take most of a
 * thread's stack. */
static __attribute__((noinline)) void go_through_memory(int64_t iterations)
{
    static _Thread_local double *numbers;
    static _Thread_local size_t at;
    size_t from = at;
    if (!numbers && !(numbers = calloc(MEMORY, sizeof(*numbers)))) {
        fputs("no memory for the kernel `memory`\n", stderr);
        abort();
    }
    for (int64_t i = 0; i < iterations; i++, from = (from + NUMBERS) % MEMORY)
        for (int k = 0; k < NUMBERS; k++)
            numbers[from + (size_t)k] += 1;
    at = from;
}

static void run_kernel(enum tb_kernel kernel, int64_t iterations)
{
    if (kernel == TB_MEMORY)
        go_through_memory(iterations);
    else
        compute(iterations);
}

void tb_begin(struct tb_task *task, const struct tb_graph *graph, int64_t step, int64_t column)
{
    task->graph = graph;
    task->step = step;
    task->column = column;
    task->fed = 0;
    task->wrong = 0;
    task->digest = random_at(step, column, 8);
    tb_find_inputs(graph, step, column, &task->inputs);
}

void tb_feed(struct tb_task *task, const struct tb_cell *cell)
{
    task->wrong += cell->step != task->step - 1 || cell->column != tb_input(&task->inputs, task->fed);
    task->digest = mix(task->digest + cell->digest);
    task->fed++;
}

void tb_end(struct tb_task *task, struct tb_cell *cell, struct tb_counts *counts)
{
    const struct tb_graph *graph = task->graph;
    int64_t iterations = iterations_of(graph, task->step, task->column);
    if (graph->pass)
        graph->pass((uint64_t)(iterations + graph->overhead_ns));
    else
        run_kernel(graph->kernel, iterations);
    cell->step = task->step;
    cell->column = task->column;
    cell->digest = task->digest;
    counts->tasks++;
    counts->inputs += (uint64_t)task->fed;
    counts->wrong += task->wrong;
    counts->digests += task->digest;
}

int tb_expect(const struct tb_graph *graph, struct tb_counts *expected)
{
    struct tb_graph quick = *graph;
    struct tb_cell *cells = aligned_alloc(64, 2 * (size_t)graph->width * sizeof(*cells));
    if (!cells)
        return -ENOMEM;
    quick.pass = NULL;
    quick.kernel = TB_COMPUTE;
    quick.iterations = 0;
    *expected = (struct tb_counts){0};
    for (int64_t step = 0; step < graph->steps; step++) {
        struct tb_cell *own = cells + step % 2 * graph->width, *before = cells + (step + 1) % 2 * graph->width;
        for (int64_t column = 0; column < tb_width(graph, step); column++) {
            struct tb_task task;
            tb_begin(&task, &quick, step, column);
            for (int64_t k = 0; k < task.inputs.count; k++)
                tb_feed(&task, &before[tb_input(&task.inputs, k)]);
            tb_end(&task, &own[column], expected);
        }
    }
    free(cells);
    return 0;
}

void tb_add_counts(struct tb_counts *sum, const struct tb_counts *more)
{
    sum->tasks += more->tasks;
    sum->inputs += more->inputs;
    sum->wrong += more->wrong;
    sum->digests += more->digests;
}

bool tb_check(const struct tb_graph *graph, const char *model, const struct tb_counts *counts,
              const struct tb_counts *expected)
{
    bool right = counts->tasks == expected->tasks && counts->inputs == expected->inputs && !counts->wrong &&
                 counts->digests == expected->digests;
    if (!right && model)
        fprintf(stderr,
                "%s, %s: %" PRIu64 " tasks with %" PRIu64 " inputs, of them %" PRIu64 " wrong, and digests %" PRIx64
                "; expected %" PRIu64 " tasks with %" PRIu64 " inputs and digests %" PRIx64 "\n",
                tb_pattern_names[graph->pattern], model, counts->tasks, counts->inputs, counts->wrong, counts->digests,
                expected->tasks, expected->inputs, expected->digests);
    return right;
}

double tb_work(const struct tb_graph *graph)
{
    double sum = 0;
    for (int64_t step = 0; step < graph->steps; step++)
        for (int64_t column = 0; column < tb_width(graph, step); column++)
            sum += (double)iterations_of(graph, step, column);
    return sum;
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

double tb_iteration_ns(enum tb_kernel kernel)
{
    enum { TRIALS = 4000, ITERATIONS = 1000 };
    double least = 1e18;
    for (int i = 0; i < TRIALS; i++) {
        double begin = now_ns();
        run_kernel(kernel, ITERATIONS);
        double taken = (now_ns() - begin) / ITERATIONS;
        least = taken < least ? taken : least;
    }
    return least;
}
