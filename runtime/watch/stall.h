/* SPDX-License-Identifier: MIT */
/*
 * What this worker does and waits for. SIGUSR1 makes it print that.
 *
 * A wait for an acknowledgement, a victim's answer or an object's guard takes a moment, unless that peer is stopped,
 * swapped out or lost. It is reported after UAT_STALL_TIMEOUT, with who waits for whom and why, and ends the job after
 * UAT_STALL_LIMIT. Meanwhile operations go to that peer, so that a network that is cut ends the job as soon as the
 * transport can tell. The same holds for PMIx_Fence, without the operations. Waits in collective calls are in
 * runtime/watch/late.h. Joins, idleness and tasks may last for hours: they are not bounded.
 */
#ifndef UAT_STALL_H
#define UAT_STALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

enum uat_doing {
    UAT_DOING_OUTSIDE,  /* the program's own code, between runs */
    UAT_DOING_TASK,     /* runs a task */
    UAT_DOING_SCHEDULE, /* steals, or moves stacks */
    UAT_DOING_END,      /* has passed on the end of a run, waits for the others */
    UAT_DOING_CALL      /* is in another collective call */
};

enum uat_wait {
    UAT_WAIT_NONE,
    UAT_WAIT_ACK,     /* for a thief's acknowledgement of an entry */
    UAT_WAIT_FENCE,   /* in PMIx_Fence */
    UAT_WAIT_BARRIER, /* for a rank, in a barrier */
    UAT_WAIT_ROOT,    /* without work, for rank 0 to enter the run */
    UAT_WAIT_ANSWER,  /* for a victim that has taken a request and not answered it */
    UAT_WAIT_CHILD,   /* for a child, without room to work meanwhile */
    UAT_WAIT_GUARD    /* for a rank, to leave the guard of an object */
};

/* What this worker does from now on. */
void uat_stall_set(enum uat_doing doing);

/* UAT_DOING_CALL, and which: "uat_barrier()". A constant. */
void uat_stall_set_call(const char *call);

/* What this worker does; from any thread. */
enum uat_doing uat_stall_doing(void);

/* Is that UAT_DOING_END? */
bool uat_stall_is_at_end(void);

/* Seconds, to a few milliseconds; of virtual time in a simulation. */
uint64_t uat_stall_seconds(void);

/* What this worker waits for; what: the index of an entry, or a rank. */
void uat_stall_note(enum uat_wait kind, uint64_t what);

/* Called periodically during a wait: for the acknowledgement of entry index; for the answer of a victim; in PMIx_Fence;
 * in place, for a child whose record is on rank. */
void uat_stall_ack(void *context, uint64_t index);
void uat_stall_answer(int victim);
void uat_stall_fence(void);
void uat_stall_child(int rank);
/* The same for the guard of an object, (rank << 48) | address, that another rank holds. */
void uat_stall_guard(uint64_t object, int holder);

/* The wait is over. */
void uat_stall_over(void);
void uat_stall_ack_over(void *context);

/*
 * Begin, with UAT_STALL_TIMEOUT and UAT_STALL_LIMIT of options; waits are watched over uat_self.transport. Catch
 * SIGUSR1, unless the program does; describe: adds the worker's state to its line, in a signal handler. 0 or a
 * negative errno, reported.
 */
int uat_stall_open(const struct uat_options *options, void (*describe)(char *text, size_t size));
void uat_stall_close(void);

#endif
