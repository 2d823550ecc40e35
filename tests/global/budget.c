/* SPDX-License-Identifier: MIT */
/*
 * Description: publications may spend only a limited part of the time on releases (the budget). A flat loop's children
 * write far bytes, with round trips of 1 ms. The loop spends most of its time without waiting, because publications are
 * postponed. Publications are not postponed forever: after the loop, a thief finds the continuation of a task that
 * spawns again. During the loop the other worker is busy. Otherwise it could steal every continuation at once, and the
 * loop's worker would have nothing to release.
 *
 * The test needs two workers and UAT_GLOBAL_HOSTS=2,latency=1ms.
 */
#include <stdio.h>

#include "uat.h"
#include "uat/global.h"

enum { LOOP_MS = 400, PATIENCE_MS = 20000 };

static char *array;
static uat_atomic_t *stolen, *looped;

static double now_ms(void)
{
    return 1e-6 * (double)uat_time_ns();
}

/* Write eight bytes that are far from the worker that runs this task. */
UAT_TASK_VOID(touch, int64_t, i)
{
    char *p = array + (size_t)(1 - uat_rank()) * UAT_GLOBAL_BLOCK + (size_t)i % 4096 * 8;
    *(int64_t *)uat_global_checkout(p, 8, UAT_WRITE) = i;
    uat_global_checkin(p, 8, UAT_WRITE);
}

UAT_TASK_VOID(nothing, int, unused)
{
}

/* Writes, then spawns repeatedly. Each spawn checks whether the budget allows a publication again. */
UAT_TASK_VOID(spawn_again, int, unused)
{
    double end = now_ms() + PATIENCE_MS;
    touch(1);
    while (!uat_atomic_load(stolen) && now_ms() < end) {
        nothing_task task;
        nothing_spawn(&task, unused);
        nothing_join(&task);
    }
}

/* Keeps a worker busy until the loop is over. */
UAT_TASK_VOID(be_busy, int, unused)
{
    double end = now_ms() + PATIENCE_MS;
    while (!uat_atomic_load(looped) && now_ms() < end)
        ;
}

/* Returns the duration of the loop in milliseconds. */
UAT_TASK(double, loop, int, unused)
{
    be_busy_task busy;
    be_busy_spawn(&busy, unused); /* the continuation is stolen */
    double begin = now_ms(), end = begin + LOOP_MS;
    for (int64_t i = 0; now_ms() < end; i++) {
        touch_task task;
        touch_spawn(&task, i);
        touch_join(&task);
    }
    end = now_ms();
    uat_atomic_fetch_add(looped, 1); /* now the other worker becomes idle and steals */
    touch(2);                        /* written on this worker, whose budget is exhausted */
    spawn_again_task task;
    spawn_again_spawn(&task, unused);
    uat_atomic_fetch_add(stolen, 1); /* the child waits for this count, so only a thief can get here in time */
    spawn_again_join(&task);
    be_busy_join(&busy);
    return end - begin;
}

int main(void)
{
    if (uat_init())
        return 1;
    array = uat_global_alloc(2 * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0);
    stolen = uat_global_alloc(sizeof(*stolen), UAT_BLOCKED, 0);
    looped = uat_global_alloc(sizeof(*looped), UAT_BLOCKED, 0);
    if (!array || !stolen || !looped)
        return 1;
    double loop_ms, begin = now_ms();
    if (loop_run(&loop_ms, 0))
        return 1;
    double run_ms = now_ms() - begin;
    uat_stats_detail_t s;
    if (uat_stats_detail_total(&s))
        return 1;
    double waited_ms = (double)s.global_releases_waited;
    int wrong = 0;
    if (uat_rank() == 0) {
        printf("loop of %.0f ms, releases waited at least %.0f ms, %lu publications withheld\n", loop_ms, waited_ms,
               s.publications_unreleased);
        if (s.publications_unreleased == 0 || waited_ms > loop_ms / 2) {
            fprintf(stderr, "budget: releases are not put off\n");
            wrong = 1;
        }
        if (run_ms > loop_ms + PATIENCE_MS) {
            fprintf(stderr, "budget: no thief has taken what was published after the loop\n");
            wrong = 1;
        }
    }
    return uat_finalize() || wrong;
}
