/* SPDX-License-Identifier: MIT */
/*
 * Deadlock detection. In a deadlock, tasks wait, no worker has anything to run, and the root has not ended.
 *
 * Each worker has a word that says whether it has work. The word changes at each transition, and says "work" before the
 * work arrives (uat_notice_begin()). A task in a worker's inbox, or that sleeps, also counts as work. While idle, rank
 * 0 READs the words of all workers in two rounds. Suppose that all words say "none" in both rounds, and that no word
 * has changed between the rounds. In that case, at some moment between the rounds, no worker had work. No worker can
 * ever get work again. The verdict does not depend on a time-out. (Two rounds of counting, as in Mattern, "Algorithms
 * for Distributed Termination Detection", 1987.)
 */
#ifndef UAT_DEADLOCK_H
#define UAT_DEADLOCK_H

#include <stdint.h>

#include "base/cpu.h"
#include "runtime/task/parked.h"
#include "runtime/segment/segment.h"

/* Reserve the words of the deadlock detection in the segment. */
void uat_deadlock_reserve(void);

/* Counters of waiting tasks, one for each kind. Only the local CPU writes them; rank 0 READs them in a deadlock. */
extern struct uat_area uat_deadlock_waits __attribute__((visibility("hidden")));

/* What tasks of this kind wait for: "a future", "a mutex", ... */
const char *uat_deadlock_name(enum uat_park_kind kind);

/* Count one more (change 1) or one fewer (change -1) waiting task of this kind. Only the sum over all workers is
 * meaningful: a task may wait on one worker and be woken by another. */
static inline void uat_deadlock_count(enum uat_park_kind kind, int change)
{
    ((uint64_t *)uat_deadlock_waits.at)[kind] += (uint64_t)change;
}

/* Count one fewer sleeping task. Release: orders uat_notice_begin() before this store (W1 of sleep.h). Pairs with the
 * READs of read_work() in deadlock.c. */
static inline void uat_deadlock_woke(void)
{
    uint64_t *sleeping = (uint64_t *)uat_deadlock_waits.at + UAT_PARK_SLEEP;
    uat_cpu_store_release(sleeping, *sleeping - 1);
}

/* Called by an idle worker after `failures` consecutive failed attempts to get work. inbox: the head of this worker's
 * inbox. Rank 0 looks for a deadlock now and then. If there is a deadlock, rank 0 ends the job and reports the number
 * of waiting tasks of each kind. */
void uat_deadlock_look(unsigned failures, const uint64_t *inbox);

#endif
