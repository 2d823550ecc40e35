/* SPDX-License-Identifier: MIT */
/*
 * Back-off for spin loops: `struct uat_relax r = {0}; while (!condition) uat_relax(&r);` The first calls pause. Later
 * calls yield the core, because the awaited peer may need it.
 */
#ifndef UAT_RELAX_H
#define UAT_RELAX_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* True if this host has more workers than cores. In that case waiting loops yield the core early. The job's start sets
 * it once, when the bindings of all workers are known. There is no copy of this variable. */
extern bool uat_relax_oversubscribed;

/* What a waiting loop looks at in a job that survives the loss of a worker (base/survival.h): half of *gate is the
 * number of losses. If it is not the one that this worker knows, `left` is called, and does not return inside of a run.
 * There is no copy of this variable. */
extern struct uat_relax_gate {
    const uint64_t *gate; /* NULL: no loss can be survived */
    uint64_t losses;
    void (*left)(void);
} uat_relax_gate;

/* Is there a loss that this worker does not know? Relaxed: the word stands alone; pairs with the swap in raise_gate()
 * of launcher/survival.c. */
static inline bool uat_relax_lost(void)
{
    return __builtin_expect(uat_relax_gate.gate != NULL, 0) &&
           __atomic_load_n(uat_relax_gate.gate, __ATOMIC_RELAXED) / 2 != uat_relax_gate.losses;
}

/* Called by waiting loops and slow paths. */
static inline void uat_relax_look(void)
{
    if (uat_relax_lost())
        uat_relax_gate.left();
}

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

/* Call this between two polls of a condition that can change without a store to this worker's segment. */
static inline void uat_relax_away(struct uat_relax *r)
{
    uat_relax_look();
    if (++r->spins < (uat_relax_oversubscribed ? UAT_RELAX_SPINS_OVERSUBSCRIBED : UAT_RELAX_SPINS))
        uat_pause();
    else
        uat_cpu_yield();
}

/* Call this between two polls of a word of this worker's segment, or between two polls for completions. In a
 * simulation, the worker sleeps until a peer has changed a word of its segment, or until its chains are complete. */
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
 * uat_relax() for a wait that may last as long as another worker's computation, or as main() of a rank between two
 * runs. If workers outnumber cores, the waiting worker sleeps after some thousand polls, else after some 10 ms. The
 * sleeps get longer, but each sleep is shorter than a tenth of the wait so far; a worker with a core of its own sleeps
 * for at most 1 ms. If waiting workers only yielded, each would use as much processor time as a worker that computes.
 * Returns true if the worker slept; in that case the caller also checks the time.
 */
bool uat_relax_long(struct uat_relax *r);

/* Call this between two polls for completions only. In a simulation, changes to the segment by peers do not end this
 * wait. */
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
