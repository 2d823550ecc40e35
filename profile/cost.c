/* SPDX-License-Identifier: MIT */
/* What a spawn and a wait cost on this worker, for the predicted times. */
#include "profile/profile.h"

#include "include/uat/semaphore.h"
#include "include/uat/sync.h"
#include "profile/clock.h"

void __real_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t size);
void __real_uat_latch_wait(uat_latch_t l);
void __real_uat_latch_count_down(uat_latch_t l, uint64_t n);
void __real_uat_latch_destroy(uat_latch_t l);

static void empty(void *arg, void *result)
{
    (void)arg;
    (void)result;
}

/* Measure a spawn with its join. The clock is valid if the task stays on this worker. */
static void measure_spawn(void)
{
    double least = uat_profile_counts.spawn_ns;
    for (int i = 0; i < 100; i++) {
        uat_task_t t;
        int rank = uat_rank();
        double from = uat_profile_clock();
        __real_uat_spawn(&t, empty, NULL, 0, NULL, 0);
        if (t.record)
            uat_join_wait(&t);
        double ns = uat_profile_clock() - from;
        if (rank == uat_rank() && ns >= 0 && (least == 0 || ns < least))
            least = ns;
    }
    uat_profile_counts.spawn_ns = least;
}

static void wait_for(void *arg, void *result)
{
    (void)result;
    __real_uat_latch_wait(*(uat_latch_t *)arg);
}

/* Measure a wait. On one worker, the join waits, too: half of the time is one wait's. */
static void measure_wait(void)
{
    double least = uat_profile_counts.wait_ns;
    uint64_t begin = uat_time_ns();
    for (int i = 0; i < 5 && uat_size() == 1; i++) {
        uat_task_t t;
        uat_latch_t latch = uat_latch_create(1);
        double from = uat_profile_clock();
        __real_uat_spawn(&t, wait_for, &latch, sizeof(latch), NULL, 0);
        double end = uat_profile_clock();
        __real_uat_latch_count_down(latch, 1);
        double again = uat_profile_clock();
        if (t.record)
            uat_join_wait(&t);
        double ns = (uat_profile_clock() - again + end - from) / 2;
        __real_uat_latch_destroy(latch);
        if (ns >= 0 && (least == 0 || ns < least))
            least = ns;
    }
    uat_profile_counts.wait_ns = least;
    uat_profile_counts.elapsed_ns -= (double)(uat_time_ns() - begin);
}

void uat_profile_measure(void)
{
    measure_spawn();
    measure_wait();
}
