/* SPDX-License-Identifier: MIT */
/* Sleeps, and waits with a time limit for the objects of uat/sync.h and of the headers that this one includes. */
#ifndef UAT_LIMIT_H
#define UAT_LIMIT_H

#include "channel.h"
#include "detail/inline.h"
#include "lock.h"
#include "semaphore.h"
#include "sync.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Sleep: put this task aside for at least ns nanoseconds, in virtual time of a simulation. Its worker, which the task
 * may leave by this call, runs other tasks meanwhile. That worker also wakes the task. It looks for tasks to wake when
 * it takes a ready task, while it has nothing to do, in slow paths of spawns, and in uat_work_wanted(). So a task that
 * computes for long on that worker without such a call delays the end of the sleep. A worker without work looks every
 * few microseconds, after some 10 ms without work every 0.1 ms, and every 0.5 ms if workers share cores. A sleeping
 * task is not a deadlock. In a job that continues from a checkpoint, the task sleeps for the time that it had left at
 * the checkpoint.
 */
void uat_sleep_for(uint64_t ns);

/*
 * Waits with a time limit of ns nanoseconds. They return what the waits without a limit return (0 if those return
 * nothing), or -ETIMEDOUT once at least ns nanoseconds have passed. A limit of 0 is one attempt. Then nothing was
 * taken, sent or locked.
 *
 * Such a wait calls the try function again and again, and sleeps between two calls: first for UAT_LIMIT_FIRST_NS, then
 * for a quarter of the time that has passed, at most UAT_LIMIT_LAST_NS. So it ends by up to a quarter later than a wait
 * without a limit, and needs about 40 attempts for the first 10 ms. The task is in no queue. So tasks that wait without
 * a limit come first: a mutex that they pass on from one to the next is never free for a task with a limit. A writer
 * with a limit gets a shared mutex only in a moment in which no reader holds it. On a channel of capacity 0 one side
 * must wait without a limit: two tasks that both have a limit never meet, and both get -ETIMEDOUT. Give such a channel
 * a capacity of 1. The same holds for uat_select_for().
 */
enum { UAT_LIMIT_FIRST_NS = 4000, UAT_LIMIT_LAST_NS = 1000000 };
UAT_INLINE int uat_future_get_for(uat_future_t f, void *value, uint64_t ns);
UAT_INLINE int uat_mutex_lock_for(uat_mutex_t m, uint64_t ns);
UAT_INLINE int uat_shared_mutex_lock_for(uat_shared_mutex_t m, uint64_t ns);
UAT_INLINE int uat_shared_mutex_lock_shared_for(uat_shared_mutex_t m, uint64_t ns);
UAT_INLINE int uat_semaphore_acquire_for(uat_semaphore_t s, uint64_t ns);
UAT_INLINE int uat_latch_wait_for(uat_latch_t l, uint64_t ns);
UAT_INLINE int uat_channel_send_for(uat_channel_t c, const void *value, uint64_t ns);
UAT_INLINE int uat_channel_receive_for(uat_channel_t c, void *value, uint64_t ns);
UAT_INLINE int uat_select_for(uat_case_t *cases, int n, uint64_t ns);

/* A time limit for a loop of the program's own. Keep it in the task's frames:
 *     uat_limit_t limit = uat_limit_begin(1000000);
 *     while (!is_done() && uat_limit_wait(&limit) == 0)
 *         ;
 */
typedef struct uat_limit {
    uint64_t left, passed; /* nanoseconds */
    uint64_t counted;      /* they count up to this time, by the clock of this rank and restart */
    int rank, restarted;
} uat_limit_t;
UAT_INLINE uat_limit_t uat_limit_begin(uint64_t ns);
/* Sleep before the next attempt, as described above. Returns 0, or -ETIMEDOUT at once if no time is left. The time that
 * the task spends on the way to another worker does not count, because its clock may differ. */
UAT_INLINE int uat_limit_wait(uat_limit_t *limit);
/* Unlock m, which this task holds, sleep as uat_limit_wait() does, and lock m again. Returns 0, and the task checks its
 * condition again: signals do not count. Returns -ETIMEDOUT, with m locked, if no time is left. The wait for m at the
 * end has no limit, but counts as time. */
UAT_INLINE int uat_condition_wait_for(uat_condition_t c, uat_mutex_t m, uat_limit_t *limit);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "detail/limit.h" /* the bodies of the inline functions above */

#endif
