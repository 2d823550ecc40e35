/* SPDX-License-Identifier: MIT */
/*
 * Reports about a lost worker. Whatever its tasks hold is lost with it, and the job ends. Each other worker then
 * reports what the lost worker held in that other worker's memory. A worker reports in two cases: uatrun ends it by a
 * SIGTERM that names the lost rank, or one of its operations got no answer.
 */
#ifndef UAT_LOST_H
#define UAT_LOST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Writes to text what rank holds, as far as this worker knows. Returns false if this worker knows of nothing that rank
 * holds. Called in a signal handler. */
typedef bool uat_lost_fn(int rank, char *text, size_t size);

/*
 * Use `describe` for reports from now on, until uat_lost_close(). host: the name of this worker's host, copied. Catches
 * SIGTERM, unless the program catches or ignores it. SIGTERM still ends the process.
 *
 * watch: if it is not NULL, start a thread. Before SIGTERM ends the process, this thread writes what stdio has
 * buffered. Every UAT_STALL_TIMEOUT it calls watch with the thread that has called uat_lost_open(). Returns 0 or a
 * negative errno that has been reported.
 */
int uat_lost_open(uat_lost_fn *describe, const char *host, void (*watch)(pid_t worker));
void uat_lost_close(void);

/* This process was forked from a worker and takes its place: start a thread of its own. Without one, SIGTERM ends the
 * process at once. */
void uat_lost_take_over(void);

/* From now on a SIGTERM from outside of the job calls `spare` in its handler. If spare returns true, the process does
 * not end. NULL: it always ends. Returns false if the program itself catches or ignores SIGTERM. */
bool uat_lost_spare(bool (*spare)(void));

/* Print one line about the lost worker `rank` on host `host`, if `describe` knows of anything that the worker held.
 * Only the first call counts. */
void uat_lost_tell(int rank, const char *host);

#endif
