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

struct uat_relax {
    unsigned spins;
};

enum { UAT_RELAX_SPINS = 1000, UAT_RELAX_SPINS_OVERSUBSCRIBED = 50 };

/* More workers than cores on this host: waiting loops give the core away early. The start of a job sets it, once it
 * knows where all workers sit; nobody else keeps a copy. */
extern bool uat_relax_oversubscribed;

static inline void uat_relax(struct uat_relax *r)
{
    if (++r->spins < (uat_relax_oversubscribed ? UAT_RELAX_SPINS_OVERSUBSCRIBED : UAT_RELAX_SPINS))
        uat_cpu_pause();
    else
        sched_yield();
}

#endif
