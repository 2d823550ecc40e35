/* SPDX-License-Identifier: MIT */
/* How a worker leaves the crew (runtime/job/crew.h), and how a worker sleeps that takes no work. */
#ifndef UAT_REST_H
#define UAT_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/job/crew.h"
#include "runtime/sched/idle.h"

/* Hand the running task over. Called by uat_crew_look(), on the task's stack. Returns when the task continues, perhaps
 * on another worker; or at once if no memory is left, or the task has failed. */
void uat_rest_hand_over_task(void);

/* Hand over the continuation at sp, which was just popped. Called by the scheduler. Returns false if this worker runs
 * the continuation itself: it is not leaving, or no memory is left. */
bool uat_rest_hand_over_next(uintptr_t sp);

/* Pass the time of a worker that takes no work: `state` says why. busy: it has tasks that others may take. */
void uat_rest(struct uat_idle *idle, enum uat_crew_state state, bool busy);

/* Can a worker of this job hand its tasks over? */
bool uat_rest_is_possible(void);

/* Let the workers of ranks 0 to n - 1 take part, as uat_resize() does. Called in a run, where that may be called. */
void uat_rest_limit(int n);

/* This worker takes work again, if it did not. */
extern bool uat_rest_announced; /* the other workers believe that this worker rests */
void uat_rest_is_over(void);

#endif
