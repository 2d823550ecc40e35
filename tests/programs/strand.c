/* SPDX-License-Identifier: MIT */
/*
 * Description: a long strand. A task with 40 continuations above it runs without a spawn until thieves have taken all
 * published continuations. Thieves must not take the others before the task's next spawn. Needs 2 workers or more.
 */
#include <stdio.h>
#include <time.h>

#include "inspect/inspect.h"
#include "uat.h"

enum { DEPTH = 40, LIMIT_SECONDS = 30, RETRY_SECONDS = 1, QUIET_SECONDS = 1 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The number of claims by thieves. Relaxed: the strand only counts them. */
static uint64_t claims(void)
{
    return __atomic_load_n(&uat_inspect_deque()->ring->claims, __ATOMIC_RELAXED);
}

static uint64_t wait_for_claims(uint64_t wanted, double seconds)
{
    double end = now() + seconds;
    while (claims() < wanted && now() < end)
        ;
    return claims();
}

UAT_TASK(long, nothing, long, n)
{
    return n;
}

/* The strand itself. Returns 0 on success. */
static long strand(void)
{
    double start = now();
    /* 16, plus one for each entry that was stolen during the descent and replaced by another entry */
    uint64_t published = uat_inspect_deque()->bottom, taken = wait_for_claims(published, LIMIT_SECONDS);
    double seconds = now() - start;
    if (published < UAT_RING_SLOTS || taken != published ||
        wait_for_claims(published + 1, QUIET_SECONDS) != published) {
        fprintf(stderr, "strand: %llu claims while %llu entries were published\n", (unsigned long long)claims(),
                (unsigned long long)published);
        return 1;
    }
    printf("%llu continuations taken in %.6f s\n", (unsigned long long)published, seconds);
    for (uint64_t wanted = taken; wanted < DEPTH;) {
        wanted = wanted + UAT_RING_SLOTS < DEPTH ? wanted + UAT_RING_SLOTS : DEPTH;
        /* A spawn publishes nothing while the thief of the slot's last entry has not acknowledged its claim, so one
         * spawn may not be enough (rule D5 of deque/owner.h). */
        for (double end = now() + LIMIT_SECONDS; claims() < wanted;) {
            nothing_task t;
            nothing_spawn(&t, 0);
            nothing_join(&t);
            if (wait_for_claims(wanted, RETRY_SECONDS) < wanted && now() > end) {
                fprintf(stderr, "strand: %llu claims after spawns, not %llu\n", (unsigned long long)claims(),
                        (unsigned long long)wanted);
                return 1;
            }
        }
    }
    return 0;
}

UAT_TASK(long, nest, long, depth)
{
    if (depth == 0)
        return strand();
    nest_task t;
    nest_spawn(&t, depth - 1);
    return nest_join(&t);
}

int main(void)
{
    long wrong = 1;
    if (uat_init() || nest_run(&wrong, DEPTH))
        return 1;
    return uat_finalize() || wrong;
}
