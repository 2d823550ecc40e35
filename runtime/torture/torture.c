/* SPDX-License-Identifier: MIT */
#include "runtime/torture/torture.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/delay.h"
#include "base/log.h"
#include "base/random.h"
#include "base/relax.h"
#include "base/virtual.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/self.h"
#include "runtime/job/symbol.h"
#include "runtime/segment/ghost.h"
#include "runtime/task/sanitize.h"
#include "runtime/task/worker.h"
#include "runtime/torture/settings.h"
#include "runtime/torture/statics.h"

enum { STEAL_WAITS = 400, STEAL_SPINS = 50, POISON = 0xa5 };

bool uat_torture_on;

/* Mode "evacuate": the stacks that have been copied out, youngest first. */
struct evacuated {
    struct evacuated *older;
    uintptr_t sp;
    size_t bytes;
    unsigned char stack[];
};
static struct evacuated *evacuated;

static bool evacuates, waits; /* the modes "evacuate" and "steal" */

/* Mode "rollback": when this worker asks for a stop; UINT64_MAX: it has asked, or the mode is off. */
static uint64_t due = UINT64_MAX;
static struct uat_random gaps;

/* Are these the bytes of a poisoned stack, perhaps with an index added? */
static bool is_poison(uint64_t value)
{
    const uint64_t word = UINT64_C(0x0101010101010101) * POISON;
    return value >> 32 == word >> 32 || (uint32_t)value == (uint32_t)word;
}

static void explain_fault(const struct uat_fault *fault)
{
    char place[320], block[80];
    if (uat_statics_explain(fault))
        return;
    bool poisoned = is_poison(fault->address);
    for (int i = 0; i < fault->count; i++)
        poisoned |= is_poison(fault->registers[i]);
    int owner = uat_torture_heap_owner(fault->address);
    bool earlier = owner >= 0 && uat_torture_heap_is_earlier(fault->address);
    if (evacuates && poisoned)
        uat_error(
            "a task has used bytes 0xa5, which UAT_TORTURE=evacuate leaves in the place of other tasks' stacks: it "
            "keeps a pointer into a stack that is not its own");
    else if (owner >= 0 && (owner != uat_self.rank || earlier))
        uat_error("a task has used %p, which malloc() gave it on rank %d%s, %s: nothing of one process, and so no "
                  "address from "
                  "malloc(), may be kept across a spawn or a join",
                  (void *)fault->address, owner,
                  earlier ? " before the job's restart"
                          : uat_torture_block(owner, fault->address, block, sizeof(block)),
                  uat_symbol_place(fault->pc, place, sizeof(place)));
}

void uat_torture_open(int rank)
{
    evacuates = uat_torture_settings.torture == UAT_TORTURE_EVACUATE;
    waits = uat_torture_settings.torture == UAT_TORTURE_STEAL;
    if (uat_torture_settings.torture == UAT_TORTURE_ROLLBACK) {
        gaps = uat_random_seed(uat_torture_seed(), (uint64_t)rank + 1);
        due = 0;
    }
    uat_torture_on = evacuates || waits || due == 0;
    int ranks = uat_ghosts.size > 0 ? uat_ghosts.names : uat_self.size;
    if (ranks > 1)
        uat_torture_heap_move(rank, ranks);
    uat_statics_open();
    if (ranks > 1 || uat_torture_on || uat_torture_settings.statics)
        uat_fault_ask(explain_fault);
    if (uat_torture_delays() || UAT_IS_VIRTUAL()) /* in a simulation, UAT_SIM_SEED decides what happens at each delay */
        uat_delay_start(uat_torture_seed() * 1000003 + (uint64_t)rank);
}

bool uat_torture_waits_for_thieves(void)
{
    return waits;
}

