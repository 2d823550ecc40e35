/* SPDX-License-Identifier: MIT */
/*
 * The crew: the workers that take part in a run. A worker that is out of the crew hands its tasks over to the others,
 * and sleeps. It keeps its rank, its memory and its place in all collective calls. Model: tests/model/crew.pml.
 *
 *   Y1  Ranks never change: uat_size() stays the number of ranks. Rank 0 is never out.
 *   Y2  Each worker decides for itself whether it is out. It reads its own word `limit`, which calls of uat_resize()
 *       change as L1 of runtime/adaptive/concurrency.c says. So no worker waits for another, and no run stops.
 *   Y3  A worker rests only when its deque is empty and nothing that others may take is ready on it. If such a task
 *       becomes ready later, it works again until others have taken the task. So no task is left on a worker at which
 *       nobody looks.
 *   Y4  A worker that begins or ends its rest sends { WRITE state; FETCH_ADD epoch } to all workers. So a worker that
 *       sees a new epoch also sees the state (O1). Each state has one writer.
 *   Y5  The states only save time: thieves do not look at workers that rest. No protocol of tasks relies on them, so a
 *       state may be out of date for any time.
 *   Y6  A worker that rests reads its bell, then looks for a reason to wake up, and sleeps only while the bell is
 *       unchanged. It has announced its rest before. A worker that gives a reason completes its operation, then reads
 *       the state, then rings. So one of the two sees the other's store.
 *
 * All workers take part in checkpoints, in ends of runs, and in collective calls outside of runs. A worker that sleeps
 * is woken for them.
 */
#ifndef UAT_CREW_H
#define UAT_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

enum { UAT_CREW_MAX = 1024 /* largest number of workers of which some can rest */ };

enum uat_crew_state {
    UAT_CREW_WORKS,
    UAT_CREW_DOZES, /* uat_concurrency_set() lets it take no work, and it has none */
    UAT_CREW_AWAY   /* it is out of the crew, and has handed its tasks over */
};

/* The words of this worker that others read or change; before uat_crew_open(), words that are 0. */
struct uat_crew_words {
    _Alignas(UAT_CACHE_LINE) uint64_t epoch; /* HCA atomics only: +1 for each change of a state */
    uint64_t changes;                        /* rank 0's, HCA atomics only: number of calls of uat_resize() */
    uint64_t limit;                          /* HCA atomics only: number of the call and limit; 0: never set */
    uint64_t bell;                           /* CPU atomics of this host's workers only; its low half is a futex */
    uint64_t state[UAT_CREW_MAX];            /* state[r]: enum uat_crew_state of rank r, which WRITEs it */
};
extern struct uat_crew_words *uat_crew_words __attribute__((visibility("hidden")));

/* Reserve the words in the segment. */
void uat_crew_reserve(void);

/* Open it once the transport is connected, and close it before the transport. hand_over: called by uat_crew_look(). */
void uat_crew_open(void (*hand_over)(void));
void uat_crew_close(void);

/* All workers belong to the crew again, and none rests. */
void uat_crew_reset(void);

/* Is this worker out? The first function is the question itself, the second a fast answer if nobody ever was. */
bool uat_crew_is_out(void);
static inline bool uat_crew_leaves(void)
{
    /* Relaxed: the word itself is the whole request. Pairs with the CMP_SWAP in uat_crew_limit(). */
    return __builtin_expect(__atomic_load_n(&uat_crew_words->limit, __ATOMIC_RELAXED) != 0, 0) && uat_crew_is_out();
}

/* Do all ranks belong to the crew, as far as this worker has heard? */
bool uat_crew_is_whole(void);

/* Called on slow paths, on the stack of the running task: if this worker is out, hand the task over. Returns when the
 * task continues, perhaps on another worker. */
extern void (*uat_crew_hand_over)(void) __attribute__((visibility("hidden")));
static inline void uat_crew_look(void)
{
    if (uat_crew_leaves())
        uat_crew_hand_over();
}

/* Limit the crew to the ranks below n, unless a later call has set another limit (Y2). Takes one or two round trips for
 * each worker. changed: called for each rank after its word was changed. */
void uat_crew_limit(int n, void (*changed)(int rank));

/* Tell all workers this worker's state, if it has changed (Y4). Only in a job of at most UAT_CREW_MAX workers. */
void uat_crew_announce(enum uat_crew_state state);

/* Wake the worker of this rank if it rests (Y6). The caller has completed an operation on that worker's memory. */
void uat_crew_wake(int rank);

/* Sleep for at most ns nanoseconds, unless somebody has rung since uat_crew_bell() has returned `bell`. */
uint64_t uat_crew_bell(void);
void uat_crew_nap(uint64_t bell, uint64_t ns);

/* The workers other than this one that do not rest: their ranks, and in *count their number. NULL: all others; *count
 * is not set. The list is valid until the next call. */
const int *uat_crew_others(int *count);

/* Is there another worker that does not rest? */
bool uat_crew_has_others(void);

#endif
