/* SPDX-License-Identifier: MIT */
#include "runtime/sched/idle.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/relax.h"
#include "deque/thief.h"
#include "runtime/torture/torture.h"
#include "runtime/job/straggler.h"
#include "runtime/job/neighbour.h"
#include "runtime/job/self.h"
#include "runtime/sched/settings.h"

enum {
    PAUSE_FIRST_NS = 64, /* upper bound of the pause after the first failure; the bound doubles with each further
                          * failure */
    PAUSE_SHIFT_MAX = 8, /* maximum number of doublings: pauses of up to 16 us, so that new work is found within 20
                          * us; lost races can make them longer */
    /* The maximum number of doublings if workers share memory and the attempt found nothing: pauses of up to 1 us.
     * Short pauses do no harm here: there is no network to share, and an attempt that finds nothing only reads. After a
     * lost race PAUSE_SHIFT_MAX applies, because each claim delays an owner that publishes an entry or takes an entry
     * back. */
    PAUSE_SHIFT_NEAR = 4,
    SLICES = 8,     /* looks at the awaited word in a pause, in virtual time */
    SLICE_NS = 200, /* but at least this time between them */
    /* The limits after lost races: the pause is at most the duration of the latest lost attempt, doubled LOSSES_MAX
     * times, and at most 262 us. */
    LOSSES_MAX = 7,
    SLOW_NS = 4000,  /* a lost race is counted if the attempt took this time, two round trips of InfiniBand ... */
    SLOW_LOOKS = 5,  /* ... and SLOW_LOOKS / 2 times as long as attempts that found nothing in one round trip */
    LOOKS_SHIFT = 3, /* the mean duration of these attempts weighs the latest one by 1 / 2 to this power */
    PAUSE_LOST_MAX_NS = 1 << 18,
    SPIN_FAILURES = 32,   /* failed attempts before yielding the core */
    SLEEP_FAILURES = 128, /* failed attempts before sleeping, where workers outnumber cores */
    LOOK_FAILURES = 64,   /* failed attempts between two looks at the neighbour and at rank 0 */
    NAP_FAILURES = 20000, /* the same for a worker with a core of its own: some 10 ms */
    NAP_NS = 50000,
    SLEEP_MIN_NS = 20000,
    SLEEP_MAX_NS = 500000
};

static struct uat_random pauses;
static struct {
    unsigned losses;     /* each lost race whose attempt was slow adds 1, and each success takes 1 away */
    uint64_t attempt_ns; /* duration of the latest such attempt, including its wait for the victim's word */
    uint64_t look_ns;    /* mean duration of the attempts that found nothing in one round trip */
} race;
static struct {
    const uint64_t *word;
    uint64_t value;
} awaited;
static bool shared_memory; /* all workers reach each other by loads and stores */

void uat_idle_open(void)
{
    shared_memory = uat_self.transport->cpu_atomics;
    pauses = uat_random_seed(~uat_sched_settings.seed, (uint64_t)uat_self.rank);
    memset(&race, 0, sizeof(race));
    awaited.word = NULL;
    awaited.value = 0;
}

void uat_idle_watch(const uint64_t *word, uint64_t value)
{
    awaited.word = word;
    awaited.value = value;
}

/* Relaxed: a hint. The code that acts on the word loads it again. Pairs with a peer's WRITE. */
static bool has_changed(void)
{
    return awaited.word && __atomic_load_n(awaited.word, __ATOMIC_RELAXED) != awaited.value;
}

/* A change ends one pause: a worker that takes no work, and so does not act on the word, must pause all the same. */
static void see_change(void)
{
    if (has_changed())
        awaited.value = __atomic_load_n(awaited.word, __ATOMIC_RELAXED); /* as above */
}

static void pause_for(uint64_t ns)
{
    if (UAT_IS_VIRTUAL()) {
        uint64_t slice = ns / SLICES > SLICE_NS ? ns / SLICES : SLICE_NS;
        for (; awaited.word && ns > slice && !has_changed(); ns -= slice)
            uat_virtual->pause(slice);
        if (!has_changed())
            uat_virtual->pause(ns);
        see_change();
        return;
    }
    for (uint64_t end = uat_clock_ns() + ns; uat_clock_ns() < end && !has_changed();)
        uat_cpu_pause();
    see_change();
}

/* Is this the duration of an attempt that waited for other thieves' atomics? */
static bool is_slow(uint64_t took)
{
    return took >= SLOW_NS && 2 * took >= SLOW_LOOKS * race.look_ns;
}

/*
 * Count a failure of this worker as a lost race, if it is one and took long. An adapter carries out the atomics on one
 * word one after the other: a ConnectX-6 takes 470 ns for each (docs/simulation.md). If many thieves want one victim's
 * tasks, each of them waits until the atomics of all others are done, and finds that its claim is outdated. The
 * attempts of 64 thieves at the same word last 30 us, and one in 48 succeeds. So the pause after such an attempt is a
 * multiple of its duration. The number of losses determines the multiple, until a thief wins as often as it loses.
 */
static void count_race(const struct uat_idle *idle, int result, unsigned trips, uint64_t took)
{
    if (idle->failures == 0) { /* a success came before */
        race.losses -= race.losses > 0;
        return;
    }
    if (result == UAT_STEAL_EMPTY && trips == 1)
        race.look_ns = race.look_ns ? race.look_ns - (race.look_ns >> LOOKS_SHIFT) + (took >> LOOKS_SHIFT) : took;
    if (result != UAT_STEAL_LOST_RACE || !is_slow(took))
        return;
    race.attempt_ns = took;
    if (race.losses < LOSSES_MAX)
        race.losses++;
}

/* The longest pause after a lost race. */
static uint64_t longest_after_race(uint64_t usual)
{
    uint64_t longest = race.losses > 0 ? race.attempt_ns << race.losses : 0;
    longest = longest < PAUSE_LOST_MAX_NS ? longest : PAUSE_LOST_MAX_NS;
    return longest > usual ? longest : usual;
}

/* Pause for a random time, so that thieves that have collided do not collide again. */
static void back_off(unsigned failures, int result)
{
    unsigned most = shared_memory && result == UAT_STEAL_EMPTY ? PAUSE_SHIFT_NEAR : PAUSE_SHIFT_MAX;
    unsigned shift = failures < most ? failures : most;
    uint64_t longest = (uint64_t)PAUSE_FIRST_NS << shift;
    pause_for(uat_random_next(&pauses) % (result == UAT_STEAL_LOST_RACE ? longest_after_race(longest) : longest));
}

static void sleep_shortly(unsigned excess)
{
    long ns = (long)SLEEP_MIN_NS * (1 + excess / 16);
    struct timespec t = {.tv_nsec = ns < SLEEP_MAX_NS ? ns : SLEEP_MAX_NS};
    nanosleep(&t, NULL);
}

void uat_idle(struct uat_idle *idle, int result, unsigned trips, uint64_t took)
{
    count_race(idle, result, trips, took);
    idle->failures++;
    if (idle->failures % LOOK_FAILURES == 0) {
        uat_neighbour_look();
        uat_straggler_root();
    }
    /* A worker without a core of its own backs off only if it has lost a race with another thief. */
    if (result != UAT_STEAL_EMPTY || !uat_relax_oversubscribed)
        back_off(idle->failures, result);
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
