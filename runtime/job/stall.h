/* SPDX-License-Identifier: MIT */
/*
 * What this worker does and waits for. SIGUSR1 makes it print that.
 *
 * A wait for an acknowledgement, a victim's answer, an object's guard or the name of a part's result takes only a
 * moment. It takes longer if the awaited peer is stopped, swapped out or lost. After UAT_STALL_TIMEOUT the waiting
 * worker prints a line that names both workers and the reason. If the thief of a part is awaited, its rank is not
 * known, and the line names the owner of the interval. The wait ends the job after UAT_STALL_LIMIT. Meanwhile the
 * waiting worker sends operations to that peer, or to all peers if the peer is not known. If a guard is awaited, the
 * operations go to the worker that has the object. So a cut network ends the job as soon as the transport can detect
 * it.
 *
 * A wait in a barrier of bootstrap.h has the same limits, but sends no operations. Waits in collective calls are in
 * runtime/job/straggler.h. Joins, idleness and tasks may last for hours, so they are not bounded. But
 * uat_stuck_look() reports a task that waits for a lock of the C library.
 */
#ifndef UAT_STALL_H
#define UAT_STALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "deque/thief.h"

enum uat_doing {
    UAT_DOING_OUTSIDE,  /* the program's own code, between runs */
    UAT_DOING_TASK,     /* runs a task */
    UAT_DOING_SCHEDULE, /* steals, or moves stacks */
    UAT_DOING_END,      /* has passed on the end of a run and waits for the other workers */
    UAT_DOING_CALL      /* is in another collective call */
};

enum uat_wait {
    UAT_WAIT_NONE,
    UAT_WAIT_ACK,     /* waits for a thief's acknowledgement of an entry */
    UAT_WAIT_FENCE,   /* waits in a barrier of bootstrap.h */
    UAT_WAIT_BARRIER, /* waits for a rank, in a barrier */
    UAT_WAIT_ROOT,    /* has no work, and waits for rank 0 to enter the run */
    UAT_WAIT_ANSWER,  /* waits for a victim that has taken a request and not answered it */
    UAT_WAIT_CHILD,   /* waits for a child, and has no room to work meanwhile */
    UAT_WAIT_GUARD,   /* waits for a rank to free the guard of an object */
    UAT_WAIT_PART     /* waits for the thief of an adaptive part to name the part's result */
};

/* A wait for the thief of an adaptive part. The waiting task may yield and migrate, so the state lies in its frame. */
struct uat_part_wait {
    int home;      /* the rank from whose interval the part was taken */
    uint32_t part; /* the part's number */
    bool reported;
    int ranks;             /* 1 + the rank of the worker that looked last; 0: none */
    uint64_t last, waited; /* time of the last look, and time of the wait, in ns */
    uint64_t probed;       /* `waited` at the last probe, in seconds */
};

/* Reserve the notice in the segment. */
void uat_stall_reserve(void);

/* The notice of this worker, for READs by rank 0 and by peers that wait for this worker. */
struct uat_notice *uat_stall_notice(void);

/* Set what this worker does from now on. */
void uat_stall_set(enum uat_doing doing);

/* Set UAT_DOING_CALL and the call's name, such as "uat_barrier()". The string must be a constant. */
void uat_stall_set_call(const char *call);

/* What this worker does. May be called from any thread. */
enum uat_doing uat_stall_doing(void);

/* Is this worker in UAT_DOING_END? */
bool uat_stall_is_at_end(void);

/* The time in seconds, accurate to a few milliseconds; virtual time in a simulation. */
uint64_t uat_stall_seconds(void);

/* Set what this worker waits for. what: the index of an entry, a rank, the name of an object, or the number of a
 * fence. */
void uat_stall_note(enum uat_wait kind, uint64_t what);

/*
 * Called periodically during a wait:
 * - uat_stall_ack() for the acknowledgement of entry `index`,
 * - uat_stall_answer() for the answer of a victim,
 * - uat_stall_fence() for the end of a barrier of bootstrap.h,
 * - uat_stall_child() for a child whose record is on rank, while the joiner waits in place.
 */
void uat_stall_ack(void *context, uint64_t index);
void uat_stall_answer(int victim);
void uat_stall_fence(void);
void uat_stall_fence_over(void); /* called after each fence, even if it had no wait */
void uat_stall_child(int rank);
/* Called periodically during a wait for the guard of an object. object: (rank << 48) | address. holder: the rank that
 * holds the guard. */
void uat_stall_guard(uint64_t object, int holder);
/* Called periodically during a wait for the thief of an adaptive part. The caller sets `home` and `part` of *wait, and
 * sets the other fields to 0. Between two calls, other tasks may wait on this worker. */
void uat_stall_part(struct uat_part_wait *wait);

/* The wait is over. */
void uat_stall_over(void);
void uat_stall_ack_over(void *context);

/*
 * Start to watch waits, over uat_self.transport, with the limits UAT_STALL_TIMEOUT and UAT_STALL_LIMIT. Catch SIGUSR1,
 * unless the program catches or ignores it. `describe` adds the worker's state to the line that SIGUSR1 prints.
 * `describe` runs in a signal handler. Returns 0 or a negative errno that has been reported.
 */
int uat_stall_open(void (*describe)(char *text, size_t size));
void uat_stall_close(void);

/*
 * A worker whose task waits for a lock of the C library. If a task holds such a lock over a spawn or a join, another
 * task on the same worker, or on the worker to which the holder has moved, may wait for the lock forever. The same goes
 * for the initialiser of a static local variable and for call_once(). The worker itself cannot report this.
 *
 * Another thread of the process calls this every UAT_STALL_TIMEOUT. thread: the worker's thread. If that thread is in a
 * task, and has slept in the same wait for a futex since the last call, a line says so, once in a process.
 */
void uat_stuck_look(pid_t thread);

#endif
