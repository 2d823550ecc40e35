/* SPDX-License-Identifier: MIT */
/*
 * Objects on which tasks can wait: futures, mutexes, conditions, semaphores, latches, barriers, channels. Sleeps, and
 * waits with a time limit. The objects work between any two tasks of a run, on any workers. While a task waits, its
 * worker runs other tasks. After the task has been woken, any idle worker may resume it. A wait copies the task's
 * frames away, and the resumption copies them back. So a task that waits often should not have large arrays in its
 * frames.
 *
 * Until its destruction, an object is in the evacuation heap (UAT_HEAP_SIZE) of the worker that created it.
 * uat_*_create() returns a handle: a value that may be copied and passed to tasks like any argument. Objects may be
 * created anywhere between uat_init() and uat_finalize(), but may be used only inside tasks of a run. After every call
 * the task may be on another worker, as after a join.
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
 * A handle is valid until its object is destroyed, by the uat_*_destroy() of its kind. Any task may destroy an object
 * if no task waits for it and none will use it again. uat_finalize() frees the remaining objects. Values are copied:
 * `value` remains the caller's. If UAT_HEAP_SIZE has no room for an object, uat_*_create() ends the job with a message.
 * docs/protocol.md describes the protocols.
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
/*
 * Make a mutex that is biased to this worker, its home. A task on the home locks and unlocks the mutex by plain loads
 * and stores. A task on another worker first migrates to the home at each call with this mutex, as by uat_migrate(),
 * and stays there. So the data under the mutex should be near its home, and a lock should be held only briefly. A
 * migration waits until the home has nothing else to do. uat_condition_wait() accepts such a mutex. (Biased locks:
 * Dolan, Muralidharan and Gregg, TACO 9(4), 2013. Here the bias is permanent.)
 */
uat_mutex_t uat_mutex_create_biased(void);
/*
 * Get the mutex of this name. The first call makes the mutex; later calls, by any task on any worker and in any run,
 * return the same mutex. `name` has 1 to UAT_CHANNEL_NAME_MAX bytes and is copied; channels have names of their own. A
 * worker's first call takes at least one round trip to the worker that keeps the name. Then the worker keeps the
 * handle, until it names another mutex that has the same place among 16. uat_finalize() destroys the mutex; the program
 * must not destroy it.
 */
uat_mutex_t uat_mutex_named(const char *name);
/* Wait until this task holds the mutex. The mutex is not recursive: locking it twice deadlocks. */
void uat_mutex_lock(uat_mutex_t m);
/* Lock the mutex if it is free, without waiting. Returns 0, or -EAGAIN if another task holds it. */
int uat_mutex_try_lock(uat_mutex_t m);
/* Unlock the mutex; only the task that holds it may do so. */
void uat_mutex_unlock(uat_mutex_t m);
void uat_mutex_destroy(uat_mutex_t m);

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
/* Call fn(arg) if no task has called it for this `once`. When uat_call_once() returns, the call is over, on whichever
 * worker it was. fn may wait, but must not call uat_call_once() for this `once`. Later calls take as long as
 * uat_future_try_get(). */
UAT_INLINE void uat_call_once(uat_once_t once, void (*fn)(void *arg), void *arg);
UAT_INLINE void uat_once_destroy(uat_once_t once);

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

/* A counting semaphore (Dijkstra 1965). */
typedef struct uat_semaphore {
    uint64_t object;
} uat_semaphore_t;

/* count: the initial number of units. */
uat_semaphore_t uat_semaphore_create(uint64_t count);
/* Take one unit. Waits until there is a unit. */
void uat_semaphore_acquire(uat_semaphore_t s);
/* Take one unit if there is one, without waiting. Returns 0, or -EAGAIN if there is none. */
int uat_semaphore_try_acquire(uat_semaphore_t s);
/* Add n units, so that up to n waiting tasks continue. A count above 2^64 - 1 is an error. */
void uat_semaphore_release(uat_semaphore_t s, uint64_t n);
void uat_semaphore_destroy(uat_semaphore_t s);

/* A latch opens, permanently, when it has been counted down to 0. */
typedef struct uat_latch {
    uint64_t object;
} uat_latch_t;

/* count: the initial count; 0: the latch is open. */
uat_latch_t uat_latch_create(uint64_t count);
/* Subtract n from the count. It is an error if n exceeds the count. */
void uat_latch_count_down(uat_latch_t l, uint64_t n);
/* Returns 0 if the latch is open, or -EAGAIN; does not wait. */
int uat_latch_try_wait(uat_latch_t l);
/* Wait until the latch is open. */
void uat_latch_wait(uat_latch_t l);
void uat_latch_destroy(uat_latch_t l);

