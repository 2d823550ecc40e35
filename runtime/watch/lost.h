/* SPDX-License-Identifier: MIT */
/*
 * A worker that is lost takes along what its tasks hold, and the job ends. The others then say what that was, each for
 * its own memory: those that uatrun ends by a SIGTERM that tells which rank was lost, and one whose operation failed
 * for lack of an answer.
 */
#ifndef UAT_LOST_H
#define UAT_LOST_H

#include <stdbool.h>
#include <stddef.h>

/* Writes to text what this worker knows of things that a rank holds; false if it knows of none. Called in a signal
 * handler. */
typedef bool uat_lost_fn(int rank, char *text, size_t size);

/* From now on until uat_lost_close() describe is asked. host: this worker's, copied. Catches SIGTERM, unless the
 * program does, or ignores it; the process still ends by it. */
void uat_lost_open(uat_lost_fn *describe, const char *host);
void uat_lost_close(void);

/* The worker of this rank, on host, is lost: print one line if describe has anything to say. The first call counts. */
void uat_lost_tell(int rank, const char *host);

#endif
