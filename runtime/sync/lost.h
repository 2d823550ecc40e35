/* SPDX-License-Identifier: MIT */
/* The mutexes that are lost with a worker: mutexes that its tasks hold, and mutexes for which it was the home. */
#ifndef UAT_SYNC_LOST_H
#define UAT_SYNC_LOST_H

#include <stdbool.h>
#include <stddef.h>

/* List in text the mutexes of this worker that tasks of rank hold, and the mutexes of rank for which tasks wait here.
 * Returns false if there are none. A holder counts as a task of the rank where it locked the mutex, even if it was
 * stolen since. If a mutex was handed to a task that has not run since, this function reports the previous task that
 * got the mutex. Called in a signal handler, as a uat_lost_fn. */
bool uat_mutex_lost(int rank, char *text, size_t size);

#endif
