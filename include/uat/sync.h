/* SPDX-License-Identifier: MIT */
/*
 * Objects that tasks wait for besides their children: futures, mutexes, conditions, semaphores, latches, barriers,
 * channels. They work between any two tasks of a run, on any workers. A waiting task leaves its worker, which runs
 * something else; once the task is woken, any idle worker resumes it. A wait copies the task's frames away, and its
 * resumption copies them back. So a task that often waits keeps large arrays elsewhere than in its frames.
 *
 * An object lives with the worker that created it, in its evacuation heap (UAT_HEAP_SIZE), until it is destroyed.
 * uat_*_create() returns a handle: a value that may be copied and passed to tasks like any argument. Objects may be
 * created anywhere between uat_init() and uat_finalize(); they are used inside tasks of a run. After every call the
 * task may be on another worker, as after a join.
 *
 * A try function that finds nothing offers this worker's entries to thieves, as uat_work_wanted() does. So a task may
 * poll for something that its spawner's continuation will do, provided that there is another worker and the task has no
 * range of global memory checked out.
 *
 * Errors end the job with a message, in every build: a future that is set twice, a mutex unlocked by a task that does
 * not hold it or destroyed while it is locked, an object destroyed while tasks wait for it, or used after that; a
 * handle that is no object of its kind, or has another size; a value larger than UAT_RESULT_MAX; a count out of its
 * range. If all tasks wait and nothing can wake them, the runtime detects the deadlock and ends the job; its message
 * gives the number of tasks that wait for each kind of object.
 *
 * A call that has to wait while the task has a range of global memory checked out, or a transfer in flight, ends the
 * job with a message. A call that need not wait is allowed: open ranges stay as they are (global.h). So lock a mutex
 * that may be contended before the checkout. uat_yield(), uat_migrate() and uat_condition_wait() always wait.
 *
 * A woken task sees the values that were passed to it. The objects also order accesses to global memory, as global.h
 * says: data that tasks use only under one mutex do not race. Memory of a process, such as that of malloc(), stays out
 * of reach for tasks on other workers.
 *
 * A handle is valid until uat_*_destroy() of its kind. Any task may call that, once no task waits for the object and
 * none will use it again. uat_finalize() frees the remaining objects. Values are copied: `value` stays the caller's.
 * uat_*_create() returns a handle, or ends the job with a line if UAT_HEAP_SIZE has no room. docs/protocol.md describes
 * the protocols.
 */
#ifndef UAT_SYNC_H
#define UAT_SYNC_H

#include "../uat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Let others run first: this task goes to the end of its worker's queue of ready tasks. The worker runs its
 * continuations, then ready tasks. A task that becomes ready when n others are ready is resumed there after at most n +
 * n / 7 + 97 others, or earlier by another worker. While tasks migrate to this worker (uat_migrate()), the bound is
 * twice that number plus one.
 */
void uat_yield(void);

/*
 * A future (Baker and Hewitt 1977): a value that is set once and got any number of times. size: bytes of the value, at
 * most UAT_RESULT_MAX.
 */
typedef struct uat_future {
    uint64_t object; /* (rank << 48) | address; belongs to the library, as do all fields below */
    uint64_t size;
} uat_future_t;

/* Make a future that is not set. */
uat_future_t uat_future_create(size_t size);
/* Copy size bytes in, once, and wake all waiting tasks. */
void uat_future_set(uat_future_t f, const void *value);
/* Wait until the future is set, and copy the value out. */
void uat_future_get(uat_future_t f, void *value);
/* Copy the value out if it is set, without waiting. 0, or -EAGAIN: it is not set. A task sees its own set, and all sets
 * that are ordered before its call, as by a join. */
int uat_future_try_get(uat_future_t f, void *value);
/* Destroy the future. Allowed once no task waits for the object and none will use it again. The same holds for the
 * kinds below. */
void uat_future_destroy(uat_future_t f);

/* Mutual exclusion. An unlock hands the mutex to the task that has waited longest. */
typedef struct uat_mutex {
    uint64_t object;
} uat_mutex_t;

/* Make a mutex that no task holds. */
uat_mutex_t uat_mutex_create(void);
/*
 * Make a mutex that is biased to this worker, its home: a task there locks and unlocks it by plain loads and stores.
 * A task on another worker migrates to the home first, at each call with this mutex, as by uat_migrate(), and stays
 * there. So the data under the mutex should be near its home, and an unlock should follow soon. A migration waits until
 * the home has nothing else to do. uat_condition_wait() accepts it. (Biased locks: Dolan, Muralidharan and Gregg, TACO
 * 9(4), 2013, with the difference that the bias lasts.)
 */
uat_mutex_t uat_mutex_create_biased(void);
/* Wait until this task holds the mutex. It is not recursive: locking it twice deadlocks. */
void uat_mutex_lock(uat_mutex_t m);
/* Lock the mutex if it is free, without waiting. 0, or -EAGAIN: another task holds it. */
int uat_mutex_try_lock(uat_mutex_t m);
/* Unlock the mutex; only the task that holds it may do so. */
void uat_mutex_unlock(uat_mutex_t m);
void uat_mutex_destroy(uat_mutex_t m);

