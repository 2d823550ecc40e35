/* SPDX-License-Identifier: MIT */
/*
 * A worker that is out of the crew takes the slow path of each push and pop, so that it notices at once that it can
 * hand a task over. One poke is not enough: the slow path of a task's end takes it, too.
 */
#ifndef UAT_WATCH_H
#define UAT_WATCH_H

#include "runtime/job/crew.h"
#include "runtime/sched/stop.h"

/* This worker is out of the crew. */
void uat_watch_begin(void);

/* In a signal handler: have uat_watch_serve() called on this worker's next slow path. */
void uat_watch_note(void);
extern void (*uat_watch_serve)(void) __attribute__((visibility("hidden")));

/* This worker may have returned. Then pushes and pops are fast again. */
void uat_watch_end(void);
static inline void uat_watch_end_if_back(void)
{
    if (__builtin_expect(uat_stop_crew_watched, 0) && !uat_crew_leaves())
        uat_watch_end();
}

#endif
