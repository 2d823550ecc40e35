/* SPDX-License-Identifier: MIT */
#include "runtime/sched/idle.h"

#include <time.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/relax.h"
#include "runtime/sched/torture.h"
#include "runtime/job/straggler.h"
#include "runtime/job/neighbour.h"

enum {
    PAUSE_FIRST_NS = 64, /* upper bound of the pause after the first failure; the bound doubles with each further
                          * failure */
    PAUSE_SHIFT_MAX = 8, /* maximum number of doublings: pauses of up to 16 us, so that new work is found within 20
                          * us */
    /* The maximum number of doublings if workers share memory and the attempt found nothing: pauses of up to 1 us.
     * Short pauses do no harm here: there is no network to share, and an attempt that finds nothing only reads. After a
     * lost race PAUSE_SHIFT_MAX applies, because each claim delays an owner that publishes an entry or takes an entry
     * back. */
    PAUSE_SHIFT_NEAR = 4,
    SLICES = 8,           /* looks at the watched word in a pause, in virtual time */
    SLICE_NS = 200,       /* but at least this time between them */
    SPIN_FAILURES = 32,   /* failed attempts before yielding the core */
    SLEEP_FAILURES = 128, /* failed attempts before sleeping, where workers outnumber cores */
    LOOK_FAILURES = 64,   /* failed attempts between two looks at the neighbour and at rank 0 */
    NAP_FAILURES = 20000, /* the same for a worker with a core of its own: some 10 ms */
    NAP_NS = 50000,
    SLEEP_MIN_NS = 20000,
    SLEEP_MAX_NS = 500000
};

static struct uat_random pauses;
static bool shared_memory; /* all workers reach each other by loads and stores */

void uat_idle_open(uint64_t seed, int rank, bool by_cpu)
{
    shared_memory = by_cpu;
    pauses = uat_random_seed(~seed, (uint64_t)rank);
}

static struct {
    const uint64_t *word;
    uint64_t value;
} watched;

void uat_idle_watch(const uint64_t *word, uint64_t value)
{
    watched.word = word;
    watched.value = value;
}

/* Relaxed: a hint. The code that acts on the word loads it again. Pairs with a peer's WRITE. */
static bool has_changed(void)
{
    return watched.word && __atomic_load_n(watched.word, __ATOMIC_RELAXED) != watched.value;
}

static void pause_for(uint64_t ns)
{
    if (UAT_IS_VIRTUAL()) {
        uint64_t slice = ns / SLICES > SLICE_NS ? ns / SLICES : SLICE_NS;
        for (; watched.word && ns > slice && !has_changed(); ns -= slice)
            uat_virtual->pause(slice);
        if (!has_changed())
            uat_virtual->pause(ns);
        return;
    }
    for (uint64_t end = uat_clock_ns() + ns; uat_clock_ns() < end && !has_changed();)
        uat_cpu_pause();
}

/* Pause for a random time, so that thieves that have collided do not collide again. */
static void back_off(unsigned failures, bool lost)
{
    unsigned most = shared_memory && !lost ? PAUSE_SHIFT_NEAR : PAUSE_SHIFT_MAX;
    unsigned shift = failures < most ? failures : most;
    uint64_t longest = (uint64_t)PAUSE_FIRST_NS << shift;
    pause_for(uat_random_next(&pauses) % longest);
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
        uat_straggler_root();
    }
    /* A worker without a core of its own backs off only if it has lost a race with another thief. */
    if (lost || !uat_relax_oversubscribed)
        back_off(idle->failures, lost);
    bool may_sleep = uat_relax_oversubscribed && !uat_torture_waits_for_thieves();
    if (may_sleep && idle->failures > SLEEP_FAILURES)
        sleep_shortly(idle->failures - SLEEP_FAILURES);
    else if (idle->failures > NAP_FAILURES && !UAT_IS_VIRTUAL() && !uat_torture_waits_for_thieves())
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    else if (idle->failures > SPIN_FAILURES)
        uat_cpu_yield();
    else
        uat_pause();
}
