/* SPDX-License-Identifier: MIT */
/*
 * The profile of a program: which function spawned what, how long it took, and which chain of tasks was the longest.
 * The parts of this room replace functions of the library in the program (the linker's --wrap; wrap.txt lists them).
 * spawn.c replaces spawn, join and run; wait.c replaces the calls that may move a task to another worker; far.c
 * replaces those that reach for far memory. file.c adds up the accounts of all workers and writes them.
 *
 *  H1 uat_strand_now is the account of the running task while user code runs. It is NULL while the runtime runs, and
 *     in a task that the runtime has started by itself (data-flow tasks, parts of adaptive requests). Those tasks are
 *     not measured.
 *  H2 A wrapper keeps the account's address in its own frame across each call that may move the task. So the address
 *     is valid on whatever worker the task continues, as that of any frame.
 *  H3 The clock runs from the end of one wrapper to the start of the next one, and so never on two workers.
 */
#ifndef UAT_PROFILE_PROFILE_H
#define UAT_PROFILE_PROFILE_H

#include "profile/names.h"

#include "include/uat.h"

extern struct uat_strand *uat_strand_now;

/* How many stretches of tasks have begun on this worker. */
extern uint64_t uat_profile_stretches;

/* The counts of this worker that no name has. */
struct uat_profile_counts {
    double unmeasured;           /* spawns by tasks that are not measured */
    double unfollowed;           /* waits for an event whose span is not known, since several workers run */
    double elapsed_ns;           /* of all runs */
    double on_cpu_ns, queued_ns; /* within the runs: on the processor; ready, but without a processor */
    double spawn_ns;             /* a spawn and a join of an empty task; the shortest of some */
    double wait_ns;              /* a wait, the shortest of some; 0 with several workers */
};
extern struct uat_profile_counts uat_profile_counts;

/* The account of the code outside of runs: the sums of all runs. Complete on rank 0. */
extern struct uat_strand uat_profile_outside;

/* Now, in ns, on this worker only: the processor's counter, or virtual time. */
double uat_profile_clock(void);

/* Set spawn_ns and wait_ns of this worker's counts. Call it in a task, at the start of a run, before the clock runs. */
void uat_profile_measure(void);

/* Stop the clock of the running task at the code address `to`, and start it again. NULL is no task. */
struct uat_strand *uat_profile_stop(uint64_t to);
void uat_profile_start(struct uat_strand *s, uint64_t from);

/* The profile's file, or NULL if none is wanted. */
const char *uat_profile_file(void);

/* Write the profile. Collective, outside of runs. Returns 0 or a negative errno, which has been reported. */
int uat_profile_write(void);

/* The return address of the calling function. */
#define UAT_HERE() ((uint64_t)(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))

#endif
