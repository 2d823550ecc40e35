/* SPDX-License-Identifier: MIT */
/*
 * Objects on which tasks can wait: futures, mutexes, conditions. More kinds are in semaphore.h, channel.h and lock.h;
 * limit.h has sleeps and waits with a time limit. The rules below hold for all of them. The objects work between any
 * two tasks of a run, on any workers. While a task waits, its worker runs other tasks. After the task has been woken,
 * any idle worker may resume it. A wait copies the task's frames away, and the resumption copies them back. So a task
 * that waits often should not have large arrays in its frames.
 *
 * Until its destruction, an object is in the evacuation heap (UAT_HEAP_SIZE) of the worker that created it.
 * uat_*_create() returns a handle: a value that may be copied and passed to tasks like any argument. Objects may be
 * created and destroyed anywhere between uat_init() and uat_finalize(), but may be used only inside tasks of a run.
 * After every call the task may be on another worker, as after a join.
 *
 * If a try function fails, it offers this worker's continuations to thieves, as uat_work_wanted() does. So a task may
 * poll for an event that its spawner's continuation will cause. Then there must be another worker, and the task must
 * not have a range of global memory checked out.
 *
 * These errors end the job with a message, in every build:
 *   - setting a future twice;
 *   - unlocking a mutex that the task does not hold, or destroying a locked mutex;
 *   - unlocking a shared mutex that no task holds;
 *   - destroying an object for which tasks wait, or using a destroyed object;
 *   - using a handle for another kind of object or with another size;
 *   - a value larger than UAT_RESULT_MAX, or a count out of range.
 *
 * If all tasks wait and nothing can wake them, the runtime detects the deadlock and ends the job. Its message gives the
 * number of tasks that wait for each kind of object.
 *
 * A call that has to wait while the task has a range of global memory checked out, or a transfer in flight, ends the
 * job with a message. A call that need not wait is allowed, and the ranges stay checked out (global.h). So before a
 * checkout, lock each mutex that may be contended. uat_yield(), uat_migrate() and uat_condition_wait() always count as
 * waiting.
 *
 * A woken task sees the values that were passed to it. The objects also order accesses to global memory, as global.h
 * says: accesses to data that tasks use only under one mutex do not race. Tasks on other workers cannot access the
 * memory of this process, such as that of malloc().
 *
 * A handle is valid until its object is destroyed, by the uat_*_destroy() of its kind. Any task, and main(), may
 * destroy an object if no task waits for it and none will use it again. uat_finalize() frees the remaining objects.
 * Values are copied: `value` remains the caller's. If UAT_HEAP_SIZE has no room for an object, uat_*_create() ends the
 * job with a message. docs/protocol.md describes the protocols.
 */
#ifndef UAT_SYNC_H
#define UAT_SYNC_H

#include "../uat.h"
#include "detail/inline.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Let other tasks run first: append this task to its worker's queue of ready tasks. The worker runs its continuations,
 * then ready tasks. If n other tasks are ready when a task becomes ready, the worker runs at most B = n + n / 7 + 97
 * other tasks before that task. While tasks migrate to this worker (uat_migrate()), the bound is 2 B + 1. Another
 * worker may run the task earlier.
 */
void uat_yield(void);

/*
 * A future (Baker and Hewitt 1977): a value that is set once and read any number of times. size: bytes of the value, at
 * most UAT_RESULT_MAX.
 */
typedef struct uat_future {
    uint64_t object; /* (rank << 48) | address. This field and all fields of the types below belong to the library */
    uint64_t size;
} uat_future_t;

/* Make a future that is not set. */
uat_future_t uat_future_create(size_t size);
/* Set the future to the `size` bytes at value, and wake all waiting tasks. Allowed only once. */
void uat_future_set(uat_future_t f, const void *value);
/* Wait until the future is set, and copy its value to *value. */
void uat_future_get(uat_future_t f, void *value);
/* Copy the future's value to *value if it is set, without waiting. Returns 0, or -EAGAIN if the future is not set. The
 * call sees a uat_future_set() by the same task, and a uat_future_set() that is ordered before the call, for example by
 * a join. */
int uat_future_try_get(uat_future_t f, void *value);
/* Destroy the future. Allowed when no task waits for the future and none will use it again. The other kinds of objects
 * have the same rule. */
void uat_future_destroy(uat_future_t f);

/* Mutual exclusion. An unlock hands the mutex over to the task that has waited longest. */
typedef struct uat_mutex {
    uint64_t object;
} uat_mutex_t;

/* Make a mutex that no task holds. */
uat_mutex_t uat_mutex_create(void);
/* Wait until this task holds the mutex. The mutex is not recursive: locking it twice deadlocks. */
void uat_mutex_lock(uat_mutex_t m);
/* Lock the mutex if it is free, without waiting. Returns 0, or -EAGAIN if another task holds it. */
int uat_mutex_try_lock(uat_mutex_t m);
/* Unlock the mutex; only the task that holds it may do so. */
void uat_mutex_unlock(uat_mutex_t m);
void uat_mutex_destroy(uat_mutex_t m);

/*
 * A condition variable (Hoare 1974, with Mesa's semantics: a woken task checks its condition again). The mutex is
 * released while the task waits. No wake-up between the release and the wait is lost, and no wake-up is spurious.
 */
typedef struct uat_condition {
    uint64_t object;
} uat_condition_t;

uat_condition_t uat_condition_create(void);
/* Unlock m, which this task holds, wait for a signal, and lock m again. */
void uat_condition_wait(uat_condition_t c, uat_mutex_t m);
/* uat_condition_signal() wakes the task that has waited longest, and uat_condition_broadcast() wakes all waiting tasks.
 * If no task waits, the calls do nothing. */
void uat_condition_signal(uat_condition_t c);
void uat_condition_broadcast(uat_condition_t c);
void uat_condition_destroy(uat_condition_t c);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * UAT_FUTURE(type, name) defines the handle name_future, for values of one type, and
 *     name_future name_create(void)
 *     void name_set(name_future, type)
 *     type name_get(name_future)
 *     int name_try_get(name_future, type *)
 *     void name_destroy(name_future)
 */
#include "detail/sync.h"

#endif