/*
 * A condition variable (Hoare 1974, with Mesa's semantics: a woken task checks its condition again). The mutex is
 * released while the task waits; no wake-up is lost in between, and none is spurious.
 */
typedef struct uat_condition {
    uint64_t object;
} uat_condition_t;

uat_condition_t uat_condition_create(void);
/* Unlock m, which this task holds, wait for a signal, and lock m again. */
void uat_condition_wait(uat_condition_t c, uat_mutex_t m);
/* Wake up the task that has waited longest, or all of them. */
void uat_condition_signal(uat_condition_t c);
void uat_condition_broadcast(uat_condition_t c);
void uat_condition_destroy(uat_condition_t c);

/* A counting semaphore (Dijkstra 1965). */
typedef struct uat_semaphore {
    uint64_t object;
} uat_semaphore_t;

/* count: units that can be acquired at once. */
uat_semaphore_t uat_semaphore_create(uint64_t count);
/* Take one unit; wait until there is one. */
void uat_semaphore_acquire(uat_semaphore_t s);
/* Take one unit if there is one, without waiting. 0, or -EAGAIN: there is none. */
int uat_semaphore_try_acquire(uat_semaphore_t s);
/* Give n units back; up to n waiting tasks continue. A count above 2^64 - 1 is an error. */
void uat_semaphore_release(uat_semaphore_t s, uint64_t n);
void uat_semaphore_destroy(uat_semaphore_t s);

/* A latch opens, for good, once it has been counted down to 0. */
typedef struct uat_latch {
    uint64_t object;
} uat_latch_t;

/* count: the initial count; 0: the latch is open. */
uat_latch_t uat_latch_create(uint64_t count);
/* Subtract n from the count. To subtract more than is left is an error. */
void uat_latch_count_down(uat_latch_t l, uint64_t n);
/* Wait until the latch is open. */
void uat_latch_wait(uat_latch_t l);
void uat_latch_destroy(uat_latch_t l);

/* A reusable barrier for a group of tasks. (uat_barrier() is different: it is for all workers, outside of tasks.) */
typedef struct uat_task_barrier {
    uint64_t object;
} uat_task_barrier_t;

/* n: number of tasks in the group. */
uat_task_barrier_t uat_task_barrier_create(uint64_t n);
/* Wait until n tasks have called this. Returns 1 in the task that arrived last, 0 in the others. */
int uat_task_barrier_wait(uat_task_barrier_t g);
void uat_task_barrier_destroy(uat_task_barrier_t g);

/*
 * A channel (Hoare's CSP, 1978; Go) of values of size bytes (at most UAT_RESULT_MAX), with room for `capacity` of them.
 * A channel of capacity 0 is a rendezvous: the sender waits for the receiver. Values arrive once each, in the order in
 * which they were sent.
 */
typedef struct uat_channel {
    uint64_t object;
    uint64_t size;
} uat_channel_t;

uat_channel_t uat_channel_create(size_t size, size_t capacity);
/*
 * The channel of this name, which the first call makes; later calls, by any task on any worker and in any run, get the
 * same channel. name: 1 to UAT_CHANNEL_NAME_MAX bytes; it is copied. Size and capacity must be those of the first call,
 * or the job ends with a line. A call takes at least one round trip to the worker that keeps the name, so keep the
 * handle. uat_finalize() destroys the channel. If uat_channel_destroy() does it, the name must not be used again.
 */
enum { UAT_CHANNEL_NAME_MAX = 63 };
uat_channel_t uat_channel_named(const char *name, size_t size, size_t capacity);
/* Send a value; wait for room. Returns 0, or -EPIPE if the channel was closed before or while the task waited for
 * room. */
int uat_channel_send(uat_channel_t c, const void *value);
/* Receive a value; wait for one. Returns 0, or -EPIPE if the channel is closed and empty. */
int uat_channel_receive(uat_channel_t c, void *value);
/* Send and receive without waiting. -EAGAIN from a send: no room and no waiting receiver; from a receive: no value. */
int uat_channel_try_send(uat_channel_t c, const void *value);
int uat_channel_try_receive(uat_channel_t c, void *value);
/* Close the channel to further values; those in it may still be received. Closing it twice is harmless. */
void uat_channel_close(uat_channel_t c);
void uat_channel_destroy(uat_channel_t c);

/*
 * Select (as in Go): wait until one of several channels lets this task send or receive, and do that, once. If several
 * do, one of these is taken at random.
 */
typedef struct uat_case {
    uat_channel_t channel;
    int sends;   /* 1: send *value; 0: receive to *value */
    void *value; /* channel.size bytes; used only if this case is taken */
    int status;  /* set for that case: 0, or -EPIPE as uat_channel_send() and uat_channel_receive() return it */
} uat_case_t;

enum { UAT_SELECT_MAX = 16 };

/*
 * Returns the index of the case that was taken. n: 1 to UAT_SELECT_MAX. cases must lie in the task's own frames,
 * because the task may be resumed elsewhere. A channel that is in a case to send must not be in a case to receive. A
 * channel may be destroyed only when all selects that name it have returned.
 */
int uat_select(uat_case_t *cases, int n);
/* uat_select() without waiting (Go's `default`): -EAGAIN if no case can be taken now. */
int uat_select_try(uat_case_t *cases, int n);

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
