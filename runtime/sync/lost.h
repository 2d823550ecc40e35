/* SPDX-License-Identifier: MIT */
/* The mutexes that a lost worker takes along: those that its tasks hold, and those whose home it was. */
#ifndef UAT_SYNC_LOST_H
#define UAT_SYNC_LOST_H

#include <stdbool.h>
#include <stddef.h>

/* Writes to text which mutexes of this worker are held by tasks of rank, and for which mutexes of rank tasks wait here.
 * Returns false if there are none. A holder counts as a task of the rank where it locked the mutex, even if it was
 * stolen since. If a mutex was handed to a task that has not run since, the previous one it was handed to is reported.
 * Called in a signal handler, as a uat_lost_fn. */
bool uat_mutex_lost(int rank, char *text, size_t size);

#endif
