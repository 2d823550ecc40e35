/* SPDX-License-Identifier: MIT */
#include "runtime/task/idle.h"

#include <time.h>

#include "base/random.h"
#include "base/relax.h"
#include "runtime/task/torture.h"
#include "runtime/watch/late.h"
#include "runtime/watch/neighbour.h"

enum {
    BACKOFF_SHIFT_MAX = 8, /* pauses of up to 2^8 after lost races */
    SPIN_FAILURES = 32,    /* attempts before yielding the core */
    SLEEP_FAILURES = 128,  /* ... before sleeping, where workers outnumber cores */
    LOOK_FAILURES = 64,    /* ... between two looks at the neighbour and at rank 0 */
    SLEEP_MIN_NS = 20000,
    SLEEP_MAX_NS = 500000
};

static struct uat_random pauses;

void uat_idle_open(uint64_t seed, int rank)
{
    pauses = uat_random_seed(~seed, (uint64_t)rank);
}

static void pause_randomly(unsigned failures)
{
    unsigned shift = failures < BACKOFF_SHIFT_MAX ? failures : BACKOFF_SHIFT_MAX;
    for (unsigned n = (unsigned)uat_random_next(&pauses) & ((1u << shift) - 1); n > 0; n--)
        uat_pause();
}

static void sleep_shortly(unsigned excess)
{
    long ns = (long)SLEEP_MIN_NS * (1 + excess / 16);
    struct timespec t = {.tv_nsec = ns < SLEEP_MAX_NS ? ns : SLEEP_MAX_NS};
    nanosleep(&t, NULL);
}

void uat_idle(struct uat_idle *idle, bool lost)
{
    idle->failures++;
    if (idle->failures % LOOK_FAILURES == 0) {
        uat_neighbour_look();
        uat_late_root();
    }
    if (lost)
        pause_randomly(idle->failures);
    bool may_sleep = uat_relax_oversubscribed && !uat_torture_waits_for_thieves();
    if (may_sleep && idle->failures > SLEEP_FAILURES)
        sleep_shortly(idle->failures - SLEEP_FAILURES);
    else if (idle->failures > SPIN_FAILURES)
        uat_yield();
    else
        uat_pause();
}
