/* SPDX-License-Identifier: MIT */
/* The mutexes that are lost with a worker: mutexes that its tasks hold, and mutexes whose home it was. */
#ifndef UAT_SYNC_LOST_H
#define UAT_SYNC_LOST_H

#include <stdbool.h>
#include <stddef.h>

/* List in `text` this worker's mutexes that tasks of `rank` hold, and the mutexes of `rank` that tasks of this worker
 * wait for. Returns false if there are none. A holder counts as a task of the rank where it locked the mutex, even if
 * the holder has moved since. If a mutex was handed to a task that has not run since, this function reports the task to
 * which the mutex was handed before that. Called in a signal handler, as a uat_lost_fn. */
bool uat_mutex_lost(int rank, char *text, size_t size);

#endif
