/* SPDX-License-Identifier: MIT */
/*
 * Description: the headers alone, in C11 and in C++17. They need no other header, and every form of a typed task
 * compiles.
 */
#include <uat.h>
#include <uat/adaptive.h>
#include <uat/checkpoint.h>
#include <uat/dataflow.h>
#include <uat/generator.h>
#include <uat/sync.h>
#ifdef __cplusplus
#include <uat/generator.hpp>
#endif
#include <uat/channel.h>
#include <uat/global.h>
#include <uat/pattern.h>
#include <uat/reducer.h>

struct point {
    double x, y;
};

UAT_TASK(long, fib, int, n)
{
    fib_task a;
    long b;

    if (n < 2)
        return n;
    fib_spawn(&a, n - 1);
    b = fib(n - 2);
    return fib_join(&a) + b;
}

UAT_TASK(long, grouped, int, n)
{
    uat_group_t group;

    uat_group_begin(&group);
    for (int i = 0; i < n; i++)
        fib_group_spawn(&group, i);
    fib_group_spawn_on(&group, uat_rank(), n);
    uat_migrate(uat_rank());
    uat_group_wait(&group);
    return n;
}

UAT_FLOW_TASK(all_modes, in, long, a, out, long, b, inout, long, c, any, long, d, in_below, long, e, out_below, long, f,
              inout_below, long, g, any_below, long, h)
{
    *b = *a + *e;
    *c += *d;
    *f = *g + *h;
}

static void long_add(long *sum, const long *more)
{
    *sum += *more;
}

UAT_FLOW_TASK(sum, add, long, a, add, long, b)
{
    *a += 1;
    *b += 2;
}

UAT_FLOW_TASK(one_access, scratch, struct point, room, value, double, x)
{
    room->x = x;
}

UAT_TASK_VOID(unroll, long *, x)
{
    uat_flow_t flow;

    uat_flow_begin(&flow);
    all_modes_flow(&flow, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7);
    one_access_flow(&flow, 1);
    sum_flow(&flow, x, x + 1);
    uat_flow_keep_order(&flow);
    uat_flow_wait_datum(&flow, x, UAT_FLOW_IN);
    uat_flow_end(&flow);
}

static void count_part(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end, sum = 0, more, to;
    (void)arg;
    while (uat_context_next(c, 10, &begin, &end))
        sum += end - begin;
    while (uat_context_merge(c, &more) || uat_context_take_back(c, &more, &to))
        sum += more;
    *(int64_t *)result = sum;
}

UAT_TASK(int64_t, count, int64_t, n)
{
    uat_adaptive_t a = {count_part, UAT_CONCURRENT, NULL, 1, 0, sizeof(int64_t)};
    int64_t sum;

    uat_adaptive_run(&a, NULL, 0, n, NULL, &sum);
    return sum;
}

UAT_FOR(halve, i, double *, x, double, by)
{
    x[i] /= by;
}

UAT_REDUCE(double, sum_of_points, 0, UAT_PLUS, i, const struct point *, p)
{
    return p[i].x + p[i].y;
}

UAT_TASK(struct point, middle, struct point, p, struct point, q)
{
    struct point m;

    m.x = (p.x + q.x) / 2;
    m.y = (p.y + q.y) / 2;
    return m;
}

UAT_TASK_VOID(eight, char, a, short, b, int, c, long, d, float, e, double, f, uint64_t, g, const struct point *, h)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
}

UAT_TASK(int, none)
{
    return 1;
}

UAT_TASK_VOID(nothing)
{
}

struct wide {
    double x[8];
} __attribute__((aligned(64)));

UAT_TASK(struct wide, widen, double, x, struct wide, w)
{
    w.x[0] = x;
    return w;
}

UAT_TASK_DECLARE(int, odd, unsigned, n)
UAT_TASK_DECLARE(int, even, unsigned, n)
static int odd(unsigned n)
{
    even_task t;

    if (n == 0)
        return 0;
    even_spawn(&t, n - 1);
    return even_join(&t);
}
static int even(unsigned n)
{
    odd_task t;

    if (n == 0)
        return 1;
    odd_spawn(&t, n - 1);
    return odd_join(&t);
}

UAT_GENERATOR(struct point, points, int, n)
{
    for (int i = 0; i < n; i++) {
        struct point p = {1.0 * i, 0};
        uat_generator_yield(p);
    }
}

UAT_FUTURE(struct point, place);
UAT_CHANNEL(struct point, route);

static int use_objects(struct point p)
{
    place_future f = place_create();
    route_channel c = route_create(1);

    place_set(f, p);
    p = place_get(f);
    return route_send(c, p) || route_receive(c, &p) || place_try_get(f, &p);
}

static double take_points(void)
{
    points_generator g;
    struct point p;
    double sum = 0;

    points_begin(&g, 3);
    while (uat_generator_next(&g, &p))
        sum += p.x;
    uat_generator_end(&g);
    return sum;
}

int main(void)
{
    struct point p = {0, 0}, m;
    struct wide wide = {{0}};
    uat_stats_t stats;
    long result;
    int yes;

    if (uat_init() != 0 || take_points() != 3 || (uat_size() > 99 && use_objects(p)))
        return 1;
    if (fib_run(&result, 10) != 0 || middle_run(&m, p, p) != 0 || eight_run(1, 2, 3, 4, 5, 6, 7, &p) != 0)
        return 1;
    if (none_run(&yes) != 0 || nothing_run() != 0 || widen_run(&wide, 1, wide) != 0)
        return 1;
    if (odd_run(&yes, 3) != 0)
        return 1;
    if (uat_stats(&stats) != 0 || uat_stats_total(&stats) != 0 || uat_setting("deque") == NULL || uat_barrier() != 0)
        return 1;
    return uat_rank() >= uat_size() || uat_finalize() != 0;
}
