/* SPDX-License-Identifier: MIT */
/* The detector's start and end, and the macros of its wrappers: the linker replaces each call of name() in the
 * program's objects by __wrap_name(), and __real_name() is the function itself (ld --wrap; races/wrap.txt). */
#ifndef UAT_RACES_START_H
#define UAT_RACES_START_H

#include <stdbool.h>
#include <stdint.h>

#include "races/order.h"

/* Accesses, spawns and joins of this thread are watched: on the worker's thread after uat_init(), unless
 * UAT_TORTURE=races=off. Other threads of the program are no tasks, and the detector has no place for them. */
extern _Thread_local bool uat_races_active;
/* A run is under way. */
extern bool uat_races_in_run;

/* Number of initializations of static variables of functions that are under way in this thread. Their values are the
 * same in all processes, so their writes are not watched. */
extern _Thread_local int uat_races_initializing;

/* The caller's place in the program. */
#define UAT_RACES_SITE() ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))

/* Does the detector watch the running task? */
static inline bool uat_races_in_task(void)
{
    return uat_races_active && uat_races_running != &uat_races_outside;
}

#endif