static void move_out(uintptr_t sp, uintptr_t base)
{
    struct evacuated *e = malloc(sizeof(*e) + (base - sp));
    if (!e)
        uat_fatal("no memory for UAT_TORTURE=evacuate");
    uat_sanitize_unpoison(sp, base);
    *e = (struct evacuated){.older = evacuated, .sp = sp, .bytes = base - sp};
    memcpy(e->stack, (void *)sp, e->bytes);
    memset((void *)sp, POISON, e->bytes);
    evacuated = e;
    uat_task_counts.evacuations++;
    uat_task_counts.evacuated_bytes += e->bytes;
}

/* Bring the bytes of a stack back to the stack's place. Ends the job if a task has written there meanwhile. */
static void bring(const struct evacuated *e)
{
    const unsigned char *place = (const unsigned char *)e->sp;
    for (size_t i = 0; i < e->bytes; i++)
        if (place[i] != POISON)
            uat_fatal(
                "a task has written to another task's stack, at %p; tasks may share nothing but arguments and results",
                (const void *)(place + i));
    memcpy((void *)e->sp, e->stack, e->bytes);
}

static void move_in(uintptr_t sp)
{
    struct evacuated *e = evacuated;
    if (!e || e->sp != sp)
        return; /* a root has no spawner; or a checkpoint has already brought the stack back */
    bring(e);
    evacuated = e->older;
    free(e);
}

void uat_torture_show(bool all)
{
    for (struct evacuated *e = evacuated; e; e = e->older)
        if (all)
            bring(e);
        else
            memset((void *)e->sp, POISON, e->bytes);
}

/* Has a thief arrived since the counts were `bottom` and `given`? */
static bool has_come(struct uat_deque *d, uint64_t bottom, uint64_t given)
{
    if (d->giver) {
        /* Complete the sending of a stack that was given away. An adapter makes progress by itself; the transport under
         * torture does not. */
        uat_check(uat_self.transport->class_->progress(uat_self.transport));
        uat_deque_refill(d); /* answers the thieves that ask */
    }
    if (uat_deque_is_secret(d))
        return d->count.given > given;
    /* Relaxed: only a hint. Pairs with the thieves' atomics on `claims` in uat_thief_claim(), and with the WRITE of
     * `claims` in claim(), papers/thief_paper.c. */
    return (int64_t)(__atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED) - bottom) >= 0;
}

/*
 * Wait a bounded time for a thief to take what is published, or to ask. After a wait in vain the next one is half as
 * long, down to one yield: if all workers have work, no thief comes, and on a busy machine each yield takes
 * milliseconds.
 */
static void wait_for_thief(void)
{
    static int patience = STEAL_WAITS;
    struct uat_deque *d = &uat_worker.deque;
    uint64_t bottom = d->bottom, given = d->count.given;
    if (!d->giver && d->published == 0)
        return;
    for (int i = 0; i < patience && (d->giver || d->published > 0); i++) {
        if (has_come(d, bottom, given)) {
            patience = STEAL_WAITS;
            return;
        }
        if (i % STEAL_SPINS == STEAL_SPINS - 1)
            uat_cpu_yield();
        else
            uat_pause();
    }
    if (patience > STEAL_SPINS)
        patience /= 2;
}

/* A stop comes before any work, so the run goes on only if there is time between two stops. */
void uat_torture_stood(uint64_t ns)
{
    enum { SHORTEST_NS = 50000, DOUBLINGS = 7, STOPS = 4 };
    uint64_t gap = (uint64_t)SHORTEST_NS << (uat_random_next(&gaps) >> 32) % DOUBLINGS;
    due = uat_clock_ns() + (gap > STOPS * ns ? gap : STOPS * ns);
}

bool uat_torture_asks(void)
{
    if (due == UINT64_MAX || uat_clock_ns() < due)
        return false;
    due = UINT64_MAX;
    return true;
}

void uat_torture_pushed(uintptr_t sp)
{
    const struct uat_deque *d = &uat_worker.deque;
    if (evacuates)
        move_out(sp, d->top[-2] & ~(uintptr_t)UAT_TAG_MASK);
    else if (waits)
        wait_for_thief();
}

void uat_torture_returned(uintptr_t sp)
{
    if (evacuates)
        move_in(sp);
}
