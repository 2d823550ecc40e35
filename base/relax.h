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
    UAT_PAUSE_NS = 40, /* of virtual time; the pause instruction takes 15 to 50 ns */
    UAT_YIELD_NS = 400 /* of virtual time; a system call that finds nobody else on the core */
};

/* More workers than cores on this host: waiting loops give the core away early. The start of a job sets it, once it
 * knows where all workers sit; nobody else keeps a copy. */
extern bool uat_relax_oversubscribed;

/* One step of a loop that waits for a short time. */
static inline void uat_pause(void)
{
    if (UAT_IS_VIRTUAL())
        uat_virtual->pause(UAT_PAUSE_NS);
    else
        uat_cpu_pause();
}

/* Give the core to another process. */
static inline void uat_cpu_yield(void)
{
    if (UAT_IS_VIRTUAL())
        uat_virtual->pause(UAT_YIELD_NS);
    else
        sched_yield();
}

/* Between two looks at something that may change without a change of a word of the own segment. */
static inline void uat_relax_away(struct uat_relax *r)
{
    if (++r->spins < (uat_relax_oversubscribed ? UAT_RELAX_SPINS_OVERSUBSCRIBED : UAT_RELAX_SPINS))
        uat_pause();
    else
        uat_cpu_yield();
}

/* Between two looks at a word of the own segment, or for completions: in a simulation the worker sleeps until a peer
 * has changed its segment or its chains are complete. */
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
 * The same in a wait that may last as long as what another worker computes. Where workers outnumber cores, this one
 * sleeps after some thousand looks, for longer and longer, but for less than a tenth of the wait so far. If all
 * who wait only yielded, each of them would take as much of the processor as a worker that computes. Returns whether it
 * slept: then the caller looks at the time, too.
 */
bool uat_relax_long(struct uat_relax *r);

/* Between two looks for completions alone: what peers change in the meantime does not matter. */
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
