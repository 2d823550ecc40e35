/* SPDX-License-Identifier: MIT */
/*
 * Description: programs whose work and span are known, in virtual time: each call of compute() takes exactly its
 * nanoseconds. Each run prints the work and the span that a profile must find. In real time compute() spins.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/uat.h"
#include "include/uat/global.h"
#include "include/uat/pattern.h"
#include "uat/semaphore.h"
#include "include/uat/sync.h"

static bool real_time;

static void compute(uint64_t ns)
{
    uat_sim_work(ns);
    if (real_time)
        for (uint64_t from = uat_time_ns(); uat_time_ns() - from < ns;)
            ;
}

/* ---- fib: a task of fib(n) computes 1 us ---- */
UAT_TASK(long, fib, int, n)
{
    compute(1000);
    if (n < 2)
        return n;
    fib_task a;
    fib_spawn(&a, n - 1);
    long b = fib(n - 2);
    return fib_join(&a) + b;
}
static long fib_tasks(int n)
{
    return n < 2 ? 1 : 1 + fib_tasks(n - 1) + fib_tasks(n - 2);
}

/* The burdened span by rule P3, with steals of 10 us: fib(n - 1) runs elsewhere or before the rest, whichever is
 * shorter. */
static double fib_burdened(int n)
{
    if (n < 2)
        return 1000;
    double child = fib_burdened(n - 1), rest = fib_burdened(n - 2), steal = 10000;
    double parallel = steal + (child > rest ? child : rest), serial = 1000.0 * (double)fib_tasks(n - 1) + rest;
    return 1000 + (parallel < serial ? parallel : serial);
}

/* ---- mergesort: n log n with a serial merge ---- */
UAT_TASK_VOID(mergesort, int, n)
{
    if (n <= 1024) {
        compute(10 * (uint64_t)n);
        return;
    }
    mergesort_task left;
    mergesort_spawn(&left, n / 2);
    mergesort(n / 2);
    mergesort_join(&left);
    compute((uint64_t)n); /* the merge */
}
static double mergesort_work(int n)
{
    return n <= 1024 ? 10.0 * n : 2 * mergesort_work(n / 2) + n;
}
static double mergesort_span(int n)
{
    return n <= 1024 ? 10.0 * n : mergesort_span(n / 2) + n;
}

/* ---- a group: children of different lengths ---- */
UAT_TASK_VOID(part, int, us)
{
    compute((uint64_t)us * 1000);
}
UAT_TASK_VOID(grouped, int, n)
{
    uat_group_t group;
    uat_group_begin(&group);
    for (int i = 1; i <= n; i++) {
        compute(100);
        part_group_spawn(&group, i);
    }
    uat_group_wait(&group);
}

/* ---- children joined first in, first out: between the joins the task computes ---- */
UAT_TASK_VOID(queued, int, us)
{
    part_task a, b;
    part_spawn(&a, us);
    part_spawn(&b, 10 * us);
    part_join(&a);
    compute(5000 * (uint64_t)us);
    part_join(&b);
}

/* ---- a wavefront over latches ---- */
enum { SIDE = 12 };
UAT_TASK_VOID(block, uat_latch_t, own, uat_latch_t, below, uat_latch_t, right)
{
    if (own.object)
        uat_latch_wait(own);
    compute(2000);
    if (below.object)
        uat_latch_count_down(below, 1);
    if (right.object)
        uat_latch_count_down(right, 1);
}
UAT_TASK_VOID(wavefront, int, unused)
{
    uat_group_t group;
    uat_latch_t latch[SIDE + 1][SIDE + 1];
    (void)unused;
    memset(latch, 0, sizeof(latch));
    uat_group_begin(&group);
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++)
            if (row + column > 0)
                latch[row][column] = uat_latch_create((uint64_t)(row > 0) + (uint64_t)(column > 0));
    for (int i = SIDE * SIDE - 1; i >= 0; i--) { /* backwards: each block waits */
        int row = i / SIDE, column = i % SIDE;
        block_group_spawn(&group, latch[row][column], latch[row + 1][column], latch[row][column + 1]);
    }
    uat_group_wait(&group);
}

