/* SPDX-License-Identifier: MIT */
/*
 * Deadlock: tasks wait, no worker has anything to run, and the root has not ended. Rank 0, while idle, READs of every
 * worker whether it has work, twice. Each worker's word changes whenever that changes, and it says "work" before work
 * comes to it (uat_notice_begin()). So if all words say "none" and none has changed in between, there was a moment,
 * between the two rounds, when nobody had work, and nobody can get any ever after. No time-out takes part in the
 * verdict. (Two rounds of counting, as in Mattern, "Algorithms for Distributed Termination Detection", 1987.)
 */
#ifndef UAT_DEADLOCK_H
#define UAT_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/memory/segment.h"
#include "runtime/task/park_kind.h"

/* "a future", "a mutex", ... */
const char *uat_deadlock_name(enum uat_park_kind kind);

/* One task more, or less, waits for this kind of thing. The sum over all workers counts: the one that wakes a task need
 * not be the one where it waited. */
static inline void uat_deadlock_count(enum uat_park_kind kind, int change)
{
    uat_segment.control->waits[kind] += (uint64_t)change;
}

/* This worker is idle, after so many failed attempts in a row to get work. On rank 0: look now and then; ends the job
 * with the number of tasks that wait for each kind of thing if there is a deadlock. */
void uat_deadlock_look(unsigned failures);

#endif
