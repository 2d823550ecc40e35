/* SPDX-License-Identifier: MIT */
#include "perf/taskbench_metg.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

enum { POINTS_MAX = 64 };

/* A length of the kernels. */
struct point {
    double granularity, iterations; /* us; of a task on average */
};

/* The shortest of the trials. */
static int measure_point(const struct tb_sweep *sweep, const struct tb_graph *graph, const struct tb_counts *expected,
                         struct point *point)
{
    double least = INFINITY;
    for (int64_t i = 0; i < sweep->trials; i++) {
        struct tb_counts counts = {0};
        uint64_t ns = 0;
        int rc = sweep->run(sweep->model, graph, &ns, &counts);
        if (rc)
            return rc;
        if (!tb_check(graph, sweep->speaks ? sweep->model_name : NULL, &counts, expected))
            return -EBADMSG;
        least = fmin(least, (double)ns);
    }
    point->granularity = 1e-3 * least * sweep->workers / (double)expected->tasks;
    point->iterations = tb_work(graph) / (double)expected->tasks;
    return 0;
}

static double efficiency_of(const struct point *point, double iteration_ns)
{
    return 1e-3 * point->iterations * iteration_ns / point->granularity;
}

/* The granularity at which the efficiency is a half, between a point where it is `above` and the next one, `below`. */
static double between(const struct point *point, double above, double below)
{
    double share = (above - 0.5) / (above - below);
    return exp(log(point[0].granularity) + share * (log(point[1].granularity) - log(point[0].granularity)));
}

/* The points are in the order of their lengths, the longest first. */
static void conclude(const struct point *points, int count, double iteration_ns, struct tb_metg *metg)
{
    *metg = (struct tb_metg){NAN, efficiency_of(&points[0], iteration_ns), INFINITY};
    for (int i = 0; i < count; i++) {
        double here = efficiency_of(&points[i], iteration_ns);
        double next = i + 1 < count ? efficiency_of(&points[i + 1], iteration_ns) : 1;
        metg->least_us = fmin(metg->least_us, points[i].granularity);
        if (here >= 0.5)
            metg->metg_us = next < 0.5 ? between(&points[i], here, next) : points[i].granularity;
    }
}

int tb_find_metg(struct tb_sweep *sweep, const struct tb_graph *shape, struct tb_metg *metg)
{
    struct tb_graph graph = *shape;
    struct tb_counts expected;
    struct point points[POINTS_MAX] = {{0, 0}};
    int count = 0, rc = tb_expect(shape, &expected);
    for (double us = sweep->longest_us; us >= sweep->shortest_us && count < POINTS_MAX && !rc; us /= 2) {
        struct point *point = &points[count++];
        graph.iterations = (int64_t)(1e3 * us / sweep->iteration_ns + 0.5);
        rc = measure_point(sweep, &graph, &expected, point);
        if (!rc && !sweep->exact && point->iterations > 0)
            sweep->iteration_ns = fmin(sweep->iteration_ns, 1e3 * point->granularity / point->iterations);
        if (!rc && sweep->exact && efficiency_of(point, sweep->iteration_ns) < 0.5)
            break;
    }
    if (!rc)
        conclude(points, count, sweep->iteration_ns, metg);
    return rc;
}
