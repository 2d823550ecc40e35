/* SPDX-License-Identifier: MIT */
/* Requests of stops (stop.h). Signal handlers and tasks make them on any worker. Rank 0 takes them. */
#ifndef UAT_STOP_REQUEST_H
#define UAT_STOP_REQUEST_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

extern bool uat_stop_on; /* requests are accepted */

/* Request a stop. end: the job ends after the stop. May be called by a task on any worker. */
void uat_stop_ask(bool end);
/* Request a stop in a signal handler, or outside of tasks. A worker other than rank 0 passes the request on at its next
 * slow path. */
void uat_stop_note(bool end);

/* Rank 0 wants a stop for a copy in memory (runtime/checkpoint/survive.h), which is no request. */
extern volatile sig_atomic_t uat_stop_for_copy __attribute__((visibility("hidden")));

/* Let push and pop take the slow path if a torture mode, the simulation, iso-address stacks, a failed task or a request
 * needs it, or if this worker leaves the crew. */
void uat_stop_watch(void);

/* Must this worker take the slow path of each push and pop for the crew's sake? See watch.h. */
extern volatile sig_atomic_t uat_stop_crew_watched __attribute__((visibility("hidden")));

/* The rest is for stop.c. */

/* Reserve the words in the segment. */
void uat_stop_requests_reserve(void);
void uat_stop_requests_close(void);
/* As uat_stop_reset(). */
void uat_stop_requests_reset(void);

/* Send to rank 0 the requests that a signal handler of this worker has noted. Not for rank 0. */
void uat_stop_pass_on(void);
/* Is a stop requested here? Peers set only rank 0's words. */
bool uat_stop_is_asked(void);
/* Rank 0: take the requests of this kind. Returns whether there were any. */
bool uat_stop_take(bool end);

/* WRITE the value to the word that `rank` has at this address, and wake the rank. */
void uat_stop_put(int rank, uint64_t *word, uint64_t value);

#endif
