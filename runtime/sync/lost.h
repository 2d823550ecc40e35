/* SPDX-License-Identifier: MIT */
/* What a worker that was lost takes along: the mutexes that its tasks hold, and those that it was the home of. */
#ifndef UAT_SYNC_LOST_H
#define UAT_SYNC_LOST_H

#include <stdbool.h>
#include <stddef.h>

/* Writes to text which mutexes of this worker are held by tasks of rank, and for which mutexes of rank tasks wait here.
 * False: none. Where a task has gone by a steal after it had locked a mutex is not known: its place is where it locked.
 * A mutex that was handed to a task which has not run since tells of the task that it was handed to before.
 * In a signal handler; a uat_lost_fn. */
bool uat_mutex_lost(int rank, char *text, size_t size);

#endif