/* A reusable barrier for a group of tasks. (uat_barrier() is a barrier for all workers, outside of tasks.) */
typedef struct uat_task_barrier {
    uint64_t object;
} uat_task_barrier_t;

/* n: number of tasks in the group. */
uat_task_barrier_t uat_task_barrier_create(uint64_t n);
/* Wait until n tasks have called this function. Returns 1 in the task that arrived last, 0 in the other tasks. */
int uat_task_barrier_wait(uat_task_barrier_t g);
void uat_task_barrier_destroy(uat_task_barrier_t g);

/*
 * A channel (Hoare's CSP, 1978; Go). It has room for `capacity` values of `size` bytes each (at most UAT_RESULT_MAX). A
 * channel of capacity 0 is a rendezvous: the sender waits for the receiver. Each value is received once, in the order
 * of sending.
 */
typedef struct uat_channel {
    uint64_t object;
    uint64_t size;
} uat_channel_t;

uat_channel_t uat_channel_create(size_t size, size_t capacity);
/*
 * Get the channel of this name. The first call makes the channel; later calls, by any task on any worker and in any
 * run, return the same channel. `name` has 1 to UAT_CHANNEL_NAME_MAX bytes and is copied. If size or capacity differ
 * from those of the first call, the job ends with a message. A call takes at least one round trip to the worker that
 * keeps the name, so keep the handle. uat_finalize() destroys the channel. After a uat_channel_destroy() by the
 * program, the name must not be used again.
 */
enum { UAT_CHANNEL_NAME_MAX = 63 };
uat_channel_t uat_channel_named(const char *name, size_t size, size_t capacity);
/* Send a value. Waits for room. Returns 0, or -EPIPE if the channel is closed or was closed while the task waited for
 * room. */
int uat_channel_send(uat_channel_t c, const void *value);
/* Receive a value. Waits until there is one. Returns 0, or -EPIPE if the channel is closed and empty. */
int uat_channel_receive(uat_channel_t c, void *value);
/* Send and receive without waiting. A send returns -EAGAIN if there is no room and no waiting receiver, and a receive
 * returns -EAGAIN if there is no value. Both return 0 and -EPIPE as the functions above do. */
int uat_channel_try_send(uat_channel_t c, const void *value);
int uat_channel_try_receive(uat_channel_t c, void *value);
/* Close the channel to further values. The values in it can still be received. Closing it twice is harmless. */
void uat_channel_close(uat_channel_t c);
void uat_channel_destroy(uat_channel_t c);

/*
 * Select (as in Go): wait until at least one of several sends and receives is possible, and do one possible operation.
 * If several are possible, one of them is chosen at random.
 */
typedef struct uat_case {
    uat_channel_t channel;
    int sends;   /* 1: send *value; 0: receive into *value */
    void *value; /* channel.size bytes; used only if this case is chosen */
    int status;  /* set only in the chosen case: 0, or -EPIPE, like the results of uat_channel_send() and
                  * uat_channel_receive() */
} uat_case_t;

enum { UAT_SELECT_MAX = 16 };

/*
 * Select among n cases, 1 to UAT_SELECT_MAX. Returns the index of the chosen case. `cases` must be in the task's own
 * frames, because the task may be resumed on another worker. No channel may be both in a case that sends and in a case
 * that receives. A channel may be destroyed only after all selects that name it have returned.
 */
int uat_select(uat_case_t *cases, int n);
/* uat_select() without waiting (Go's `default`): returns -EAGAIN if no case is possible now. */
int uat_try_select(uat_case_t *cases, int n);

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

/*
 * Typed futures and channels.
 *
 * UAT_FUTURE(type, name) defines the handle name_future and
 *     name_future name_create(void)
 *     void name_set(name_future, type)
 *     type name_get(name_future)
 *     int name_try_get(name_future, type *)
 *     void name_destroy(name_future)
 *
 * UAT_CHANNEL(type, name) defines the handle name_channel and
 *     name_channel name_create(size_t capacity), name_named(const char *, size_t capacity)
 *     int name_send(name_channel, type), name_try_send(name_channel, type)
 *     int name_receive(name_channel, type *), name_try_receive(name_channel, type *)
 *     void name_close(name_channel), name_destroy(name_channel)
 *     uat_case_t name_sends(name_channel, type *), name_receives(name_channel, type *): cases for uat_select()
 */
#include "detail/sync.h"

#endif
