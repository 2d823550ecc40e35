/* SPDX-License-Identifier: MIT */
/*
 * Torture modes of the spawn (UAT_TORTURE), to find task code and runtime code that breaks the rules.
 *   evacuate  while a child runs, its spawner's stack is copied out and its place poisoned; nothing is published
 *   steal     at each spawn the worker waits, for a bounded time, until a thief has taken the continuation
 * (UAT_TORTURE=delay=SEED is in base/delay.h and in the transport. The modes order and fence are in runtime/flow/.)
 */
#ifndef UAT_TORTURE_H
#define UAT_TORTURE_H

#include <stdbool.h>
#include <stdint.h>

extern bool uat_torture_on;

/* Enable the modes that UAT_TORTURE names. rank is part of the random delays' seed, so that the delays differ between
 * workers. */
void uat_torture_open(int rank);

/* Is mode "steal" on? In this mode a worker that spawns needs idle workers to be awake. */
bool uat_torture_waits_for_thieves(void);

/* uat_torture_pushed() is called after the continuation at sp was pushed, and uat_torture_returned() is called before
 * the continuation's child returns to it. */
void uat_torture_pushed(uintptr_t sp);
void uat_torture_returned(uintptr_t sp);

/* Called for a checkpoint. If `all` is true, bring back all stacks that were moved away. Otherwise poison their places
 * again. */
void uat_torture_show(bool all);

#endif