/* ---- a task that tries to take what its child gives ---- */
UAT_TASK_VOID(give, uat_semaphore_t, s)
{
    compute(50000);
    uat_semaphore_release(s, 1);
    compute(20000);
}
UAT_TASK_VOID(take, int, unused)
{
    give_task t;
    uat_semaphore_t s = uat_semaphore_create(0);
    (void)unused;
    give_spawn(&t, s);
    while (uat_semaphore_try_acquire(s))
        uat_yield();
    compute(40000);
    give_join(&t);
    uat_semaphore_destroy(s);
}

/* ---- a serial loop around a small parallel part ---- */
UAT_TASK_VOID(serial, int, n)
{
    part_task t;
    part_spawn(&t, 100);
    for (int i = 0; i < n; i++)
        compute(1000);
    part_join(&t);
}

/* ---- a loop whose iterations compute ---- */
UAT_FOR(iterate, i)
{
    (void)i;
    compute(20000);
}
UAT_TASK_VOID(looped, int, n)
{
    iterate(0, n);
}

/* ---- far data: tasks read blocks of a distributed array ---- */
enum { FAR_BLOCK = 1 << 15 };
UAT_TASK_VOID(read_part, const char *, at)
{
    const char *p = uat_global_checkout(at, FAR_BLOCK, UAT_READ);
    compute(500 + (uint64_t)(p[0] != 0));
    uat_global_checkin(at, FAR_BLOCK, UAT_READ);
}
UAT_TASK_VOID(far, const char *, array, int, n)
{
    uat_group_t group;
    uat_group_begin(&group);
    for (int i = 0; i < n; i++)
        read_part_group_spawn(&group, array + (size_t)i * FAR_BLOCK);
    uat_group_wait(&group);
}

static int run(const char *what, int n)
{
    if (strcmp(what, "fib") == 0) {
        long value;
        int rc = fib_run(&value, n);
        printf("work %.0f span %.0f burdened %.0f\n", 1000.0 * (double)fib_tasks(n), 1000.0 * n, fib_burdened(n));
        return rc;
    }
    if (strcmp(what, "mergesort") == 0) {
        printf("work %.0f span %.0f\n", mergesort_work(n), mergesort_span(n));
        return mergesort_run(n);
    }
    if (strcmp(what, "group") == 0) {
        printf("work %.0f span %.0f\n", 100.0 * n + 500.0 * n * (n + 1), 1100.0 * n);
        return grouped_run(n);
    }
    if (strcmp(what, "queue") == 0) {
        /* two spawns and a join: the second child is the longest path, and is joined out of order */
        printf("work %.0f span %.0f burdened %.0f\n", 16000.0 * n, 10000.0 * n, 10000.0 * n + 20000);
        return queued_run(n);
    }
    if (strcmp(what, "wavefront") == 0) {
        printf("work %.0f span %.0f\n", 2000.0 * SIDE * SIDE, 2000.0 * (2 * SIDE - 1));
        return wavefront_run(0);
    }
    if (strcmp(what, "try") == 0) {
        printf("work 110000 span 90000\n");
        return take_run(0);
    }
    if (strcmp(what, "serial") == 0) {
        printf("work %.0f span %.0f burdened %.0f\n", 1000.0 * n + 100000, 1000.0 * (n > 100 ? n : 100),
               1000.0 * (n > 100 ? n : 100) + 10000);
        return serial_run(n);
    }
    if (strcmp(what, "loop") == 0) {
        printf("work %.0f span %.0f\n", 20000.0 * n, 20000.0);
        return looped_run(n);
    }
    if (strcmp(what, "far") == 0) {
        int rc = uat_global_open();
        char *array = rc ? NULL : uat_global_alloc((size_t)n * FAR_BLOCK, UAT_CYCLIC, FAR_BLOCK);
        printf("work 0 span 0\n");
        return array ? far_run(array, n) : 1;
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 3 || uat_init() != 0)
        return 2;
    real_time = strcmp(uat_setting("time"), "real") == 0;
    int rc = run(argv[1], atoi(argv[2]));
    return uat_finalize() || rc;
}
