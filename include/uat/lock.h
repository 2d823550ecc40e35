/* SPDX-License-Identifier: MIT */
/*
 * Locks beside the mutex of uat/sync.h, whose rules hold here, too: shared mutexes, functions that are called once,
 * critical sections, mutexes with a name, biased mutexes.
 */
#ifndef UAT_LOCK_H
#define UAT_LOCK_H

#include "detail/inline.h"
#include "sync.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Get the mutex of this name. The first call makes the mutex; later calls, by any task on any worker and in any run,
 * return the same mutex. `name` has 1 to UAT_CHANNEL_NAME_MAX (channel.h) bytes and is copied; channels have names of
 * their own. A worker's first call takes at least one round trip to the worker that keeps the name. Then the worker
 * keeps the handle, until it names another mutex that has the same place among 16. uat_finalize() destroys the mutex;
 * the program must not destroy it.
 */
uat_mutex_t uat_mutex_named(const char *name);

/*
 * A critical section, as OpenMP's `critical (name)`: at most one task of the job is in a section of this name.
 *     UAT_CRITICAL(log) {
 *         ...
 *     }
 * The section locks uat_mutex_named("log"). Any way out of the block unlocks it: its end, `break`, `return`, and an
 * exception. A task must not enter a section again inside a section of the same name.
 */
#define UAT_CRITICAL(name)                                                                                             \
    for (uat_critical_t uat_critical_##name __attribute__((cleanup(uat_critical_end))) = uat_critical_begin(#name);    \
         uat_critical_##name.inside; uat_critical_##name.inside = 0)
typedef struct uat_critical {
    uat_mutex_t mutex;
    int inside;
} uat_critical_t;
/* What UAT_CRITICAL() calls, for other languages: enter, and leave. */
UAT_INLINE uat_critical_t uat_critical_begin(const char *name);
UAT_INLINE void uat_critical_end(uat_critical_t *critical);

/*
 * A shared mutex: one task holds it for writing, or any number of tasks for reading. The last holder hands it over to
 * the task that has waited longest and, if this task reads, to the readers that follow in the queue up to the next
 * writer. A task that comes later has to wait for them. So neither writers nor readers starve, and a task that holds
 * the mutex for reading must not lock it again: it would wait for a writer, which waits for this task.
 */
typedef struct uat_shared_mutex {
    uint64_t object;
} uat_shared_mutex_t;

uat_shared_mutex_t uat_shared_mutex_create(void);
/* Wait until this task holds the mutex, for writing or for reading. */
void uat_shared_mutex_lock(uat_shared_mutex_t m);
void uat_shared_mutex_lock_shared(uat_shared_mutex_t m);
/* Lock without waiting. Return 0, or -EAGAIN if other tasks hold the mutex or wait for it. */
int uat_shared_mutex_try_lock(uat_shared_mutex_t m);
int uat_shared_mutex_try_lock_shared(uat_shared_mutex_t m);
/* Unlock what this task has locked for writing or for reading. The mutex does not know which tasks hold it. */
void uat_shared_mutex_unlock(uat_shared_mutex_t m);
void uat_shared_mutex_unlock_shared(uat_shared_mutex_t m);
void uat_shared_mutex_destroy(uat_shared_mutex_t m);

/* A function that is called once (std::call_once), by the first task that gets there. */
typedef struct uat_once {
    uat_future_t done;
    uat_mutex_t mutex;
} uat_once_t;

UAT_INLINE uat_once_t uat_once_create(void);
/* Call fn(arg) if no task has called it for this `once`. When uat_once_call() returns, the call is over, on whichever
 * worker it was. fn may wait, but must not call uat_once_call() for this `once`. Later calls take as long as
 * uat_future_try_get(). */
UAT_INLINE void uat_once_call(uat_once_t once, void (*fn)(void *arg), void *arg);
UAT_INLINE void uat_once_destroy(uat_once_t once);

/*
 * Make a mutex that is biased to this worker, its home. A task on the home locks and unlocks the mutex by plain loads
 * and stores. A task on another worker first migrates to the home at each call with this mutex but its destruction, as
 * by uat_migrate(), and stays there. So the data under the mutex should be near its home, and a lock should be held
 * only briefly. A migration waits until the home has nothing else to do. uat_condition_wait() accepts such a mutex.
 * (Biased locks: Dolan, Muralidharan and Gregg, TACO 9(4), 2013. Here the bias is permanent.)
 */
uat_mutex_t uat_mutex_create_biased(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "detail/lock.h" /* the bodies of the inline functions above */

#endif
