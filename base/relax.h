/* SPDX-License-Identifier: MIT */
/*
 * Back-off for spin loops: `struct uat_relax r = {0}; while (!condition) uat_relax(&r);`
 * It pauses first, then yields the core, because the awaited peer may need this very core.
 */
#ifndef UAT_RELAX_H
#define UAT_RELAX_H

#include <sched.h>
#include <stdbool.h>

#include "base/cpu.h"
#include "base/virtual.h"

struct uat_relax {
    unsigned spins;
};

enum {
    UAT_RELAX_SPINS = 1000,
    UAT_RELAX_SPINS_OVERSUBSCRIBED = 50,
    UAT_PAUSE_NS = 40, /* virtual time of a pause; the real instruction takes 15 to 50 ns */
    UAT_YIELD_NS = 400 /* virtual time of a yield that finds no other process to run */
};

/* More workers than cores on this host: waiting loops yield the core early. The job's start sets this once it knows
 * where all workers run; nothing else keeps a copy. */
extern bool uat_relax_oversubscribed;

/* One step of a loop that waits for a short time. */
static inline void uat_pause(void)
{
    if (UAT_IS_VIRTUAL())
        uat_virtual->pause(UAT_PAUSE_NS);
    else
        uat_cpu_pause();
}

/* Yield the core to another process. */
static inline void uat_cpu_yield(void)
{
    if (UAT_IS_VIRTUAL())
        uat_virtual->pause(UAT_YIELD_NS);
    else
        sched_yield();
}

/* Call this between two looks at something that may change without a store to this worker's segment. */
static inline void uat_relax_away(struct uat_relax *r)
{
    if (++r->spins < (uat_relax_oversubscribed ? UAT_RELAX_SPINS_OVERSUBSCRIBED : UAT_RELAX_SPINS))
        uat_pause();
    else
        uat_cpu_yield();
}

/* Call this between two looks at a word of this worker's segment, or between two looks for completions. In a
 * simulation, the worker sleeps until a peer has changed its segment or its chains are complete. */
static inline void uat_relax(struct uat_relax *r)
{
    if (!UAT_IS_VIRTUAL()) {
        uat_relax_away(r);
        return;
    }
    r->spins++;
    uat_virtual->wait();
}

/*
 * uat_relax() for a wait that may last as long as another worker's computation. If workers outnumber cores, the waiting
 * worker sleeps after some thousand looks. The sleeps get longer, but each takes less than a tenth of the wait so far.
 * If all waiting workers only yielded, each would take as much processor time as a worker that computes. Returns true
 * if it slept; the caller then also checks the time.
 */
bool uat_relax_long(struct uat_relax *r);

/* Call this between two looks for completions alone. In a simulation, peers' changes do not end this wait. */
static inline void uat_relax_complete(struct uat_relax *r)
{
    if (!UAT_IS_VIRTUAL()) {
        uat_relax_away(r);
        return;
    }
    r->spins++;
    uat_virtual->complete();
}

#endif
